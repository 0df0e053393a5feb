//! The file of a report: relative links in it, and protection of files that are not reports.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, absolute};

use text::Untrusted;

use crate::failure::Failure;

/// A relative link to `target` in a file at `from`, as a browser takes it;
/// `None` if the current folder is not known.
pub(super) fn relative_link(from: &Path, target: &Path) -> Option<String> {
    let from = steps_to(from)?;
    let target = steps_to(target)?;
    let (_, folder) = from.split_last()?;
    let common = std::iter::zip(folder, &target).take_while(|(a, b)| a == b);
    let common = common.count();
    let up = folder[common..].iter().map(|_| "..".to_owned());
    let down = target[common..].iter().map(|name| encoded(name));
    let steps: Vec<String> = up.chain(down).collect();
    Some(steps.join("/"))
}

/// The folders on the way to a file, and its name, without detours.
fn steps_to(path: &Path) -> Option<Vec<OsString>> {
    let mut steps = Vec::new();
    for component in absolute(path).ok()?.components() {
        match component {
            Component::Normal(name) => steps.push(name.to_owned()),
            Component::ParentDir => drop(steps.pop()),
            _ => (),
        }
    }
    Some(steps)
}

/// A name with all that means something in a link as `%` and two digits.
fn encoded(name: &OsStr) -> String {
    let mut text = String::new();
    for byte in name.as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            // Writing to a text does not fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

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
pub(in crate::commands) fn check_overwrite(path: &Path, force: bool) -> Result<(), Failure> {
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
    fn links_lead_from_the_folder_of_the_report() {
        let link = |a: &str, b: &str| relative_link(Path::new(a), Path::new(b));
        let expected = |text: &str| Some(text.to_owned());
        assert_eq!(link("/a/r.html", "/a/run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/b/r.html", "/a/run/s.csv"), expected("../run/s.csv"));
        assert_eq!(link("../r.html", "../run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("r.html", "run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/r.html", "/a/50 % #1/s"), expected("50%20%25%20%231/s"));
    }

    #[test]
    fn reports_may_be_replaced_and_other_files_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |text: &str| {
            let path = folder.path().join("file");
            fs::write(&path, text).expect("written");
            [false, true].map(|force| check_overwrite(&path, force).is_ok())
        };
        let page = format!("<!DOCTYPE html><head>{OF_PAGES}0.1.0\"></head>");
        assert_eq!(check(&page), [true, true]);
        assert_eq!(check("## sort\n\nMeasured on a CPU.\n"), [true, true]);
        assert_eq!(check(""), [true, true]);
        assert_eq!(check("## My thesis\n"), [false, true]);
        assert_eq!(check("a,b\n1,2\n"), [false, true]);
        assert!(check_overwrite(&folder.path().join("none"), false).is_ok());
    }
}
