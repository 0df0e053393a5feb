"""Carries out a composite action on this machine: its `run` steps in their order, with the inputs' defaults.

Only what action.yml needs is understood of the language of workflows; all else is an error.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*([a-z0-9_.-]+)\s*\}\}")


@dataclass
class Step:
    """A step that was carried out."""

    name: str
    exit_code: int
    log: str


@dataclass
class LocalAction:
    """An action, and the contexts that its expressions look values up in."""

    folder: Path
    context: dict[str, str]
    steps: list[Step] = field(default_factory=list)

    def run(self, inputs: dict[str, str], checkout: Path, environment: dict[str, str]) -> list[Step]:
        """Runs all steps; after one that failed, only those that say so."""
        action = yaml.safe_load((self.folder / "action.yml").read_text(encoding="utf-8"))
        unknown = inputs.keys() - action["inputs"].keys()
        assert not unknown, f"inputs that the action does not have: {unknown}"
        for name, description in action["inputs"].items():
            value = inputs.get(name, description.get("default", ""))
            self.context[f"inputs.{name}"] = self.evaluated(value)
        has_failed = False
        for step in action["runs"]["steps"]:
            condition = step.get("if", "${{ success() }}")
            assert condition in ("${{ success() }}", "${{ !cancelled() }}"), condition
            if has_failed and condition == "${{ success() }}":
                continue
            if "uses" in step:
                continue
            has_failed |= self.run_step(step, checkout, environment).exit_code != 0
        return self.steps

    def run_step(self, step: dict, checkout: Path, environment: dict[str, str]) -> Step:
        assert not EXPRESSION.search(step["run"]), f"an expression in a script is an injection: {step['run']}"
        assert step["shell"] == "bash", step
        output = Path(self.context["runner.temp"]) / f"output-{step['id']}"
        output.touch()
        own = {name: self.evaluated(value) for name, value in step.get("env", {}).items()}
        runner = {"GITHUB_ACTION_PATH": str(self.folder), "GITHUB_OUTPUT": str(output)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=checkout, env={**os.environ, **environment, **runner, **own},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        for line in output.read_text(encoding="utf-8").splitlines():
            name, value = line.split("=", 1)
            self.context[f"steps.{step['id']}.outputs.{name}"] = value
        self.steps.append(Step(step["id"], done.returncode, done.stdout))
        return self.steps[-1]

    def evaluated(self, text: object) -> str:
        return EXPRESSION.sub(lambda found: self.context.get(found[1], ""), str(text))
