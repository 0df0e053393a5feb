"""Decides whether values of a sweep replace the present ones.

A result is what measure.py writes: `combinations` by label, each with a `state` and its `runs`; and
`confirmation` with the runs of the winner and of the present values, alternating. A run has a
`median`, a `low` and a `high` end of its interval, and the `level` of that, for each stage.
"""

import math

# Gains below this do not change a table.
MIN_GAIN = 0.01
# Other stages may become slower by this.
MAX_LOSS = 0.01
LEVEL = 0.95
ROUNDS = 2
CONFIRMING_ROUNDS = 3


def chosen(result):
    """The values of the table after a sweep."""
    winner = confirmed(result)
    return result["combinations"][winner or result["present"]]["values"]


def winner(result):
    """Label of the combination that is confirmed by a measurement of its own: the fastest of those that
    were faster than the present values in each round; `None` without any."""
    combinations = result["combinations"]
    present = judged_runs(combinations[result["present"]])
    ratios = {}
    for name, each in combinations.items():
        runs = judged_runs(each)
        if name != result["present"] and each["state"] == "right" and are_faster(runs, present, ROUNDS):
            ratios[name] = ratio(runs, present)
    best = min(ratios, key=ratios.get, default=None)
    return best if best and ratios[best] <= 1 - MIN_GAIN else None


def confirmed(result):
    """Label of the winner if its own measurement confirms it, else `None`."""
    best = winner(result)
    confirmation = result.get("confirmation") or {}
    if not best or confirmation.get("winner") != best:
        return None
    runs, present = confirmation["runs"], confirmation["present"]
    if any(len(each) != len(result["stages"]) for each in [*runs, *present]):
        return None
    faster = are_faster(stage_runs(runs, 0), stage_runs(present, 0), CONFIRMING_ROUNDS)
    if not faster or ratio(stage_runs(runs, 0), stage_runs(present, 0)) > 1 - MIN_GAIN:
        return None
    return None if slower_stages(result) else best


def slower_stages(result):
    """Names of the other stages that the winner makes slower in a round of the confirmation."""
    confirmation = result["confirmation"]
    slower = []
    for index, name in enumerate(result["stages"]):
        pairs = zip(stage_runs(confirmation["runs"], index), stage_runs(confirmation["present"], index))
        if index > 0 and any(is_slower(run, present) for run, present in pairs):
            slower.append(name)
    return slower


def verdict(result):
    """One sentence about a sweep."""
    best = winner(result)
    if not best:
        return f"present values kept: no combination was faster in each round, and by {MIN_GAIN:.0%} on average"
    confirmation = result.get("confirmation")
    if confirmed(result):
        runs, present = (stage_runs(confirmation[side], 0) for side in ("runs", "present"))
        return f"`{best}` is {1 - ratio(runs, present):.1%} faster, confirmed by a second measurement"
    if not confirmation or confirmation["winner"] != best or len(confirmation["runs"]) < CONFIRMING_ROUNDS:
        return f"present values kept: the second measurement of `{best}` did not end"
    if slower := slower_stages(result):
        return f"present values kept: `{best}` makes {', '.join(slower)} slower"
    return f"present values kept: `{best}` was not faster in a second measurement"


def ratio(runs, present):
    """Geometric mean of the ratios of medians, round by round."""
    logarithms = [math.log(run["median"] / other["median"]) for run, other in zip(runs, present)]
    return math.exp(sum(logarithms) / len(logarithms))


def judged_runs(combination):
    return stage_runs(combination.get("runs", []), 0)


def stage_runs(runs, index):
    """The runs of one stage, round by round; 0 is the judged one."""
    return [round_of[index] for round_of in runs if index < len(round_of)]


def are_faster(runs, present, rounds):
    """True if there are runs of all rounds, and their intervals are below those of the present values."""
    pairs = list(zip(runs, present))
    return len(pairs) >= rounds and all(is_below(run, other) for run, other in pairs)


def is_below(run, other):
    return min(run["level"], other["level"]) >= LEVEL and run["high"] < other["low"]


# Whatever the level of the intervals: without a proof of the contrary a loss counts.
def is_slower(run, present):
    return present["high"] < run["low"] and run["median"] > present["median"] * (1 + MAX_LOSS)


def interval(run):
    """Median and interval in ms, as text."""
    median, low, high = (run[key] * 1e3 for key in ("median", "low", "high"))
    return f"{median:.4f} ({low:.4f} to {high:.4f})"
