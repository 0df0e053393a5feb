//! Names of files that belong together. Names are bytes, and need not be UTF-8.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Bytes of a file's name without its folder.
pub fn name_bytes(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_bytes()
}

/// The name of a file without folder and endings: `digis` of `a/digis.bin.gz`.
pub fn stem(path: &Path) -> &[u8] {
    let name = without_gz(path);
    name.iter().rposition(|&byte| byte == b'.').map_or(name, |dot| &name[..dot])
}

/// The name of a file without folder and `.gz`.
pub(super) fn without_gz(path: &Path) -> &[u8] {
    let name = name_bytes(path);
    name.strip_suffix(b".gz").unwrap_or(name)
}

/// Path of a file next to another one, by the parts of its name.
pub fn next_to(path: &Path, name: &[&[u8]]) -> PathBuf {
    path.with_file_name(OsString::from_vec(name.concat()))
}

/// Path of a file next to another one, whose name it has with another ending.
pub fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    next_to(path, &[stem(path), b".", ending.as_bytes()])
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn names_lose_their_endings() {
        let name = |digis: &str| sibling_path(Path::new(digis), "setup.json");
        assert_eq!(name("a/digis.csv"), Path::new("a/digis.setup.json"));
        assert_eq!(name("digis.bin.gz"), Path::new("digis.setup.json"));
        assert_eq!(name("run.7.csv.gz"), Path::new("run.7.setup.json"));
    }

    #[test]
    fn names_keep_bytes_that_are_not_utf8() {
        let path = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
        for (name, sibling) in [
            (path(b"d\xff/a\xff.csv"), path(b"d\xff/a\xff.setup.json")),
            (path(b"a\xfe_%n.tsa.gz"), path(b"a\xfe_%n.setup.json")),
        ] {
            assert_eq!(sibling_path(name, "setup.json"), sibling);
        }
    }
}
