//! Relative paths between files.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Component, Path, absolute};

/// A relative link to `target` in a file at `from`, as a browser takes it;
/// `None` if the current folder is not known.
pub(super) fn from(from: &Path, target: &Path) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_folder_of_the_report() {
        let link = |a: &str, b: &str| from(Path::new(a), Path::new(b));
        let expected = |text: &str| Some(text.to_owned());
        assert_eq!(link("/a/r.html", "/a/run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/b/r.html", "/a/run/s.csv"), expected("../run/s.csv"));
        assert_eq!(link("../r.html", "../run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("r.html", "run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/r.html", "/a/50 % #1/s"), expected("50%20%25%20%231/s"));
    }
}
