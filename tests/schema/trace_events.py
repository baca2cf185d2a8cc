"""What Perfetto needs of trace-event JSON: the published schema, and what a schema cannot say of events together."""
import collections
import json
import pathlib

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "data" / "trace-events.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def nanoseconds(event, key):
    return round(event[key] * 1000)


def slices_of(events):
    """Of each thread: (begin, end), sorted, outer ones first."""
    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin = nanoseconds(event, "ts")
            slices[event["pid"], event["tid"]].append((begin, begin + nanoseconds(event, "dur")))
    for spans in slices.values():
        spans.sort(key=lambda span: (span[0], -span[1]))
    return slices


def overlaps(slices):
    for thread, spans in slices.items():
        open_ends = []
        for begin, end in spans:
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                yield f"thread {thread}: a slice from {begin} to {end} ns ends after the one around it"
            open_ends.append(end)


def unpaired(events):
    """Spans and arrows whose ends are not there once each, or in the wrong order."""
    for first, last, what in (("b", "e", "span"), ("s", "f", "arrow")):
        ends = collections.defaultdict(list)
        for event in events:
            if event["ph"] in (first, last):
                ends[event["cat"], event["name"] if what == "span" else "", event["id"]].append(event)
        for key, both in ends.items():
            if sorted(event["ph"] for event in both) != sorted((first, last)):
                yield f"{what} {key}: {[event['ph'] for event in both]}"
                continue
            times = {event["ph"]: nanoseconds(event, "ts") for event in both}
            if times[first] > times[last]:
                yield f"{what} {key}: it ends before it begins"


def loose_arrows(events, slices):
    for event in events:
        if event["ph"] not in ("s", "f"):
            continue
        at = nanoseconds(event, "ts")
        if not any(begin <= at <= end for begin, end in slices[event["pid"], event["tid"]]):
            yield f"arrow {event['id']}: no slice of its thread is there at {at} ns"


def wrong(document, residual_ns=0):
    """What is wrong with a document, a line each. Clocks of several kernels may differ by the residual."""
    found = [f"{list(error.absolute_path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]
    if found:
        return found
    events = document["traceEvents"]
    named = {event["pid"] for event in events if event["name"] == "process_name"}
    slices = slices_of(events)
    found += [f"process {event['pid']} has no name" for event in events if event["pid"] not in named]
    found += list(overlaps(slices)) + list(loose_arrows(events, slices))
    if residual_ns == 0:
        found += list(unpaired(events))
    return found
