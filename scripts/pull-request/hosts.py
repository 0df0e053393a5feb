"""Comments of a pull request of GitHub (by the program `gh`) and of a merge request of GitLab."""

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Protocol

PER_PAGE = 100
TIMEOUT_S = 30


class HostError(RuntimeError):
    """The server refused a request, or could not be reached."""


class ReadOnly(HostError):
    """The token may read only, or there is none, as in pull requests from forks."""


@dataclass(frozen=True)
class Comment:
    """A comment by its identifier on the server."""

    id: int
    author: str
    body: str


class Host(Protocol):
    """A server that has the pull request."""

    def author(self) -> str: ...
    def comments(self) -> list[Comment]: ...
    def create(self, body: str) -> None: ...
    def update(self, comment: Comment, body: str) -> None: ...


@dataclass(frozen=True)
class GitHub:
    """A pull request of a repository `owner/name`."""

    repository: str
    pull_request: int
    login: str

    def author(self) -> str:
        return self.login

    def comments(self) -> list[Comment]:
        path = f"repos/{self.repository}/issues/{self.pull_request}/comments?per_page={PER_PAGE}"
        pages = json.loads(gh(["--paginate", "--slurp", path]))
        return [Comment(entry["id"], entry["user"]["login"], entry["body"] or "") for page in pages for entry in page]

    def create(self, body: str) -> None:
        path = f"repos/{self.repository}/issues/{self.pull_request}/comments"
        gh(["--method", "POST", path, "--input", "-"], {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        path = f"repos/{self.repository}/issues/comments/{comment.id}"
        gh(["--method", "PATCH", path, "--input", "-"], {"body": body})

    def set_status(self, commit: str, context: str, exit_code: int, address: str) -> None:
        """The check of a commit, where the workflow itself is none: one that a comment has started."""
        state = "success" if exit_code == 0 else "failure"
        status = {"state": state, "context": context, "description": f"exit code {exit_code}", "target_url": address}
        gh(["--method", "POST", f"repos/{self.repository}/statuses/{commit}", "--input", "-"], status)


def pull_request_of(repository: str, branch: str, head: str) -> str:
    """Number of the open pull request of a branch `owner:name` with this commit; empty if there is none."""
    query = urllib.parse.urlencode({"state": "open", "head": branch})
    pulls = json.loads(gh([f"repos/{repository}/pulls?{query}"]))
    return next((str(pull["number"]) for pull in pulls if pull["head"]["sha"] == head), "")


def gh(arguments: list[str], body: dict | None = None) -> str:
    """Calls the API of GitHub; `gh` takes the token from GH_TOKEN."""
    content = None if body is None else json.dumps(body)
    try:
        done = subprocess.run(["gh", "api", *arguments], input=content, capture_output=True, text=True, check=False)
    except FileNotFoundError as problem:
        raise HostError("there is no `gh`: install the GitHub CLI") from problem
    if done.returncode == 0:
        return done.stdout
    message = done.stderr.strip() or f"gh exited with {done.returncode}"
    is_read_only = any(sign in message for sign in ("HTTP 401", "HTTP 403", "gh auth login", "GH_TOKEN"))
    raise (ReadOnly if is_read_only else HostError)(message)


@dataclass(frozen=True)
class GitLab:
    """A merge request of a project, by the address of the API and the project's id."""

    api: str
    project: str
    merge_request: int
    token: str

    def author(self) -> str:
        return self.call("GET", "/user")["username"]

    def comments(self) -> list[Comment]:
        notes: list[Comment] = []
        page = 1
        while True:
            entries = self.call("GET", f"{self.notes()}?per_page={PER_PAGE}&page={page}")
            notes += [Comment(note["id"], note["author"]["username"], note["body"]) for note in entries]
            if len(entries) < PER_PAGE:
                return notes
            page += 1

    def create(self, body: str) -> None:
        self.call("POST", self.notes(), {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        self.call("PUT", f"{self.notes()}/{comment.id}", {"body": body})

    def notes(self) -> str:
        return f"/projects/{self.project}/merge_requests/{self.merge_request}/notes"

    def call(self, method: str, path: str, body: dict | None = None) -> Any:
        if not self.token:
            raise ReadOnly("there is no token: set GITLAB_TOKEN, a project access token with the scope api")
        address = self.api + path
        content = None if body is None else json.dumps(body).encode()
        headers = {"PRIVATE-TOKEN": self.token, "Content-Type": "application/json"}
        request = urllib.request.Request(address, content, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as problem:
            kind = ReadOnly if problem.code in (401, 403) else HostError
            raise kind(f"{method} {address}: HTTP {problem.code} {problem.reason}") from problem
        except OSError as problem:
            raise HostError(f"{method} {address}: {problem}") from problem
