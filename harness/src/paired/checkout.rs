//! Git checkout of the current folder, as far as it matters for comparisons with one of its
//! revisions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use reports::units::counted;
use text::Untrusted;

/// Suffix of builds with uncommitted changes.
const DIRTY: &str = "-dirty";
/// Length of abbreviated commits in messages, as in builds.
const SHORT: usize = 12;

/// A checkout, given by a folder in it.
pub(super) struct Checkout<'a>(pub(super) &'a Path);

/// The executable that is measured as the new side.
pub(super) struct RunningBuild {
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
