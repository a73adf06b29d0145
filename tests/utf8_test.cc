#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <weir/utf8.h>

#include "utf8_kernels.h"

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;
using Kernel = std::size_t (*)(const unsigned char*, std::size_t) noexcept;

struct NamedKernel {
  const char* name;
  Kernel run;
};

std::vector<NamedKernel> kernels() {
  std::vector<NamedKernel> list = {{"scalar", detail::utf8_prefix_scalar}};
#if defined(__SSE2__)
  list.push_back({"sse2", detail::utf8_prefix_sse2});
  if (__builtin_cpu_supports("avx2")) list.push_back({"avx2", detail::utf8_prefix_avx2});
#endif
#if defined(__aarch64__)
  list.push_back({"neon", detail::utf8_prefix_neon});
#endif
  return list;
}

// The table of RFC 3629 4, as its grammar has it.
bool valid_character(const unsigned char* c, std::size_t size) {
  const auto tail = [&](std::size_t i) { return c[i] >= 0x80 && c[i] <= 0xBF; };
  const auto in = [](unsigned char byte, int low, int high) { return byte >= low && byte <= high; };
  if (size == 1) return c[0] <= 0x7F;
  if (size == 2) return in(c[0], 0xC2, 0xDF) && tail(1);
  if (size == 3) {
    const bool second = (c[0] == 0xE0 && in(c[1], 0xA0, 0xBF)) || (in(c[0], 0xE1, 0xEC) && tail(1)) ||
                        (c[0] == 0xED && in(c[1], 0x80, 0x9F)) || (in(c[0], 0xEE, 0xEF) && tail(1));
    return second && tail(2);
  }
  const bool second = (c[0] == 0xF0 && in(c[1], 0x90, 0xBF)) || (in(c[0], 0xF1, 0xF3) && tail(1)) ||
                      (c[0] == 0xF4 && in(c[1], 0x80, 0x8F));
  return second && tail(2) && tail(3);
}

std::size_t valid_prefix(const Bytes& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t size = 1;
    while (size <= 4 && (at + size > text.size() || !valid_character(text.data() + at, size))) ++size;
    if (size > 4) return at;
    at += size;
  }
  return at;
}

void expect_kernels(const Bytes& text) {
  const std::size_t expected = valid_prefix(text);
  const bool cut_only = text.size() - expected <= 3;
  for (const NamedKernel& kernel : kernels()) {
    const Bytes exact(text);
    const std::size_t prefix = kernel.run(exact.data(), exact.size());
    ASSERT_LE(prefix, expected) << kernel.name;
    ASSERT_EQ(prefix == text.size(), expected == text.size()) << kernel.name << " size " << text.size();
    ASSERT_EQ(valid_prefix(Bytes(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(prefix))), prefix)
        << kernel.name << ": the prefix ends within a character";
    if (cut_only && expected == text.size()) ASSERT_EQ(prefix, expected) << kernel.name;
  }
  ASSERT_EQ(utf8_prefix_size(text), expected);
  ASSERT_EQ(is_utf8(text), expected == text.size());
}

TEST(Utf8Kernels, AgreeWithTheGrammarOnEveryPairOfBytesAtEveryPlaceOfAVector) {
  for (const std::size_t at : {0U, 1U, 14U, 15U, 16U, 30U, 31U, 32U, 62U, 63U, 64U, 95U, 126U, 127U, 128U}) {
    for (unsigned pair = 0x8000; pair <= 0xFFFF; pair += at == 0 || at == 31 ? 1 : 7) {
      Bytes text(200, 'a');
      text[at] = static_cast<unsigned char>(pair >> 8U);
      text[at + 1] = static_cast<unsigned char>(pair & 0xFFU);
      ASSERT_NO_FATAL_FAILURE(expect_kernels(text)) << at << ' ' << pair;
    }
  }
}

TEST(Utf8Kernels, AgreeWithTheGrammarOnEveryThreeAndFourByteEdge) {
  const unsigned char edges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
  for (const unsigned char a : edges) {
    for (const unsigned char b : edges) {
      for (const unsigned char c : edges) {
        for (const unsigned char d : edges) {
          for (const std::size_t at : {29U, 60U}) {
            Bytes text(100, 'a');
            const unsigned char four[] = {a, b, c, d};
            std::copy(four, four + 4, text.begin() + static_cast<std::ptrdiff_t>(at));
            ASSERT_NO_FATAL_FAILURE(expect_kernels(text));
          }
          ASSERT_NO_FATAL_FAILURE(expect_kernels({a, b, c, d}));
        }
      }
    }
  }
}

TEST(Utf8Kernels, AgreeWithTheGrammarOnRandomTextOfEveryLength) {
  std::mt19937 random(3629);
  const std::vector<std::string> characters = {"a",
                                               "bcdefghijklmnopqrstuvwxyz0123456789",
                                               "\xc2\x80",
                                               "\xd0\xb6",
                                               "\xdf\xbf",
                                               "\xe0\xa0\x80",
                                               "\xe4\xb8\xad",
                                               "\xed\x9f\xbf",
                                               "\xef\xbf\xbf",
                                               "\xf0\x90\x80\x80",
                                               "\xf0\x9f\x98\x80",
                                               "\xf4\x8f\xbf\xbf"};
  for (std::size_t size = 0; size <= 1100; ++size) {
    for (int round = 0; round < 8; ++round) {
      Bytes text;
      while (text.size() < size) {
        const std::string& next = characters[random() % (round % 2 == 0 ? characters.size() : 3)];
        text.insert(text.end(), next.begin(), next.end());
      }
      text.resize(size);
      if (round >= 4 && size > 0) text[random() % size] = static_cast<unsigned char>(random());
      ASSERT_NO_FATAL_FAILURE(expect_kernels(text)) << size;
    }
  }
}

TEST(Utf8Validator, FailsAtTheFirstByteThatNothingCanMendHoweverTheTextIsCut) {
  std::mt19937 random(6455);
  for (int round = 0; round < 3000; ++round) {
    Bytes text(random() % 150, 'a');
    for (unsigned char& byte : text) {
      if (random() % 3 == 0)
        byte = static_cast<unsigned char>("\xd0\xb6\xe4\xb8\xad\xf0\x9f\x98\x80\x80\xed\xf4"[random() % 12]);
    }
    // Byte by byte is the definition.
    Utf8Validator by_byte;
    std::size_t expected = 0;
    while (expected < text.size() && by_byte.accept(ByteView(text).drop(expected).first(1)) == 1) ++expected;
    Utf8Validator validator;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t size = std::min<std::size_t>(text.size() - at, 1 + random() % 90);
      const std::size_t good = validator.accept(ByteView(text).drop(at).first(size));
      at += good;
      if (good != size) break;
    }
    ASSERT_EQ(at, expected);
    if (expected == text.size()) ASSERT_EQ(validator.pending_size(), by_byte.pending_size());
    ASSERT_EQ(utf8_prefix_size(text), valid_prefix(text));
  }
}

TEST(Utf8Validator, ResetForgetsAnUnfinishedCharacter) {
  Utf8Validator validator;
  const Bytes lead = {0xE2, 0x82};
  EXPECT_EQ(validator.accept(lead), 2U);
  EXPECT_EQ(validator.pending_size(), 2U);
  validator.reset();
  EXPECT_EQ(validator.pending_size(), 0U);
  EXPECT_EQ(validator.accept(ByteView(as_bytes("a"))), 1U);
}

}  // namespace
}  // namespace weir::tests
