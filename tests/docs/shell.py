"""One bash for all commands of a page, as a reader has one: folders and variables stay from command to command."""
import os
import pathlib
import select
import signal
import subprocess
import time

END = "\x01end of a command\x01"


class Shell:
    def __init__(self, folder, environment):
        self.folder, self.buffer = pathlib.Path(folder), ""
        self.bash = subprocess.Popen(["bash", "--norc", "--noprofile"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command, seconds=120):
        """(exit code, what it printed on both streams); None for the code if it did not end."""
        script = self.folder / ".command"
        script.write_text(command + "\n")
        self.bash.stdin.write(f"source '{script}' </dev/null\nprintf '{END}%d\\n' $?\n".encode())
        self.bash.stdin.flush()
        return self._read_to_end(time.monotonic() + seconds)

    def _read_to_end(self, deadline):
        while True:
            head, found, tail = self.buffer.partition(END)
            if found and "\n" in tail:
                code, self.buffer = tail.split("\n", 1)
                return int(code), head
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.bash.stdout], [], [], left)[0]:
                self.end()
                return None, head + "(it did not end in time)\n"
            piece = os.read(self.bash.stdout.fileno(), 65536)
            if not piece:
                return None, head + "(the shell ended)\n"
            self.buffer += piece.decode(errors="replace")

    def end(self):
        """Also of what commands left in the background."""
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.bash.wait()
        self.bash.stdin.close()
        self.bash.stdout.close()
