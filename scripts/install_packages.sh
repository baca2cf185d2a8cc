#!/usr/bin/env bash
# Installs the packages of packages.debian that are missing. Does nothing, quickly, if none is.
# Without root, sudo or apt it prints what is missing and lets the build try.
set -u
cd "$(dirname "$0")/.." || exit 1

mapfile -t wanted < <(sed 's/#.*//' packages.debian | tr -s ' \t' '\n\n' | sed '/^$/d')

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "note: this is not a Debian system; these packages, or their like, are needed:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort -u)
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(printf '%s\n' "$installed"))
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=(sudo)
  elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
    as_root=(sudo)
  else
    echo "note: not root and no sudo; if the build fails, have these installed:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 0
  fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "note: no apt-get here; if the build fails, install: ${missing[*]}" >&2
  exit 0
fi

echo "installing ${#missing[@]} missing packages: ${missing[*]}"
install_missing() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}
if ! { "${as_root[@]}" apt-get update -q && install_missing; } >build-packages.log 2>&1; then
  tail -n 20 build-packages.log >&2
  echo "error: apt-get could not install: ${missing[*]}" >&2
  echo "  hint: the whole output is in build-packages.log; run 'apt-get install ${missing[*]}' by hand" >&2
  exit 1
fi
rm -f build-packages.log
