#!/usr/bin/env bash
# Packs what a portable build (cmake --preset portable, target installed) installs: BUILD/espalier-VERSION-linux-ARCH.tar.gz.
#
#   make_tarball.sh BUILD
#
# It may be unpacked anywhere: everything in it finds the rest from where it lies. share/doc/espalier/needs.txt names the glibc
# that it needs.
set -eu
build=$(realpath "$1")
grep -q '^ESPALIER_PORTABLE:BOOL=ON$' "$build/CMakeCache.txt" || {
  echo "make_tarball: $build is no portable build" >&2
  echo "  hint: make tarball" >&2
  exit 1
}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=espalier-$version-linux-$(uname -m)
rm -rf "$build/tarball"
mkdir -p "$build/tarball"
cmake --install "$build" --strip --prefix "$build/tarball/$name" >"$build/tarball/install.log"

# The newest glibc that a symbol asks for.
needed=$(find "$build/tarball/$name/bin" "$build/tarball/$name/lib" -type f -exec objdump -T {} + 2>/dev/null |
  grep -o 'GLIBC_[0-9.]*' | sort -u -t_ -k2V | tail -n 1 | tr _ ' ')
needs=share/doc/espalier/needs.txt
printf 'Built for %s. Needs %s or newer.\n' "$(uname -m)" "$needed" >"$build/tarball/$name/$needs"
echo "$needs" >>"$build/tarball/$name/share/espalier/manifest"

tar --sort=name --owner=0 --group=0 --numeric-owner -czf "$build/$name.tar.gz" -C "$build/tarball" "$name"
echo "$build/$name.tar.gz: needs $needed or newer"
