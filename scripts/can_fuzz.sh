#!/usr/bin/env bash
# Whether there is a clang whose libFuzzer links; says in one line why not.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! compiler=$(scripts/tool.sh clang++); then
  echo "fuzz: skipped, no clang++ 14 or newer here (Debian: clang)"
  exit 1
fi
program=$(mktemp)
trap 'rm -f "$program"' EXIT
if ! "$compiler" -x c++ -fsanitize=fuzzer,address,undefined -o "$program" - 2>/dev/null \
  <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'; then
  echo "fuzz: skipped, $compiler has no libFuzzer (Debian: libclang-rt-dev)"
  exit 1
fi
