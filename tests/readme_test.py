#!/usr/bin/env python3
"""The C++ block of README.md is examples/read_messages.cc, from its first include on: what a reader copies compiles."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
block = re.search(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.S)
example = (root / "examples/read_messages.cc").read_text()
wanted = example[example.index("#include"):]
if not block or block.group(1).strip() != wanted.strip():
    sys.exit("README.md does not show examples/read_messages.cc as it is")
