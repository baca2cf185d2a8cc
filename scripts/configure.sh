#!/usr/bin/env bash
# Configures build/PRESET for a purpose (demo, build, check) unless that was done: scripts/configure.sh PRESET PURPOSE
#
# Each purpose has all of the ones before it, so `make demo` after `make check` changes nothing. WERROR=ON makes warnings errors
# whatever the preset says.
set -u
cd "$(dirname "$0")/.." || exit 1
preset=$1 purpose=$2
stamp=build/$preset/configured-for
case " demo build check " in
  *" $purpose "*) ;;
  *) echo "error: no purpose \"$purpose\": demo, build or check" >&2 && exit 2 ;;
esac
if [ -f "build/$preset/build.ninja" ] && [ -f "$stamp" ]; then
  for reached in check build demo; do  # from the widest
    [ "$(cat "$stamp")" = "$reached" ] && exit 0
    [ "$purpose" = "$reached" ] && break
  done
fi
mkdir -p "build/$preset"
log=build/$preset/configure.log
if ! cmake --preset "$preset" -DESPALIER_FOR="$purpose" ${WERROR:+-DESPALIER_WERROR="$WERROR"} >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# CTest begins with what took longest in earlier runs; of the first run this file knows it.
times=build/$preset/Testing/Temporary/CTestCostData.txt
if [ ! -f "$times" ]; then
  mkdir -p "$(dirname "$times")" && { grep -v '^#' tests/usual_times.txt; echo "---"; } >"$times"
fi
grep '^-- without ' "$log" | sed 's/^-- //'
echo "$purpose" >"$stamp"
