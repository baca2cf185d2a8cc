"""Cells of a table that are kept in a file, so that a table which was cut off goes on (scale.py)."""
import json
import pathlib
import threading

KEY = ("build", "simgrid", "settings", "ranks", "machine", "roots", "team", "call")
VALUES = ("seconds", "limit", "cell", "why", "clock", "processor", "memory")


class Kept:
    """Cells in a file, a line each, by what they are of."""

    def __init__(self, file, now):
        self.file = file
        self.now = now  # this build, SimGrid and settings
        self.lock = threading.Lock()
        self.lines = {}
        self.others = 0  # cells of other builds, SimGrids or settings
        if file and pathlib.Path(file).exists():
            for text in pathlib.Path(file).read_text(encoding="utf-8", errors="replace").splitlines():
                self.read(text)

    def read(self, text):
        try:
            line = json.loads(text)
        except ValueError:  # empty, or cut off where a table was
            return
        if not isinstance(line, dict):
            return
        if not all(line.get(name) == value for name, value in self.now.items()):
            several = line.get("cells")  # earlier, several cells had a line together
            self.others += len(several) if isinstance(several, dict) else 1
        elif all(name in line for name in KEY + VALUES):
            self.lines.setdefault(self.key(line), []).append(line)

    @staticmethod
    def key(line):
        return tuple(line[name] for name in KEY)

    def find(self, of, seconds, limit):
        """The line of such a cell. One that did not end must have had as much time and memory."""
        lines = self.lines.get(self.key(of), [])
        ended = [line for line in lines if line["cell"]]
        stuck = [line for line in lines if line["seconds"] >= seconds and line["limit"] >= limit]
        return (ended or stuck or [None])[-1]

    def keep(self, line):
        with self.lock:
            self.lines.setdefault(self.key(line), []).append(line)
            if self.file:
                with open(self.file, "a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps(line) + "\n")  # what is before it may be cut off
