set(WEIR_TEST_SOURCES cases_test.cc contract_test.cc exhaustive_test.cc page_border_test.cc properties_test.cc
    reference_model.cc rules_test.cc weir_trace.cc)
