"""The steps of action.yml, carried out here: with a stand-in for `gh`, and for the program or with a real one (BENCH)."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import comment
from local_action import LocalAction

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARTIFACT = "https://github.test/artifact/1"
TINY_SUITE = """
name = "tiny"
[defaults]
threads = 1
samples = "10..20"
max-time = "100ms"
[[task]]
name = "sort"
variants = ["std-stable"]
axes = { digis = "2k", segments = 24 }
"""


class Action(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        shutil.copy(HERE / "fakes" / "bench", self.checkout / "bench")
        self.base = self.commit("0")
        self.head = self.commit("0")
        self.state = self.folder / "gh.json"
        self.server(token="write")

    def git(self, *arguments):
        names = {f"GIT_{role}_{key}": "test" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        command = ["git", "-c", "commit.gpgsign=false", *arguments]
        done = subprocess.run(command, cwd=self.checkout, env=os.environ | names, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, finding):
        """A commit whose program ends with an exit code."""
        (self.checkout / "finding").write_text(finding)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change")
        return self.git("rev-parse", "HEAD")

    def server(self, token, server=True, comments=()):
        state = {"token": token, "server": server, "comments": list(comments), "calls": []}
        self.state.write_text(json.dumps(state))

    def act(self, build="mkdir -p out && cp bench out/", **inputs):
        """Runs the action; returns the exit codes of its steps."""
        (self.folder / "temp").mkdir(exist_ok=True)
        action = LocalAction(ROOT, {
            "runner.temp": str(self.folder / "temp"),
            "github.repository": "owner/name",
            "github.server_url": "https://github.test",
            "github.run_id": "9",
            "github.token": "token",
            "github.event.pull_request.number": "7",
            "github.event.pull_request.head.sha": self.head,
            "github.event.pull_request.base.sha": self.base,
            "steps.upload.outputs.artifact-url": ARTIFACT,
        })
        self.summary = self.folder / "summary.md"
        self.summary.write_text("")
        environment = {
            "PATH": f"{HERE / 'fakes'}:{os.environ['PATH']}",
            "GH_STATE": str(self.state),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "CALLS": str(self.folder / "calls"),
        }
        all_inputs = {"build": build, "binary": "out/bench"} | {k.replace("_", "-"): v for k, v in inputs.items()}
        self.steps = action.run(all_inputs, self.checkout, environment)
        self.log = "".join(step.log for step in self.steps)
        return {step.name: step.exit_code for step in self.steps}

    def comments(self):
        return [entry["body"] for entry in json.loads(self.state.read_text())["comments"]]

    def calls(self):
        path = self.folder / "calls"
        return path.read_text() if path.exists() else ""

    def assert_accepts_nothing(self):
        self.assertNotIn("accept ", self.calls())
        calls = json.loads(self.state.read_text())["calls"]
        self.assertFalse([call for call in calls if call[0] == "release" and call[1] != "list"], calls)

    def test_the_first_comment_has_verdicts_and_a_link_and_later_ones_update_it(self):
        codes = self.act()
        self.assertEqual(set(codes.values()), {0}, self.log)
        (body,) = self.comments()
        for part in ("### verdicts of smoke", f"[report and samples]({ARTIFACT})", self.head[:12], self.base[:12]):
            self.assertIn(part, body)
        self.assertIn("shared runner", body)
        self.act(suite="sort-shapes")
        self.head = self.commit("0")
        self.act()
        (body,) = self.comments()
        self.assertEqual(body.count("verdicts of"), 2, body)
        self.assertIn(f"## `smoke`: `{self.head[:12]}`", body)
        self.assertIn("verdicts of sort-shapes", body)
        self.assertIn("### verdicts of smoke", self.summary.read_text())
        self.assert_accepts_nothing()

    def test_comments_of_others_stay_even_with_the_marker(self):
        other = {"id": 0, "user": {"login": "someone"}, "body": comment.MARKER}
        self.server("write", comments=[other])
        self.act()
        self.assertEqual(len(self.comments()), 2)
        self.assertEqual(self.comments()[0], comment.MARKER)

    def test_each_finding_fails_the_check_and_is_in_the_comment(self):
        for code, words in ((4, "a point is slower"), (3, "an output was wrong"), (5, "not everything")):
            self.head = self.commit(str(code))
            codes = self.act()
            self.assertEqual(codes.pop("verdict"), code, self.log)
            self.assertEqual(set(codes.values()), {0}, self.log)
            self.assertIn(f"exit code {code}: {words}", self.comments()[0])

    def test_the_base_is_where_the_branches_part(self):
        self.git("checkout", "--quiet", "-b", "later", self.base)
        later = self.commit("3")
        parted, self.base = self.base, later
        self.act()
        self.assertIn(f"base {parted}", (self.folder / "temp/recobench/results/result.txt").read_text())

    def test_a_fork_without_a_token_gets_the_summary(self):
        self.server(token="read")
        self.head = self.commit("4")
        codes = self.act(token="")
        self.assertEqual((codes["comment"], codes["verdict"]), (0, 4), self.log)
        self.assertEqual(self.comments(), [])
        self.assertIn("### verdicts of smoke", self.summary.read_text())
        self.assertIn("only in the summary", self.log)

    def test_a_build_that_fails_is_reported(self):
        codes = self.act(build="echo no compiler >&2; exit 7")
        self.assertEqual((codes["build"], codes["verdict"]), (1, 1), self.log)
        self.assertNotIn("measure", codes)
        self.assertIn("the head", self.comments()[0])
        self.assertIn("is not built", self.comments()[0])

    def test_a_baseline_that_is_missing_is_an_error_and_no_new_one(self):
        codes = self.act(baseline="accepted")
        self.assertEqual(codes["verdict"], 5, self.log)
        self.assertIn("no run of smoke is accepted in the store", self.comments()[0])
        self.assertNotIn("run smoke", self.calls())
        self.server("write", server=False)
        codes = self.act(baseline="accepted")
        self.assertEqual((codes["prepare"], codes["verdict"]), (5, 5), self.log)
        self.assertIn("the store of runs can't be read", self.comments()[0])
        self.assert_accepts_nothing()

    def test_an_accepted_run_of_a_folder_is_compared_with_and_the_folder_stays_as_it_is(self):
        store = self.folder / "store"
        store.mkdir()
        (self.checkout / "accepted").write_text("20260101T000000Z-smoke\n")
        self.head = self.commit("0")
        codes = self.act(baseline="accepted", store=str(store))
        self.assertEqual(set(codes.values()), {0}, self.log)
        self.assertIn("run smoke --against 20260101T000000Z-smoke", self.calls())
        self.assertNotIn(f"--store {store}", self.calls())
        self.assertIn("against the accepted run", self.comments()[0])
        self.assertFalse((self.folder / "temp/recobench/base").exists())
        self.assert_accepts_nothing()

    def test_a_hostile_suite_runs_nothing_and_is_not_repeated_in_a_comment(self):
        for name in ("$(touch pwned)", "smoke; `touch pwned`", "--help", "a\nexit-code 0"):
            codes = self.act(suite=name)
            self.assertEqual(codes["prepare"], 2, self.log)
            self.assertEqual(codes["verdict"], 2, self.log)
            self.assertNotIn("build", codes)
        self.assertEqual(self.comments(), [])
        self.assertEqual(list(self.folder.rglob("pwned")), [])

    def test_hostile_commits_and_flags_are_refused(self):
        for inputs in ({"base": "--output=x"}, {"head": "$(id)"}, {"baseline": "newest"}):
            codes = self.act(**inputs)
            self.assertEqual(codes["verdict"], 2, self.log)
            self.assertNotIn("measure", codes)

    @unittest.skipUnless(os.environ.get("BENCH"), "skipped: BENCH names no program")
    def test_a_real_program_measures_itself(self):
        (self.checkout / "tiny.toml").write_text(TINY_SUITE)
        self.head = self.commit("0")
        program = Path(os.environ["BENCH"]).resolve()
        flags = "--no-charts --no-ceilings --quiet"
        codes = self.act(build=f"mkdir -p out && cp {program} out/bench", suite="tiny.toml", budget="30s", flags=flags)
        # A busy machine judges not all points (5), and may see a difference (4).
        self.assertIn(codes["verdict"], (0, 4, 5), self.log)
        results = self.folder / "temp/recobench/results"
        for name in ("verdict.md", "verdict.json", "verdict.xml", "report.html", "run/summary.csv"):
            self.assertGreater((results / name).stat().st_size, 0, name)
        (body,) = self.comments()
        self.assertIn("rror rate", body)
        self.assertIn("std-stable", body)


if __name__ == "__main__":
    unittest.main()
