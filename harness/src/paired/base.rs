//! Base executable of a comparison: from a run in the store, a file, or a revision that is built on
//! demand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use reports::history::{BaselineState, HistoryError, Series, Store};
use reports::store::read_run;
use reports::units::counted;
use text::Untrusted;

use super::PairedError;
use super::against::Executable;
use crate::platform::{self, Topology};
use crate::progress::say;

/// Added to a message about an unknown name if git does not have all commits.
const SHALLOW: &str =
    "; this is a shallow clone: fetch more history, as by `git fetch --unshallow`";
/// Number of lines of a failed build that are reported.
const LAST_LINES: usize = 5;

/// A base, with its run if it was specified by one.
pub(crate) struct Base {
    pub(crate) executable: Executable,
    /// Folder of the run.
    pub(crate) run: Option<PathBuf>,
}

impl From<Executable> for Base {
    fn from(executable: Executable) -> Self {
        Base { executable, run: None }
    }
}

/// Finds a base: `accepted`, `latest`, the id or folder of a run, an executable, or a revision of
/// the current git checkout. The first two refer to a series.
pub(crate) fn find(
    name: &str,
    store: &Path,
    series: Option<&Series>,
    report: impl Fn(&str),
) -> Result<Base, PairedError> {
    let path = Path::new(name);
    if path.is_file() {
        let bench = path.canonicalize().map_err(|source| file(path, source))?;
        return Ok(Executable::new(bench, name).into());
    }
    if path.is_dir() {
        return of_run(path, name, store);
    }
    let kept = Store::open(store).ok();
    let hint = match kept.as_ref().map(|kept| kept.resolve(name, series)) {
        Some(Ok(folder)) => {
            let id = folder.file_name().unwrap_or(folder.as_os_str());
            return of_run(&folder, &id.to_string_lossy(), store);
        }
        Some(Err(HistoryError::NoneAccepted(series))) => {
            return Err(none_accepted(series, kept.as_ref())?.into());
        }
        // `accepted` and `latest` are never revisions.
        Some(Err(problem)) if ["accepted", "latest"].contains(&name) => return Err(problem.into()),
        Some(Err(problem)) => format!(" ({problem})"),
        None => String::new(),
    };
    let checkout = Checkout(Path::new("."));
    let unknown = || {
        let shallow = if checkout.is_shallow() { SHALLOW } else { "" };
        let hint = format!("{hint}{shallow}");
        PairedError::NoBase { name: name.to_owned(), store: store.to_owned(), hint }
    };
    let commit = checkout.commit(name).ok_or_else(unknown)?;
    if let Some(difference) = checkout.difference_from(&running_build()) {
        let build = "build it again to compare what is checked out";
        say(&format!("note: the new side is the bench that runs: {difference}; {build}"));
    }
    Ok(built(name, &commit, store, report)?.into())
}

/// The executable of this process, which is the new side.
fn running_build() -> RunningBuild {
    let executable = std::env::current_exe().and_then(fs::metadata);
    let built = executable.and_then(|file| file.modified()).ok();
    RunningBuild { commit: platform::software().git_commit, built }
}

/// Reason for a missing baseline: no run of the suite was ever accepted, or only one on another
/// machine.
fn none_accepted(series: Series, store: Option<&Store>) -> Result<HistoryError, HistoryError> {
    let machine = platform::machine(&Topology::this_machine());
    match store.map(|store| store.baseline_state(&series, &machine)).transpose()? {
        Some(BaselineState::Elsewhere(elsewhere)) => {
            Ok(HistoryError::BaselineElsewhere(Box::new(elsewhere)))
        }
        _ => Ok(HistoryError::NoneAccepted(series)),
    }
}

fn file(path: &Path, source: std::io::Error) -> PairedError {
    PairedError::File { path: path.to_owned(), source }
}

/// Executable of a run.
fn of_run(folder: &Path, name: &str, store: &Path) -> Result<Base, PairedError> {
    let not_kept = || PairedError::NotKept { run: name.to_owned(), store: store.to_owned() };
    let record = read_run(folder).map_err(|_| not_kept())?;
    let fingerprint = &record.software.fingerprint;
    let bench = executable(fingerprint, store).ok_or_else(not_kept)?;
    Ok(Base { executable: Executable::new(bench, name), run: Some(folder.to_owned()) })
}

/// Executable with a fingerprint: from the store, or the one of this process.
pub(crate) fn executable(fingerprint: &str, store: &Path) -> Option<PathBuf> {
    let kept = Store::open(store).ok().and_then(|store| store.executable(fingerprint));
    let is_this = || !fingerprint.is_empty() && platform::executable_fingerprint() == fingerprint;
    kept.or_else(|| is_this().then(std::env::current_exe)?.ok())
}

/// Builds a commit in a separate worktree, unless it was built before.
fn built(
    name: &str,
    commit: &str,
    store: &Path,
    report: impl Fn(&str),
) -> Result<Executable, PairedError> {
    let folder = store.join("bases").join(commit);
    let base = Executable::new(folder.join("bench"), name);
    if base.bench.is_file() {
        return Ok(base);
    }
    fs::create_dir_all(&folder).map_err(|source| file(&folder, source))?;
    let whole = folder.canonicalize();
    let folder = whole.map_err(|source| file(&folder, source))?;
    let log = folder.join("build.log");
    let short = &commit[..12];
    let see = log.escaped();
    report(&format!("building {name} ({short}), see {see}"));
    let tree = folder.join("tree");
    let git = |arguments: &[&str]| Checkout(Path::new(".")).git(arguments);
    let failed = |problem: String| PairedError::Build {
        revision: name.to_owned(),
        problem,
        log: log.clone(),
    };
    // Remove the worktree of a build that was killed.
    let path = tree.to_string_lossy().into_owned();
    let _ = git(&["worktree", "remove", "--force", &path]);
    let _ = git(&["worktree", "prune"]);
    git(&["worktree", "add", "--detach", &path, commit])
        .ok_or_else(|| failed("git can't create a worktree of it".to_owned()))?;
    let result = cargo(&tree, &log).map_err(failed);
    let made = result.and_then(|made| {
        // Renaming makes the complete file visible at once.
        let draft = folder.join("bench.new");
        fs::copy(&made, &draft).map_err(|source| file(&made, source))?;
        fs::rename(&draft, folder.join("bench")).map_err(|source| file(&draft, source))
    });
    let _ = git(&["worktree", "remove", "--force", &path]);
    made.map(|()| base)
}

/// Builds the binary in a folder; returns its path.
fn cargo(tree: &Path, log: &Path) -> Result<PathBuf, String> {
    let output = fs::File::create(log).map_err(|error| error.to_string())?;
    let errors = output.try_clone().map_err(|error| error.to_string())?;
    let status = Command::new("cargo")
        .args("build --release --locked --package harness --bin bench".split(' '))
        .arg("--target-dir")
        .arg(tree.join("target"))
        .current_dir(tree)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .status()
        .map_err(|error| format!("cargo can't be run: {error}"))?;
    if status.success() {
        return Ok(tree.join("target/release/bench"));
    }
    let output = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = output.lines().collect();
    Err(lines[lines.len().saturating_sub(LAST_LINES)..].join(" / "))
}

/// Suffix of builds with uncommitted changes.
const DIRTY: &str = "-dirty";
/// Length of abbreviated commits in messages, as in builds.
const SHORT: usize = 12;

/// A checkout, given by a folder in it.
struct Checkout<'a>(pub(super) &'a Path);

/// The executable that is measured as the new side.
struct RunningBuild {
    /// Commit that it was built from, with a suffix if files differed from it.
    pub(super) commit: Option<String>,
    pub(super) built: Option<SystemTime>,
}

impl Checkout<'_> {
    /// Output of a git command; `None` if it fails.
    pub(super) fn git(&self, arguments: &[&str]) -> Option<String> {
        let mut git = Command::new("git");
        let output = git.current_dir(self.0).args(arguments).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim_end().to_owned())
    }

    /// Commit with this name.
    pub(super) fn commit(&self, name: &str) -> Option<String> {
        if name.starts_with('-') {
            return None;
        }
        self.git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])
    }

    /// True if the clone is shallow.
    pub(super) fn is_shallow(&self) -> bool {
        self.git(&["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true")
    }

    /// Description of the differences between a build and the checked-out files; `None` if there
    /// are none.
    pub(super) fn difference_from(&self, build: &RunningBuild) -> Option<String> {
        let head = self.git(&["rev-parse", "HEAD"])?;
        let Some(built_from) = build.commit.as_deref() else {
            return Some("it does not know which commit it was built from".to_owned());
        };
        let commit = built_from.trim_end_matches(DIRTY);
        if !head.starts_with(commit) {
            let head = head.get(..SHORT).unwrap_or(&head);
            return Some(format!("it was built from {built_from}, but the checkout is at {head}"));
        }
        let newer = self.changed_after(build.built?);
        if let [first, others @ ..] = &newer[..] {
            let others = match others.len() {
                0 => String::new(),
                count => format!(" and {}", counted(count, "other file")),
            };
            return Some(format!("{}{others} changed after it was built", first.escaped()));
        }
        built_from
            .ends_with(DIRTY)
            .then(|| format!("it was built from {commit} with changes that are not committed"))
    }

    /// Files that differ from the checked-out commit and were modified after `moment`.
    fn changed_after(&self, moment: SystemTime) -> Vec<PathBuf> {
        let root = self.git(&["rev-parse", "--show-toplevel"]);
        let Some(root) = root else { return Vec::new() };
        let changed = self.git(&["diff", "--name-only", "-z", "HEAD"]);
        let Some(changed) = changed else { return Vec::new() };
        let is_newer = |file: &PathBuf| {
            let modified = fs::metadata(Path::new(&root).join(file)).and_then(|it| it.modified());
            // A file that was deleted counts as modified.
            modified.map_or(true, |modified| modified > moment)
        };
        let files = changed.split('\0').filter(|file| !file.is_empty()).map(PathBuf::from);
        files.filter(is_newer).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    /// A repository with two commits of one file; `None` without git.
    fn repository() -> Option<TempDir> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let checkout = Checkout(folder.path());
        if checkout.git(&["init", "--quiet"]).is_none() {
            eprintln!("skipped: git can't be run");
            return None;
        }
        for content in ["first", "second"] {
            fs::write(folder.path().join("code.rs"), content).expect("written");
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            let commit = ["commit", "--quiet", "--no-gpg-sign", "-m", content];
            checkout.git(&["add", "code.rs"]).expect("added");
            checkout.git(&[&identity[..], &commit[..]].concat()).expect("committed");
        }
        Some(folder)
    }

    #[test]
    fn builds_of_the_checkout_are_recognised() {
        let Some(folder) = repository() else { return };
        let checkout = Checkout(folder.path());
        let head = checkout.commit("HEAD").expect("a commit");
        let before = checkout.commit("HEAD~1").expect("a commit");
        let hour = Duration::from_secs(3600);
        let difference = |commit: &str, built: SystemTime| {
            let commit = Some(commit.to_owned());
            checkout.difference_from(&RunningBuild { commit, built: Some(built) })
        };
        let now = SystemTime::now();
        assert_eq!(difference(&head[..SHORT], now + hour), None);
        let other = difference(&before[..SHORT], now + hour).expect("another commit");
        assert!(other.contains(&format!("the checkout is at {}", &head[..SHORT])), "{other}");
        let dirty = difference(&format!("{}{DIRTY}", &head[..SHORT]), now + hour);
        assert!(dirty.expect("dirty").contains("not committed"));
        fs::write(folder.path().join("code.rs"), "third").expect("written");
        assert_eq!(difference(&head[..SHORT], now + hour), None, "it has that change");
        let newer = difference(&head[..SHORT], now - hour).expect("newer");
        assert_eq!(newer, "code.rs changed after it was built");
    }

    #[test]
    fn a_clone_of_the_last_commit_is_shallow() {
        let Some(folder) = repository() else { return };
        let whole = Checkout(folder.path());
        let url = format!("file://{}", folder.path().to_string_lossy());
        whole.git(&["clone", "--quiet", "--depth", "1", &url, "clone"]).expect("cloned");
        let clone = folder.path().join("clone");
        let clone = Checkout(&clone);
        assert!(clone.is_shallow() && !whole.is_shallow());
        assert!(clone.commit("HEAD~1").is_none() && whole.commit("HEAD~1").is_some());
    }
}
