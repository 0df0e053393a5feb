"""Names of suites, sections, comments and commands, without a server."""

import contextlib
import io
import json
import os
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest import mock

import command
import comment
import hosts
import section
import suite

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HOSTILE = [
    "$(touch pwned)", "`id`", "smoke; rm -rf /", "smoke\nverdict=0", "--out=/etc", "../secret", "a/../b", "/etc/passwd",
    "smoke && curl evil", "a b", "", "x" * 101, "smoke'", 'smoke"', "${{ github.token }}", "a//b", "ä",
]


class Suites(unittest.TestCase):
    def test_names_and_files_pass(self):
        for name in ("smoke", "sort-shapes", "suites/mine.toml", "v1.2_x"):
            self.assertEqual(suite.checked(name), name)

    def test_whatever_a_shell_or_a_path_could_misread_is_refused(self):
        for name in HOSTILE:
            with self.assertRaises(suite.BadSuite, msg=name):
                suite.checked(name)


def results(folder: str, verdict: str = "### No regression found\n", **fields: str) -> Path:
    """Writes a folder of results."""
    known = {"suite": "smoke", "baseline": "base", "head": COMMIT, "base": COMMIT[::-1], "exit-code": "0"}
    path = Path(folder)
    lines = [f"{key} {value}\n" for key, value in (known | {k.replace("_", "-"): v for k, v in fields.items()}).items()]
    (path / "result.txt").write_text("".join(lines), encoding="utf-8")
    (path / "verdict.md").write_text(verdict, encoding="utf-8")
    return path


class Sections(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def rendered(self, *arguments, **fields):
        return section.render(section.read(results(self.folder, *arguments, **fields)), "https://a", "https://r")

    def test_a_section_has_verdict_links_and_what_the_runner_can_show(self):
        text = self.rendered(exit_code="4")
        self.assertIn("### No regression found", text)
        self.assertIn("[report and samples](https://a) · [log](https://r) · exit code 4: a point is slower", text)
        self.assertIn("shared runner", text)
        self.assertIn("No baseline is accepted", text)
        self.assertIn("dedicated runner", self.rendered(runner="dedicated"))

    def test_without_a_verdict_the_end_of_the_log_is_shown(self):
        (Path(self.folder) / "log.txt").write_text("long ago\n" * 1000 + "bench: no such ``` suite\n")
        text = self.rendered("", exit_code="2")
        self.assertIn("Nothing was compared: the check was called wrongly", text)
        self.assertIn("bench: no such ''' suite\n```", text)
        self.assertLess(len(text), 3000)

    def test_fields_that_are_not_what_the_script_writes_are_refused(self):
        for fields in ({"suite": "$(id)"}, {"head": "main"}, {"exit_code": "4; true"}, {"exit_code": "256"}):
            with self.assertRaises(section.BadResults, msg=str(fields)):
                section.read(results(self.folder, **fields))
        with self.assertRaisesRegex(section.BadResults, "nothing was measured"):
            section.read(Path(self.folder) / "missing")

    def test_markdown_of_others_mentions_links_and_closes_nothing(self):
        text = section.harmless(
            "@all ![x](http://evil/p.png) <img src=x> <!-- end --> #12 <sub>rates</sub>\n[a]: http://evil\n"
        )
        for sign in ("@all", "](", "<img", "<!--", "://", "#12", "[a]:"):
            self.assertNotIn(sign, text)
        self.assertIn("<sub>rates</sub>", text)

    def test_long_markdown_is_cut_and_its_code_closed(self):
        text = section.harmless("```sh\n" + "line\n" * 10_000)
        self.assertLess(len(text), section.MAX_MARKDOWN + 100)
        self.assertEqual(text.count("```"), 2)


class Comments(unittest.TestCase):
    def test_a_section_is_replaced_and_others_stay(self):
        first = comment.merged("", "smoke", "old")
        both = comment.merged(first, "sort-shapes", "sorts")
        again = comment.merged(both, "smoke", "new")
        self.assertTrue(again.startswith(comment.MARKER))
        self.assertEqual(again.count("<!-- suite smoke -->"), 1)
        self.assertNotIn("old", again)
        self.assertIn("sorts", again)

    def test_the_oldest_sections_make_room(self):
        body = ""
        for name in ("a", "b", "c", "d"):
            body = comment.merged(body, name, name * 20_000)
        self.assertLessEqual(len(body), comment.MAX_COMMENT)
        self.assertIn("d" * 20_000, body)
        self.assertNotIn("a" * 20_000, body)


class Commands(unittest.TestCase):
    def test_only_the_first_line_is_a_command(self):
        self.assertEqual(command.requested_suite("/bench sort-shapes\nplease"), "sort-shapes")
        self.assertEqual(command.requested_suite("/bench"), "smoke")
        for text in ("please /bench smoke", "/benchmark", "", "hello\n/bench smoke"):
            self.assertIsNone(command.requested_suite(text), text)
        for name in HOSTILE:
            if name.strip() and "\n" not in name:
                with self.assertRaises(suite.BadSuite, msg=name):
                    command.requested_suite(f"/bench {name}")

    def outputs(self, user="author", permission="write", state="open", head_repository="o/r"):
        repository = None if head_repository is None else {"full_name": head_repository}
        answers = {
            "repos/o/r/collaborators/author/permission": {"permission": permission},
            "repos/o/r/pulls/7": {
                "state": state, "head": {"sha": COMMIT, "repo": repository}, "base": {"sha": COMMIT},
            },
        }
        environment = {
            "COMMENT_BODY": "/bench smoke", "COMMENT_USER": user, "REPOSITORY": "o/r", "PULL_REQUEST": "7",
        }
        with mock.patch.object(command, "gh", lambda arguments: json.dumps(answers[arguments[-1]])):
            return command.outputs(environment)

    def test_those_who_may_write_give_commands(self):
        self.assertEqual(self.outputs(), {"suite": "smoke", "head": COMMIT, "base": COMMIT, "fork": "false"})
        self.assertEqual(self.outputs(head_repository="fork/r")["fork"], "true")
        self.assertEqual(self.outputs(head_repository=None)["fork"], "true")
        for refused in ({"permission": "read"}, {"permission": "none"}, {"state": "closed"}, {"user": "../x"}):
            with self.assertRaises(command.Refused, msg=str(refused)):
                self.outputs(**refused)


class Notes(BaseHTTPRequestHandler):
    """A server of GitLab with one merge request."""

    notes: list[dict] = []

    def answer(self, content):
        allowed = self.headers["PRIVATE-TOKEN"] == "right"
        self.send_response(200 if allowed else 401)
        self.end_headers()
        self.wfile.write(json.dumps(content if allowed else {}).encode())

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):
        page = int(self.path.rsplit("page=", 1)[-1]) if "page=" in self.path else 1
        begin = (page - 1) * hosts.PER_PAGE
        self.answer({"username": "bot"} if self.path == "/user" else self.notes[begin : begin + hosts.PER_PAGE])

    def do_POST(self):
        self.notes.append({"id": len(self.notes), "author": {"username": "bot"}, "body": self.body()})
        self.answer(self.notes[-1])

    def do_PUT(self):
        note = self.notes[int(self.path.rsplit("/", 1)[-1])]
        note["body"] = self.body()
        self.answer(note)

    def log_message(self, *_):
        pass


class GitLabNotes(unittest.TestCase):
    def setUp(self):
        Notes.notes = []
        server = HTTPServer(("127.0.0.1", 0), Notes)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.api = f"http://127.0.0.1:{server.server_port}"

    def test_one_note_is_created_and_then_updated_among_those_of_others(self):
        host = hosts.GitLab(self.api, "1", 2, "right")
        Notes.notes += [{"id": id, "author": {"username": "x"}, "body": comment.MARKER} for id in range(hosts.PER_PAGE)]
        self.assertEqual(comment.post(host, "smoke", "first"), "created")
        self.assertEqual(comment.post(host, "smoke", "second"), "updated")
        self.assertEqual(len(Notes.notes), hosts.PER_PAGE + 1)
        self.assertIn("second", Notes.notes[-1]["body"])
        self.assertEqual(Notes.notes[0]["body"], comment.MARKER)

    def test_a_token_that_reads_only_or_none_leaves_the_summary(self):
        for token in ("", "wrong"):
            with self.assertRaises(hosts.ReadOnly):
                comment.post(hosts.GitLab(self.api, "1", 2, token), "smoke", "text")

    def test_the_environment_of_a_pipeline_leads_to_the_note(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            environment = dict(os.environ) | {
                "CI_API_V4_URL": self.api, "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "2",
                "GITLAB_TOKEN": "right",
            }
            environment.pop("GITHUB_STEP_SUMMARY", None)
            comment.main(results(folder), environment)
        self.assertIn("No regression found", Notes.notes[0]["body"])


if __name__ == "__main__":
    unittest.main()
