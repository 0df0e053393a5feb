//! Which file has the defaults.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::early::last_value;
use super::FLAG;

/// The name of the file where none is named.
const NAME: &str = "recobench.toml";

/// The variable that names the file; empty for none.
const VARIABLE: &str = "RECOBENCH_CONFIG";

/// What a command line is read in.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The current folder; `None` to look for no file.
    pub folder: Option<PathBuf>,
    /// The file that the environment names; empty for none.
    pub variable: Option<OsString>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process() -> Self {
        Surroundings { folder: std::env::current_dir().ok(), variable: std::env::var_os(VARIABLE) }
    }

    /// The file with the defaults: the one that is named, or the nearest one.
    pub(in crate::cli) fn file(&self, arguments: &[OsString]) -> Option<PathBuf> {
        if let Some(named) = last_value(arguments, &format!("--{FLAG}")) {
            return Some(named.into());
        }
        match &self.variable {
            Some(none) if none.is_empty() => None,
            Some(named) => Some(named.into()),
            None => self.folder.as_deref().and_then(nearest),
        }
    }
}

/// The file in a folder, or in the nearest one above it.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let files = folder.ancestors().map(|folder| folder.join(NAME));
    files.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn arguments(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_flag_goes_before_the_variable_and_this_before_folders() {
        let top = tempfile::tempdir().expect("a folder");
        let below = top.path().join("a/b");
        fs::create_dir_all(&below).expect("made");
        let file = top.path().join(NAME);
        fs::write(&file, "").expect("written");
        let mut here = Surroundings { folder: Some(below), variable: None };
        let plain = arguments("bench sort");
        assert_eq!(here.file(&plain), Some(file));
        here.variable = Some("env.toml".into());
        assert_eq!(here.file(&plain), Some("env.toml".into()));
        for line in ["bench --config c.toml sort", "bench sort --config=c.toml"] {
            assert_eq!(here.file(&arguments(line)), Some("c.toml".into()));
        }
        here.variable = Some("".into());
        assert_eq!(here.file(&plain), None);
        assert_eq!(Surroundings::default().file(&plain), None);
    }
}
