#!/usr/bin/env python3
"""One comment in a pull request, with a section for each suite, updated in place.

    scripts/pull-request/comment.py RESULTS

RESULTS is the folder `results` of scripts/pull-request.sh. The section goes to the job's summary, too, and only there
if the token may not comment. From the environment:

    REPOSITORY, PULL_REQUEST, GH_TOKEN   of GitHub; without a pull request there is no comment
    HEAD_OWNER, HEAD_BRANCH              the pull request of this branch, whose commit is EXPECTED_HEAD
    COMMENT_AUTHOR                       whose comment is updated     [github-actions[bot]]
    COMMENT                              false: only the summary
    STATUS                               true: the commit gets a status, too
    EXPECTED_HEAD                        the results have to be of this commit, if it is given
    ARTIFACT_URL, RUN_URL                what the comment links to
    CI_API_V4_URL, CI_MERGE_REQUEST_PROJECT_ID, CI_MERGE_REQUEST_IID, GITLAB_TOKEN   of GitLab
"""

import os
import re
import sys
from pathlib import Path

import section
from hosts import GitHub, GitLab, Host, HostError, ReadOnly, pull_request_of

MARKER = "<!-- recobench: pull request -->"
MAX_COMMENT = 65_000
SECTION = re.compile(r"<!-- suite (?P<suite>\S+) -->\n(?P<text>.*?)\n<!-- end -->", re.DOTALL)


def merged(earlier: str, suite: str, text: str) -> str:
    """The comment with the section of a suite replaced or added; the suite comes first."""
    sections = {found["suite"]: found["text"] for found in SECTION.finditer(earlier)}
    sections.pop(suite, None)
    body = MARKER
    for name, content in [(suite, text), *sections.items()]:
        part = f"\n<!-- suite {name} -->\n{content}\n<!-- end -->\n"
        # The oldest sections make room for what was measured now.
        if len(body) + len(part) <= MAX_COMMENT:
            body += part
    return body


def post(host: Host, suite: str, text: str) -> str:
    """Creates the comment, or updates the own one: others may have written the marker, too."""
    author = host.author()
    for comment in host.comments():
        if comment.body.startswith(MARKER) and comment.author == author:
            host.update(comment, merged(comment.body, suite, text))
            return "updated"
    host.create(merged("", suite, text))
    return "created"


def host_of(environment: dict[str, str]) -> Host | None:
    """The server; none outside of a pull request."""
    if environment.get("COMMENT") == "false":
        return None
    number = environment.get("PULL_REQUEST", "")
    if environment.get("HEAD_OWNER"):
        branch = f"{environment['HEAD_OWNER']}:{environment['HEAD_BRANCH']}"
        number = pull_request_of(environment["REPOSITORY"], branch, environment["EXPECTED_HEAD"])
    if number.isdecimal():
        login = environment.get("COMMENT_AUTHOR") or "github-actions[bot]"
        return GitHub(environment["REPOSITORY"], int(number), login)
    if environment.get("CI_MERGE_REQUEST_IID", "").isdecimal():
        request = int(environment["CI_MERGE_REQUEST_IID"])
        project = environment["CI_MERGE_REQUEST_PROJECT_ID"]
        return GitLab(environment["CI_API_V4_URL"], project, request, environment.get("GITLAB_TOKEN", ""))
    return None


def summarise(environment: dict[str, str], text: str) -> None:
    """The section in the page of the job, or in its log."""
    if environment.get("GITHUB_STEP_SUMMARY"):
        with open(environment["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:
            summary.write(text + "\n")
    else:
        print(text)


def main(folder: Path, environment: dict[str, str]) -> None:
    results = section.read(folder)
    expected = environment.get("EXPECTED_HEAD", "")
    is_of_another = section.COMMIT.fullmatch(expected) and results.head not in (expected, section.UNKNOWN)
    if is_of_another:
        raise section.BadResults(f"the results are of commit {results.head}, not of {expected}")
    text = section.render(results, environment.get("ARTIFACT_URL", ""), environment.get("RUN_URL", ""))
    summarise(environment, text)
    target = host_of(environment)
    if target is None:
        return
    try:
        print(f"comment: {post(target, results.suite, text)}")
        if environment.get("STATUS") == "true" and isinstance(target, GitHub):
            target.set_status(expected, f"recobench/{results.suite}", results.exit_code, environment.get("RUN_URL", ""))
    except ReadOnly as problem:
        print(f"comment: none, only in the summary of the job: the token may not comment ({problem})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), dict(os.environ))
    except (section.BadResults, HostError) as problem:
        sys.exit(f"comment: {problem}")
