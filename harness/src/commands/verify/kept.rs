//! An input on which a variant is wrong, as a file.

use std::path::{Path, PathBuf};

use algorithms::axis::Params;
use algorithms::task::Case;

use super::Subject;

/// Where such inputs go.
const FOLDER: &str = "results/verify";

/// A file with an input.
pub(super) struct Kept {
    pub(super) path: PathBuf,
    /// How much there is to do.
    pub(super) items: u64,
}

/// Writes an input down. Files don't hold all that memory does; `None` if the
/// variant is right on what is read from it, or if it can't be written.
pub(super) fn keep(
    subject: &Subject<'_>,
    case: &dyn Case,
    is_wrong: impl Fn(&dyn Case) -> bool,
) -> Option<Kept> {
    let folder = Path::new(FOLDER);
    std::fs::create_dir_all(folder).ok()?;
    let device = subject.way.device.to_string().replace(':', "");
    let (task, variant) = (subject.task.name(), subject.variant);
    let ending = subject.task.file_ending();
    let path = folder.join(format!("{task}-{variant}-{device}.{ending}"));
    case.write(&path).ok()?;
    let read = subject.task.read(&path, &Params::default()).ok()?;
    let items = read.work().items;
    is_wrong(read.as_ref()).then_some(Kept { path, items })
}
