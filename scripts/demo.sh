#!/usr/bin/env bash
# What Espalier does so far, on three machines. Pictures go to demo-out/.
# usage: demo.sh ESPALIER
set -eu
tool=$1
out=demo-out
mkdir -p "$out"
step() { printf '\n\033[1m%s\033[0m\n$ espalier %s\n\n' "$1" "$2"; }
[ -t 1 ] || step() { printf '\n%s\n$ espalier %s\n\n' "$1" "$2"; }

step "A machine is a tree of levels: three computers at two sites" "show data/machines/three-machines.json"
"$tool" show data/machines/three-machines.json

step "Eight workstations, two of them fast: the slow ones do not forward" \
  "tree --algorithm fnf --machine data/machines/hnow-8.json --model node-initiation"
"$tool" tree --algorithm fnf --machine data/machines/hnow-8.json --model node-initiation

step "All algorithms on 64 workstations, a quarter of them fast, beside the proven bound" \
  "compare --machine data/machines/hnow-64.json --model node-initiation"
"$tool" compare --machine data/machines/hnow-64.json --model node-initiation

step "The paper that this comes from, computed again (a few seconds; without --quick: all of it)" \
  "reproduce banikazemi --part figure1 --part table2 --quick"
"$tool" reproduce banikazemi --part figure1 --part table2 --quick

step "A whole collective on the three computers: every plan simulated, the fastest verified" \
  "plan allreduce --machine data/machines/three-machines.json --size 64KiB"
"$tool" plan allreduce --machine data/machines/three-machines.json --size 64KiB

"$tool" show data/machines/three-machines.json --svg "$out/machine.svg"
"$tool" tree --algorithm fnf --machine data/machines/hnow-8.json --model node-initiation --svg "$out/tree.svg"
"$tool" compare --machine data/machines/hnow-64.json --model node-initiation --svg "$out/compare.svg"
printf '\nPictures to look at: %s\n' "$out/machine.svg $out/tree.svg $out/compare.svg"
