#!/usr/bin/env bash
# All stacks on a grid of two sites and three machines, from every root (scripts/bench_lab.sh ESPALIER).
#
# Results go to standard output as a table and to build/bench-lab/ as JSON, and one drawing for each operation.
# MACHINE, and OPTIONS for `espalier bench`, can be set in the environment.
set -eu
espalier=$1
machine=${MACHINE:-site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4}
out=build/bench-lab
export ESPALIER_LAB=/run/espalier-bench-lab.$$
mkdir -p "$out"
trap '"$espalier" lab down >/dev/null' EXIT
"$espalier" lab up "$machine" >/dev/null
echo "machine  $machine"
echo "host     $(nproc) cores, $(uname -sm), load $(cut -d' ' -f1 /proc/loadavg)"
echo "commit   $(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)"
echo "date     $(date -u +%Y-%m-%dT%H:%M:%SZ)"
# shellcheck disable=SC2086  # OPTIONS is a list of words
"$espalier" bench --on lab --root all --save "$out/bench.json" --svg "$out/" ${OPTIONS:-}
