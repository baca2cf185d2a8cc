#!/usr/bin/env python3
"""Removes what `make install` put into a prefix, by the list that it left there (share/espalier/manifest).

    uninstall.py PREFIX

Files first, then the folders that the installation made, unless something else is in them by now.
"""
import pathlib
import sys


def forget_compiled(module):
    """Removes what Python keeps of a module that is gone."""
    if module.suffix != ".py":
        return
    cache = module.parent / "__pycache__"
    for compiled in cache.glob(f"{module.stem}.*.pyc"):
        compiled.unlink()
    if cache.is_dir() and not any(cache.iterdir()):
        cache.rmdir()


def main():
    prefix = pathlib.Path(sys.argv[1])
    manifest = prefix / "share" / "espalier" / "manifest"
    if not manifest.is_file():
        print(f"{manifest}: error: nothing is installed there\n  hint: name the prefix: make uninstall PREFIX=...",
              file=sys.stderr)
        return 2
    lines = manifest.read_text().split("\n")
    for name in lines:
        if name.startswith("/") or ".." in name.split("/"):
            print(f"{manifest}: error: it names {name}, outside of {prefix}; nothing was removed", file=sys.stderr)
            return 2
    for name in lines:
        path = prefix / name
        if name and not name.endswith("/") and (path.is_file() or path.is_symlink()):
            try:
                path.unlink()
                forget_compiled(path)
            except OSError as error:
                print(f"{path}: error: {error.strerror}\n  hint: who installed it may remove it (sudo make uninstall)", file=sys.stderr)
                return 1
    for name in sorted((line for line in lines if line.endswith("/")), reverse=True):  # inner ones first
        folder = prefix / name
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
