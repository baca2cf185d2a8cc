#!/usr/bin/env bash
# Tries the project on another release of Debian: makes a root of it by debootstrap, from the package sources of this machine,
# clones the repository into it and runs `make demo` and `make check` there.
#
#   scripts/debian_root.sh [--release NAME] [--folder FOLDER] [--keep] [COMMAND...]
#
#   --release NAME    trixie unless told
#   --folder FOLDER   where the root is made; build/debian-NAME unless told. One that this script made is used again.
#   --keep            leave the root there; else it goes at the end
#   COMMAND           each run in the clone by a shell; "make demo" and "make check" unless told
#
# Needs root. Clones what is committed. The output goes to FOLDER.log as well. Mounts are in a namespace of their own and go with it.
# Only folders with the mark of this script are written to or removed. Exits 77 where it cannot be tried.
set -u
usage() { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
release=trixie folder='' keep='' commands=()
while [ $# -gt 0 ]; do
  case $1 in
    --release) release=${2:-} && shift 2 || usage ;;
    --folder) folder=${2:-} && shift 2 || usage ;;
    --keep) keep=yes && shift ;;
    -*) usage ;;
    *) commands+=("$1") && shift ;;
  esac
done
[[ "$release" =~ ^[a-z]+$ ]] || usage
[ ${#commands[@]} -gt 0 ] || commands=("make demo" "make check")
source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
folder=$(realpath -m "${folder:-$source/build/debian-$release}")
mark=$folder/.espalier-root
unable() { echo "debian_root: not tried: $1" >&2; exit 77; }
fail() { echo "error: $1" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || unable "needs root"
command -v apt-get >/dev/null || unable "no apt here, whose sources to take"
"$source/scripts/install_packages.sh" long || exit 1
command -v debootstrap >/dev/null || unable "no debootstrap"
unshare --mount true 2>/dev/null || unable "mount namespaces are not allowed here"
if [ -e "$folder" ] && [ ! -f "$mark" ] && [ -n "$(ls -A "$folder" 2>/dev/null)" ]; then
  fail "$folder is there and was not made by this script; name another with --folder"
fi

# The archive that this machine installs Debian from, and how it reaches it.
archive=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  sed -n 's/^Debian|Debian|main|//p' | head -n 1)
[ -n "$archive" ] || unable "apt has no source of Debian's main section (apt-get update?)"

mkdir -p "$folder" && touch "$mark" || exit 1
# The folder becomes the root of a mount namespace, not only of a process: the lab's hosts enter namespaces by setns, which goes
# to their root. $0 is the folder; what runs after pivot_root is the new root's.
in_root() {
  unshare --mount --propagation private sh -c '
    cd "$0" && mkdir -p .outside && pivot_root . .outside && cd / && umount -l /.outside && rmdir /.outside || exit 1
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$folder" "$@"
}

# pivot_root wants a mount.
mount_all() {
  local what
  mountpoint -q "$folder" || mount --bind "$folder" "$folder" || fail "cannot mount $folder on itself"
  for what in proc sys dev; do
    mountpoint -q "$folder/$what" || mount --rbind "/$what" "$folder/$what" || fail "cannot mount $what"
  done
}

make_root() {
  if [ "$(cat "$mark")" = "$release" ]; then
    mount_all
    return
  fi
  echo "debian_root: $release in $folder"
  debootstrap --variant=minbase "$release" "$folder" "$archive" >"$folder.debootstrap.log" 2>&1 ||
    { tail -n 5 "$folder.debootstrap.log" >&2; fail "debootstrap failed: $folder.debootstrap.log"; }
  rm -f "$folder.debootstrap.log"
  mount_all
  apt-config dump --no-empty Acquire::http Acquire::https Acquire::Check-Valid-Until >"$folder/etc/apt/apt.conf.d/90machine"
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"  # services are installed, not started
  chmod +x "$folder/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  { in_root apt-get update -q && in_root apt-get install -y -q --no-install-recommends git make ca-certificates; } \
    >"$folder/var/log/first.log" 2>&1 || { tail -n 5 "$folder/var/log/first.log" >&2; fail "no git and make in the root"; }
  echo "$release" >"$mark"
}

run_all() {
  make_root
  rm -rf "$folder/root/espalier"
  git clone -q --no-hardlinks "$source" "$folder/root/espalier" || fail "cannot clone $source"
  echo "debian_root: $(in_root cat /etc/debian_version), $(in_root uname -m), $(git -C "$folder/root/espalier" log -1 --format=%h)"
  local command started status=0
  for command in "${commands[@]}"; do
    echo "debian_root: $ $command"
    started=$SECONDS
    if in_root bash -c "cd /root/espalier && $command" </dev/null; then
      echo "debian_root: \"$command\" passed in $((SECONDS - started)) s"
    else
      status=1
      echo "debian_root: \"$command\" FAILED after $((SECONDS - started)) s"
    fi
  done
  return $status
}

export -f in_root mount_all make_root run_all fail
export release folder source mark archive
commands_text=$(declare -p commands)
unshare --mount --propagation private bash -c "set -u; $commands_text; run_all" 2>&1 | tee "$folder.log"
status=${PIPESTATUS[0]}
if [ -z "$keep" ] && [ -f "$mark" ]; then rm -rf --one-file-system "$folder"; fi
exit "$status"
