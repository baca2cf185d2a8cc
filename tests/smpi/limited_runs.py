"""Runs with limits of time and memory, from several threads, that can all be ended at once (scale.py)."""
import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

MOST_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # a rank's variables are an open file
PATIENCE = 10  # a run may take so many times its processor time by the clock
FROM_OUTSIDE = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGKILL}
ENDED_FROM_OUTSIDE = "ended from outside"


class Stopped(Exception):
    """All runs were stopped."""


class Runs:
    """Runs commands, from several threads, until somebody stops them all."""

    def __init__(self):
        self.lock = threading.Lock()
        self.groups = set()  # of runs that nobody has waited for: so no other process has their numbers
        self.is_stopped = False

    def kill(self, group):
        with self.lock:
            self.kill_known(group)

    def kill_known(self, group):
        if group in self.groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    def stop(self):
        with self.lock:
            self.is_stopped = True
            for group in self.groups:
                self.kill_known(group)

    def run(self, line, environment, seconds, limit):
        """What it printed, to stdout and to stderr, and how it ended."""
        line = ["prlimit", f"--cpu={seconds}:{seconds + 5}", f"--as={limit}", f"--nofile={MOST_FILES}"] + line
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            begin = time.monotonic()
            with self.lock:
                if self.is_stopped:
                    raise Stopped
                process = subprocess.Popen(line, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                           start_new_session=True)  # ended with all that it starts
                self.groups.add(process.pid)
            timer = threading.Timer(PATIENCE * seconds, self.kill, [process.pid])
            timer.start()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            timer.cancel()
            with self.lock:
                self.kill_known(process.pid)  # what it left running
                self.groups.discard(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if self.is_stopped:
                raise Stopped
            out.seek(0)
            err.seek(0)
            return out.read(), err.read(), {"code": process.returncode, "clock": round(time.monotonic() - begin, 1),
                                            "processor": round(usage.ru_utime + usage.ru_stime, 1),
                                            "memory": usage.ru_maxrss * 1024}


def why_not(how, seconds):
    """Why a run had no result."""
    code = how["code"]
    number = -code if code < 0 else code - 128  # shells add 128
    # The kernel counts in ticks, so a run may end a little before.
    if number == signal.SIGXCPU or how["processor"] >= seconds or how["clock"] >= PATIENCE * seconds:
        return "out of time"
    return ENDED_FROM_OUTSIDE if number in FROM_OUTSIDE else f"failed ({code})"
