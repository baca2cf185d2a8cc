#!/usr/bin/env python3
"""Trace-event JSON that espalier trace writes from a stored trace is what Perfetto imports, and mistakes in it would be seen.

usage: check_trace_events.py ESPALIER TRACE
"""
import copy
import json
import subprocess
import sys

import trace_events

TOOL, TRACE = sys.argv[1:]


def changed(document, phase, change):
    """A copy in which the first event of a phase is changed, or left out if there is nothing to change it to."""
    copied = copy.deepcopy(document)
    events = copied["traceEvents"]
    at = next(i for i, event in enumerate(events) if event["ph"] == phase)
    if change is None:
        del events[at]
    else:
        events[at].update(change)
    return copied


def main() -> int:
    ran = subprocess.run([TOOL, "trace", TRACE, "--perfetto", "-"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    trace_events.VALIDATOR.check_schema(trace_events.SCHEMA)
    found = trace_events.wrong(document)
    assert not found, found[:5]
    stored = json.load(open(TRACE, encoding="utf-8"))
    messages = sum(len(call["messages"]["from"]) for call in stored["calls"])
    assert messages > 0
    for phase, wanted in (("s", messages), ("f", messages), ("b", 2 * messages), ("e", 2 * messages)):
        assert sum(event["ph"] == phase for event in document["traceEvents"]) == wanted, phase
    mistakes = [("M", None), ("e", None), ("b", None), ("s", None), ("f", None), ("X", {"ts": -1}), ("X", {"dur": "5"}),
                ("X", {"tid": None}), ("X", {"ph": "B"}), ("s", {"id": "7"}), ("s", {"bp": "e"}), ("f", {"bp": "s"}), ("s", {"ts": 1e12}),
                ("b", {"id": 3}), ("b", {"ts": 1e12}), ("M", {"args": {}}), ("M", {"name": "process"}), ("b", {"color": "red"})]
    unseen = [(phase, change) for phase, change in mistakes if not trace_events.wrong(changed(document, phase, change))]
    assert not unseen, unseen
    print(f"{len(document['traceEvents'])} events are valid, {len(mistakes)} mistakes are seen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
