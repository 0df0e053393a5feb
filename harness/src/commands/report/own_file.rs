//! Protection of files: reports are overwritten, other files are not.

use std::fs;
use std::path::Path;

use text::Untrusted;

use crate::failure::Failure;

/// Marker of every page.
const OF_PAGES: &str = "<meta name=\"generator\" content=\"recobench ";

/// Start of the last paragraph of every text, or of the one before.
const OF_TEXTS: &str = "\nMeasured on ";

/// Start of every text.
const HEAD_OF_TEXTS: &str = "## ";

/// Checks that the file does not exist or may be overwritten.
///
/// # Errors
/// If the file is not a report, unless `force`.
pub(in crate::commands) fn check(path: &Path, force: bool) -> Result<(), Failure> {
    // A pipe or a terminal is for writing.
    if force || !path.is_file() || fs::read(path).is_ok_and(|bytes| is_report(&bytes)) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is there and no report of recobench; choose another file with --out, or add --force \
         to replace it",
        path.escaped()
    )))
}

fn is_report(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_text = text.starts_with(HEAD_OF_TEXTS) && text.contains(OF_TEXTS);
    text.is_empty() || is_text || text.contains(OF_PAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_may_be_replaced_and_other_files_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |text: &str| {
            let path = folder.path().join("file");
            fs::write(&path, text).expect("written");
            [false, true].map(|force| super::check(&path, force).is_ok())
        };
        let page = format!("<!DOCTYPE html><head>{OF_PAGES}0.1.0\"></head>");
        assert_eq!(check(&page), [true, true]);
        assert_eq!(check("## sort\n\nMeasured on a CPU.\n"), [true, true]);
        assert_eq!(check(""), [true, true]);
        assert_eq!(check("## My thesis\n"), [false, true]);
        assert_eq!(check("a,b\n1,2\n"), [false, true]);
        assert!(super::check(&folder.path().join("none"), false).is_ok());
    }
}
