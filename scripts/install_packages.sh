#!/usr/bin/env bash
# Installs the packages of packages.debian that are missing for a purpose. Does nothing, quickly, if none is.
#
#   scripts/install_packages.sh [--list] demo|build|check|format|tools|long      each purpose includes those before it
#
# Without root, sudo or apt it prints what is missing and lets the build try; CMake then lists what it does not find.
# --list prints the packages, one a line, and installs nothing.
set -u
cd "$(dirname "$0")/.." || exit 1
list=
[ "${1:-}" = --list ] && list=yes && shift
purpose=${1:-tools}

# "purpose<tab>a | b" for each line up to the end of the purpose.
wanted_lines() {
  sed 's/#.*//; s/[ \t]*$//; /^$/d' packages.debian |
    awk -v last="$purpose" '/^\[/ { section = substr($0, 2, length($0) - 2); if (done) exit; done = section == last; next }
                            { print section "\t" $0 } END { if (!done) exit 1 }'
}
if ! lines=$(wanted_lines); then
  echo "error: no purpose \"$purpose\" in packages.debian" >&2
  echo "  hint: $(sed -n 's/^\[\(.*\)\]$/\1/p' packages.debian | tr '\n' ' ')" >&2
  exit 2
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  [ -n "$list" ] && cut -f 2 <<<"$lines" && exit 0
  echo "note: this is not a Debian system; CMake says what is missing" >&2
  exit 0
fi

declare -A installed
while read -r package; do installed[$package]=1; done \
  < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')

# Which of the alternatives of a line is installed; empty if none is.
present() {
  local name
  for name in ${1//|/ }; do
    [ -n "${installed[$name]:-}" ] && echo "$name" && return
  done
}
# Which of them apt can install; empty if it knows none.
known() {
  local name
  for name in ${1//|/ }; do
    LC_ALL=C apt-cache policy "$name" 2>/dev/null | grep -q '^  Candidate: [^(]' && echo "$name" && return
  done
}

if [ -n "$list" ]; then
  while IFS=$'\t' read -r _ line; do
    name=$(present "$line")
    [ -n "$name" ] || name=$(known "$line")
    echo "${name:-${line%% *}}"
  done <<<"$lines"
  exit 0
fi

missing_lines=$(while IFS=$'\t' read -r section line; do
  [ -n "$(present "$line")" ] || printf '%s\t%s\n' "$section" "$line"
done <<<"$lines")
[ -z "$missing_lines" ] && exit 0
all_missing=$(cut -f 2 <<<"$missing_lines" | sed 's/ |.*//' | tr '\n' ' ')

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
  else
    echo "note: not root and no sudo; if the build fails, have these installed:" >&2
    echo "  apt-get install $all_missing" >&2
    exit 0
  fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "note: no apt-get here; if the build fails, install: $all_missing" >&2
  exit 0
fi

failed() {
  tail -n 20 build-packages.log >&2
  echo "error: apt-get could not install: $1" >&2
  echo "  hint: the whole output is in build-packages.log; run 'apt-get install $1' by hand" >&2
  exit 1
}
# A package cannot be chosen among alternatives before apt knows what there is.
"${as_root[@]}" apt-get update -q >build-packages.log 2>&1 || failed "$all_missing"
missing=()
while IFS=$'\t' read -r section line; do
  name=$(known "$line")
  if [ -n "$name" ]; then
    missing+=("$name")
  elif [[ "$section" =~ ^(format|tools|long)$ ]]; then
    echo "note: apt knows none of: $line; the steps that need it are skipped" >&2
  else
    failed "$line"
  fi
done <<<"$missing_lines"
[ "${#missing[@]}" -eq 0 ] && exit 0

echo "installing ${#missing[@]} missing packages: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}" >>build-packages.log 2>&1 || failed "${missing[*]}"
rm -f build-packages.log
