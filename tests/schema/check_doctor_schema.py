#!/usr/bin/env python3
"""The published schema against the tool: what `espalier doctor --json` writes is valid, and mistakes in it would be seen.

usage: check_doctor_schema.py ESPALIER SOURCE_DIR PROGRAM
"""
import copy
import json
import os
import pathlib
import subprocess
import sys

import jsonschema

TOOL, SOURCE, PROGRAM = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
SCHEMA = json.loads((SOURCE / "data" / "doctor.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(*programs, **variables):
    run = subprocess.run([TOOL, "doctor", "--json", *programs], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=os.environ | variables, check=False)
    return json.loads(run.stdout)


def broken(value):
    """Copies with one mistake each."""
    for key in value:
        yield {k: v for k, v in value.items() if k != key}
    for change in ({"level": "fatal"}, {"area": "weather"}, {"what": ""}, {"level": "problem", "cure": ""}, {"subject": 3}):
        wrong = copy.deepcopy(value)
        wrong["findings"][0].update(change)
        yield wrong


def main() -> int:
    VALIDATOR.check_schema(SCHEMA)
    written = [document(), document(PROGRAM, "./none", "/bin/sh"), document(ESPALIER_FORCE="maybe", LD_PRELOAD="/none.so"),
               document(PATH="/none", HOME="", TMPDIR="/none")]
    for value in written:
        VALIDATOR.validate(value)
        counted = {level: sum(f["level"] == level for f in value["findings"]) for level in value["counts"]}
        assert counted == value["counts"], (counted, value["counts"])
    accepted = [wrong for wrong in broken(written[0]) if VALIDATOR.is_valid(wrong)]
    assert not accepted, accepted
    print(f"{len(written)} documents are valid, {len(list(broken(written[0])))} mistakes are seen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
