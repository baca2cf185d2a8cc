"""Makes a failure small: its section alone, without the steps that it does not need, and says how to repeat it."""
import shlex

import job

STEPS = 7  # the most that a section has: two communicators and five steps


def fails(launch, setting, options):
    """The difference, with less patience than at first: one section takes no time."""
    patience = min(options.patience, 30)
    native = job.run(launch, None, options, patience)
    return None if native.hangs else job.compare(native, job.run(launch, setting, options, patience))


def smallest_range(launch, setting, difference, options):
    """The section alone if that fails, else with as few of those before it as fail."""
    before = 0
    while True:
        first = max(launch.first, difference.section - before)
        part = launch.part(first, difference.section - first + 1)
        for _ in range(2):  # what depends on time may need another turn
            again = fails(part, setting, options)
            if again is not None:
                return part, again
        if first == launch.first:
            return launch, difference
        before = max(1, 4 * before)


def without_needless_steps(part, setting, difference, options):
    dropped = []
    for step in reversed(range(STEPS)):
        trial = part.part(part.first, part.count, ",".join(str(s) for s in [*dropped, step]))
        again = fails(trial, setting, options)
        if again is not None:
            dropped.append(step)
            part, difference = trial, again
    return part, difference


def report(launch, setting, difference, options):
    print(f"FAILED: {launch.text()}, {setting.name}: section {difference.section}, {difference.text}", flush=True)
    if launch.kinds in ("fatal", "abort", "uncaught", "spawn"):
        part = launch
    else:
        part, difference = smallest_range(launch, setting, difference, options)
        if part.count <= 1:
            part, difference = without_needless_steps(part, setting, difference, options)
        else:
            print("  the section alone does not fail: those before it belong to it")
    print(f"minimised: {part.text()}, steps left out: {part.drop or 'none'}\n  {difference.text}")
    if part.count <= 4:
        traced = job.run(part.part(part.first, part.count, part.drop, True), None, options)
        print("steps:\n" + "\n".join(line for line in traced.output.splitlines() if line.startswith("    ")))
    command, _ = job.command(part.part(part.first, part.count, part.drop, True), setting, "/tmp")
    print("repeat:\n  " + shlex.join(command), flush=True)
