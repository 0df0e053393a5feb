"""The part of the comment that is about one suite, made of the results of scripts/pull-request.sh.

The results were written by code of the pull request. Nothing in them is trusted: fields are checked, and markdown
loses what could mention people, load pictures or close the section.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import suite

# A comment has 65,536 characters at most, and several sections.
MAX_MARKDOWN = 20_000
MAX_LOG = 1_500
ZERO_WIDTH_SPACE = "\u200b"
# Of a commit that the check did not get to.
UNKNOWN = "0" * 40
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

MEANING = {
    0: "no regression was found",
    1: "the check failed by itself",
    2: "the check was called wrongly",
    3: "an output was wrong",
    4: "a point is slower",
    5: "not everything could be compared",
}

ERROR_RATES = (
    "Where the error rates of this machine are unknown: in paired runs of equal builds on other machines, quiet and busy, "
    "none of 2,922 points was a false alarm, and a slowdown of 5 % was found in 68 to 91 % of the points "
    "(docs/trust.md). No baseline is accepted from this run"
)
CONCLUSIONS = {
    "shared": (
        "Measured on a **shared runner**: both builds ran interleaved on the same machine, so a verdict is about the "
        "change. The times are those of a machine that others use, and are comparable with no other run. "
        f"{ERROR_RATES}."
    ),
    "dedicated": (
        "Measured on a dedicated runner: both builds ran interleaved, so a verdict is about the change. "
        f"{ERROR_RATES}: the nightly workflow does that."
    ),
}


class BadResults(ValueError):
    """The results of the measurement are not what scripts/pull-request.sh writes."""


@dataclass(frozen=True)
class Results:
    """What was measured, as the code of the pull request reports it."""

    suite: str
    exit_code: int
    base: str
    head: str
    baseline: str
    runner: str
    verdict: str
    log: str


def read(folder: Path) -> Results:
    """Reads the results of one suite, and checks the fields."""
    path = folder / "result.txt"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace")[:10_000].splitlines()
    except OSError as problem:
        raise BadResults(f"{path}: {problem.strerror}: nothing was measured") from problem
    fields = dict(line.split(" ", 1) for line in lines if " " in line)
    try:
        name = suite.checked(fields.get("suite", ""))
    except suite.BadSuite as problem:
        raise BadResults(f"{path}: suite: {problem}") from problem
    for side in ("base", "head"):
        if not COMMIT.fullmatch(fields.setdefault(side, UNKNOWN)):
            raise BadResults(f"{path}: {side} is not the hash of a commit")
    code = fields.get("exit-code", "")
    if not code.isascii() or not code.isdecimal() or int(code) > 255:
        raise BadResults(f"{path}: exit-code is not a number up to 255")
    return Results(
        suite=name,
        exit_code=int(code),
        base=fields["base"],
        head=fields["head"],
        baseline="accepted" if fields.get("baseline") == "accepted" else "base",
        runner="dedicated" if fields.get("runner") == "dedicated" else "shared",
        verdict=text_of(folder / "verdict.md"),
        log=text_of(folder / "log.txt"),
    )


def text_of(path: Path) -> str:
    """The beginning of a file that may be large, or not there."""
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(4 * MAX_MARKDOWN)


def harmless(markdown: str) -> str:
    """Markdown without mentions, links, pictures and HTML but <sub>, of a limited length."""
    text = re.sub(r"<(?!/?sub>)", "&lt;", markdown)
    text = text.replace("@", "@" + ZERO_WIDTH_SPACE)
    text = text.replace("](", "]" + ZERO_WIDTH_SPACE + "(").replace("://", ":" + ZERO_WIDTH_SPACE + "//")
    # References of links, and references to other issues.
    text = re.sub(r"(?m)^(\s*\[[^\]]*\]):", r"\1" + ZERO_WIDTH_SPACE + ":", text)
    text = re.sub(r"#(?=\d)", "#" + ZERO_WIDTH_SPACE, text)
    if len(text) > MAX_MARKDOWN:
        text = text[:MAX_MARKDOWN].rsplit("\n", 1)[0] + "\n"
        text += "```\n" if text.count("```") % 2 else ""
        text += "\nThe rest is in the report.\n"
    return text.strip()


def render(results: Results, artifact: str, run: str) -> str:
    """The section as markdown. `artifact` and `run` are addresses that the server made."""
    head, base = (f"`{commit[:12]}`" if commit != UNKNOWN else "?" for commit in (results.head, results.base))
    compared = base if results.baseline == "base" else "the accepted run"
    code = results.exit_code
    parts = [f"## `{results.suite}`: {head} against {compared}"]
    if results.verdict:
        parts.append(harmless(results.verdict))
        parts.append(CONCLUSIONS[results.runner])
    else:
        parts.append(f"**Nothing was compared: {MEANING.get(code, 'the check ended early')}.**")
        log = harmless(results.log[-MAX_LOG:]).replace("```", "'''")
        if log:
            parts.append(f"```text\n{log}\n```")
    links = [f"[report and samples]({artifact})"] if artifact else []
    links += [f"[log]({run})"] if run else []
    parts.append(" · ".join([*links, f"exit code {code}: {MEANING.get(code, 'the check ended early')}"]))
    return "\n\n".join(parts)
