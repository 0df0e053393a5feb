"""The component for GitLab, templates/pull-request.yml: its inputs, its schema, and its scripts carried out here."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INPUT = re.compile(r"\$\[\[ inputs\.([a-z-]+) \]\]")


def template() -> tuple[dict, str]:
    """The inputs of the component, and the text of its jobs."""
    header, jobs = (ROOT / "templates/pull-request.yml").read_text(encoding="utf-8").split("\n---\n")
    return yaml.safe_load(header)["spec"]["inputs"], jobs


def jobs(**given: str) -> dict:
    """The jobs with inputs or their defaults filled in."""
    inputs, text = template()
    assert given.keys() <= inputs.keys(), given
    values = {name: given.get(name, description["default"]) for name, description in inputs.items()}
    return yaml.safe_load(INPUT.sub(lambda found: json.dumps(values[found[1]]), text))


class Component(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_all_inputs_are_used_and_the_jobs_have_the_form_of_pipelines(self):
        inputs, text = template()
        self.assertEqual(set(INPUT.findall(text)), set(inputs))
        pipeline = self.folder / "pipeline.yml"
        pipeline.write_text(yaml.safe_dump(jobs()))
        command = ["check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", str(pipeline)]
        done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_inputs_are_variables_and_not_parts_of_scripts(self):
        _, text = template()
        self.assertNotRegex(text[text.index("  script:"):], INPUT)

    def run_job(self, finding: str, **inputs: str) -> tuple[int, str]:
        """Runs the scripts of the job in a merge request whose program ends with an exit code."""
        checkout = self.folder / "checkout"
        checkout.mkdir()
        shutil.copy(HERE / "fakes" / "bench", checkout / "bench")
        (checkout / "finding").write_text(finding)
        names = {f"GIT_{role}_{key}": "test" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        git = ["git", "-c", "commit.gpgsign=false"]
        for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "change"]):
            subprocess.run([*git, *arguments], cwd=checkout, env=os.environ | names, check=True)
        (checkout / "scripts").symlink_to(ROOT / "scripts")
        job = jobs(build="mkdir -p out && cp bench out/", binary="out/bench", **inputs)["recobench"]
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=checkout, text=True).strip()
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CI_", "GITHUB_"))}
        environment |= {
            "CI_PROJECT_DIR": str(checkout), "CI_COMMIT_SHA": commit, "CI_MERGE_REQUEST_DIFF_BASE_SHA": commit,
            "CI_JOB_URL": "https://gitlab.test/job/1", "CI_API_V4_URL": "https://gitlab.test/api/v4",
            "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "2", "CALLS": str(self.folder / "calls"),
        }
        for name, value in job["variables"].items():
            environment[name] = re.sub(r"\$([A-Z0-9_]+)", lambda found: environment.get(found[1], ""), value)
        codes, log = [], ""
        for part in ("script", "after_script"):
            lines = ["set -eo pipefail", *job[part]]
            done = subprocess.run(
                ["bash", "-c", "\n".join(lines)], cwd=checkout, env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )
            codes.append(done.returncode)
            log += done.stdout
        self.assertEqual(codes[1], 0, log)
        return codes[0], log

    def test_the_job_reports_a_regression_in_its_log_where_there_is_no_token(self):
        code, log = self.run_job("4")
        self.assertEqual(code, 4, log)
        self.assertIn("### verdicts of smoke", log)
        self.assertIn("[report and samples](https://gitlab.test/job/1/artifacts/browse)", log)
        self.assertIn("set GITLAB_TOKEN", log)
        self.assertTrue((self.folder / "checkout/results/pull-request/results/verdict.json").is_file())

    def test_without_an_accepted_run_nothing_is_compared(self):
        code, log = self.run_job("0", baseline="accepted", store=str(self.folder / "no-store"))
        self.assertEqual(code, 5, log)
        self.assertIn("no run of smoke is accepted in the store", log)


if __name__ == "__main__":
    unittest.main()
