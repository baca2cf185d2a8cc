#!/usr/bin/env python3
"""Runs a compiler or linker command and notes the processor time it took; `make build-times` puts it in front of both.

Appends one JSON line to the file named by ESPALIER_BUILD_TIMES: the output file, processor seconds, peak memory in MiB.
"""
import json
import os
import sys


def main():
    command = sys.argv[1:]
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    log = os.environ.get("ESPALIER_BUILD_TIMES")
    if log:
        output = command[command.index("-o") + 1] if "-o" in command else command[-1]
        line = json.dumps({"output": output, "cpu": round(usage.ru_utime + usage.ru_stime, 3), "mib": usage.ru_maxrss // 1024})
        with open(log, "a", encoding="utf-8") as file:
            file.write(line + "\n")  # one short write: lines of parallel commands do not mix
    return os.waitstatus_to_exitcode(status) & 0xFF


if __name__ == "__main__":
    sys.exit(main())
