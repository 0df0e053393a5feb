#!/usr/bin/env python3
"""`/bench SUITE`, written as a comment in a pull request with the permission to write to the repository.

    scripts/pull-request/command.py

Prints the outputs of a step of a workflow: `suite`, `head`, `base` and `fork`, or nothing if the comment is no command.
From the environment: COMMENT_BODY, COMMENT_USER, REPOSITORY, PULL_REQUEST and GH_TOKEN.
"""

import json
import os
import re
import sys

import section
import suite
from hosts import HostError, gh

COMMAND = re.compile(r"/bench(?:[ \t]+(?P<suite>.*))?")
USER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
DEFAULT_SUITE = "smoke"
# `maintain` is reported as write.
MAY_COMMAND = ("admin", "write")


class Refused(RuntimeError):
    """The command is not carried out."""


def requested_suite(comment: str) -> str | None:
    """The suite of the first line of a comment, or none if that is no command."""
    lines = comment.strip().splitlines()
    command = COMMAND.fullmatch(lines[0].strip()) if lines else None
    if command is None:
        return None
    return suite.checked((command["suite"] or DEFAULT_SUITE).strip())


def check_permission(repository: str, user: str) -> None:
    """Requires the permission to write: a command takes time of the runners."""
    if not USER.fullmatch(user):
        raise Refused(f"{user!r} may not give commands")
    permission = json.loads(gh([f"repos/{repository}/collaborators/{user}/permission"]))["permission"]
    if permission not in MAY_COMMAND:
        raise Refused(f"{user} may not give commands: the permission is {permission!r}, not write")


def outputs(environment: dict[str, str]) -> dict[str, str]:
    """The outputs of the step; none if the comment is no command."""
    name = requested_suite(environment["COMMENT_BODY"])
    if name is None:
        return {}
    repository = environment["REPOSITORY"]
    check_permission(repository, environment["COMMENT_USER"])
    pull = json.loads(gh([f"repos/{repository}/pulls/{int(environment['PULL_REQUEST'])}"]))
    head, base = pull["head"], pull["base"]
    if pull["state"] != "open":
        raise Refused("the pull request is closed")
    if not all(section.COMMIT.fullmatch(side["sha"]) for side in (head, base)):
        raise HostError("the pull request has no commits")
    # The repository of a head is null once a fork is deleted.
    is_fork = (head["repo"] or {}).get("full_name") != repository
    return {"suite": name, "head": head["sha"], "base": base["sha"], "fork": str(is_fork).lower()}


if __name__ == "__main__":
    try:
        for key, value in outputs(dict(os.environ)).items():
            print(f"{key}={value}")
    except (Refused, HostError, suite.BadSuite) as problem:
        sys.exit(f"command: {problem}")
