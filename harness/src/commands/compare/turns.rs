//! Rounds of processes that take turns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::measure::new_folder;

/// Rounds that were measured, and by whom.
pub(super) struct Turns<'a> {
    folder: PathBuf,
    base_bench: Option<&'a Path>,
    new_bench: &'a Path,
    /// The base's run folders, round by round; none without its executable.
    pub(super) base: Vec<PathBuf>,
    /// Those of the new executable.
    pub(super) new: Vec<PathBuf>,
}

impl<'a> Turns<'a> {
    /// In a new folder.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn new(base_bench: Option<&'a Path>, new_bench: &'a Path) -> Result<Self, Failure> {
        let made = new_folder("confirm");
        let folder = made.map_err(|(path, source)| Failure::Write { path, source })?;
        Ok(Turns {
            folder,
            base_bench,
            new_bench,
            base: Vec::new(),
            new: Vec::new(),
        })
    }

    /// How many there were.
    pub(super) fn rounds(&self) -> usize {
        self.new.len()
    }

    /// Measures all points of a suite, given in TOML, by both executables.
    ///
    /// # Errors
    /// If one of them fails, with what it said.
    pub(super) fn round(&mut self, suite: &str) -> Result<(), Failure> {
        let round = self.rounds() + 1;
        let file = self.folder.join("points.toml");
        fs::write(&file, suite).map_err(|source| Failure::Write {
            path: file.clone(),
            source,
        })?;
        let (base_out, new_out) = (
            self.folder.join(format!("base-{round}")),
            self.folder.join(format!("new-{round}")),
        );
        let base = self.base_bench.map(|bench| (bench, base_out.as_path()));
        let mut order = vec![(self.new_bench, new_out.as_path())];
        order.extend(base);
        // The base begins, then the new one, and so on.
        if round % 2 == 1 {
            order.reverse();
        }
        for (bench, out) in order {
            sitting(bench, &file, out)?;
        }
        self.base.extend(base.map(|_| base_out.clone()));
        self.new.push(new_out.clone());
        Ok(())
    }
}

/// A process that measures all points a little.
fn sitting(bench: &Path, suite: &Path, out: &Path) -> Result<(), Failure> {
    let failure = |problem: String| Failure::Confirm {
        bench: bench.to_owned(),
        problem,
    };
    let output = Command::new(bench)
        .arg("run")
        .arg(suite)
        .arg("--out")
        .arg(out)
        .args(["--no-charts", "--no-ceilings", "--quiet"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failure(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failure(format!("{}: {}", output.status, said.trim())))
}
