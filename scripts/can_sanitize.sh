#!/usr/bin/env bash
# Whether programs with AddressSanitizer and UndefinedBehaviorSanitizer can be built and run here; says in one line why not.
set -u
compiler=${CXX:-c++}
program=$(mktemp)
trap 'rm -f "$program"' EXIT
if ! "$compiler" -x c++ -fsanitize=address,undefined -o "$program" - 2>/dev/null <<<'int main() { return 0; }'; then
  echo "sanitized tests: skipped, $compiler has no runtime of AddressSanitizer and UndefinedBehaviorSanitizer (Debian: g++ brings libasan and libubsan)"
  exit 1
fi
if ! "$program" 2>/dev/null; then
  echo "sanitized tests: skipped, a program with AddressSanitizer does not run here"
  exit 1
fi
