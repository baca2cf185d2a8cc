#!/usr/bin/env bash
# What Espalier does, ending with an unmodified MPI program without it and with it. Pictures go to demo-out/.
# usage: demo.sh BUILD
set -eu
tool=$1/bin/espalier
out=demo-out
mkdir -p "$out"
step() { printf '\n\033[1m%s\033[0m\n$ espalier %s\n\n' "$1" "$2"; }
[ -t 1 ] || step() { printf '\n%s\n$ espalier %s\n\n' "$1" "$2"; }

step "A machine is a tree of levels: three computers at two sites" "show data/machines/three-machines.json"
"$tool" show data/machines/three-machines.json --svg "$out/machine.svg"

step "Eight workstations, two of them fast: the slow ones do not forward" \
  "tree --algorithm fnf --machine data/machines/hnow-8.json --model node-initiation"
"$tool" tree --algorithm fnf --machine data/machines/hnow-8.json --model node-initiation --svg "$out/tree.svg"

step "The paper that this comes from, computed again (a few seconds; without --quick: all of it)" \
  "reproduce banikazemi --part figure1 --part table2 --quick"
"$tool" reproduce banikazemi --part figure1 --part table2 --quick

step "A whole collective on the three computers: every plan simulated, the fastest verified" \
  "plan allreduce --machine data/machines/three-machines.json --size 64KiB"
"$tool" plan allreduce --machine data/machines/three-machines.json --size 64KiB

"$tool" compare --machine data/machines/hnow-64.json --model node-initiation --svg "$out/compare.svg" >"$out/compare.txt"

step "The same unmodified MPI program (examples/steps.cpp) on such a grid, without Espalier and with it" \
  "lab up \"site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4\"    # where root and TUN are there"
python3 scripts/demo_grid.py "$1" "$out"
printf '\nPictures to look at: %s\n' "$out/grid.svg $out/machine.svg $out/tree.svg $out/compare.svg"
printf 'The tool: export PATH=%s:$PATH; then espalier --help. The demo builds the library for MPICH; make builds those for all MPIs.\n' \
  "$(cd "$(dirname "$tool")" && pwd)"
