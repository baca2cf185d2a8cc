#!/usr/bin/env bash
# The newest name under which a tool of LLVM is there: scripts/tool.sh clang-format [OLDEST [NEWEST]]
#
# Prints nothing and exits 1 if none is, or none between the two major versions. Version 14 comes first: what the sources are
# formatted with.
set -u
name=$1 oldest=${2:-14} newest=${3:-99}
for candidate in "$name-14" $(for v in $(seq 30 -1 15); do echo "$name-$v"; done) "$name"; do
  path=$(command -v "$candidate") || continue
  version=$("$path" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p' | head -n 1)
  [ "${version:-0}" -ge "$oldest" ] && [ "$version" -le "$newest" ] && echo "$path" && exit 0
done
exit 1
