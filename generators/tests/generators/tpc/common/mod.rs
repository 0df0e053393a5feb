//! What these tests share.

pub mod digits;
pub mod slow_reader;

use std::path::PathBuf;

/// A folder of the experiment's data beside the checkout; says so if it is absent,
/// as the test then checks less.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/tpc").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no {}", path.display());
    None
}
