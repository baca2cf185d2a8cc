#!/usr/bin/env bash
# Whether the preloaded library slows anything down on one host: every collective, 8 B to 1 MiB, under both MPIs.
#
#   scripts/bench_never_slower.sh BUILD [OPTION...]     e.g. build/release --only Bcast
#
# Two pinned ranks, then 4 and 8 that share the cores if there are fewer (ranks of MPICH poll while they wait: that takes its time, so
# they are measured in short: --quick). Options go to never_slower (bench/mpi/never_slower.cpp). Exits 1 if a run fails.
set -u
if [ $# -lt 1 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd) || exit 2
shift
echo "host     $(nproc) cores, $(uname -sm), load $(cut -d' ' -f1 /proc/loadavg)"
echo "commit   $(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)"
echo "date     $(date -u +%Y-%m-%dT%H:%M:%SZ)"
failed=0
run() {
  printf '\n%s\n' "$1"
  shift
  "$@" || failed=1
}
for ranks in 2 4 8; do
  binding=(--mca mpi_yield_when_idle 1)
  [ "$ranks" -eq 2 ] && binding=(--bind-to core)
  root=()
  [ "$(id -u)" -eq 0 ] && root=(--allow-run-as-root)
  run "Open MPI, $ranks ranks" mpiexec.openmpi "${root[@]}" --oversubscribe "${binding[@]}" \
    -x LD_PRELOAD="$build/lib/libespalier.so" -n "$ranks" "$build/mpi/never_slower.openmpi" "$@"
done
for ranks in 2 4 8; do
  binding=()
  [ "$ranks" -eq 2 ] && binding=(-bind-to core)
  short=()
  [ "$ranks" -gt "$(nproc)" ] && short=(--quick)
  run "MPICH, $ranks ranks" mpiexec.mpich "${binding[@]}" \
    -genv LD_PRELOAD "$build/lib/libespalier.so" -n "$ranks" "$build/mpi/never_slower.mpich" "${short[@]}" "$@"
done
exit "$failed"
