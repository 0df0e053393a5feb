//! Which file has the defaults.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::early::last_value;
use super::trust::{distrust, own_users};
use super::{FLAG, VARIABLE};

/// The name of the file where none is named.
const NAME: &str = "recobench.toml";

/// Folder and environment of a command line.
#[derive(Clone, Debug, Default)]
pub struct CommandEnvironment {
    /// Current folder; `None` to use no file.
    pub folder: Option<PathBuf>,
    /// The file that the environment names; empty for none.
    pub variable: Option<OsString>,
}

impl CommandEnvironment {
    /// Returns the environment of this process.
    pub fn from_this_process() -> Self {
        CommandEnvironment {
            folder: std::env::current_dir().ok(),
            variable: std::env::var_os(VARIABLE),
        }
    }

    /// The file with the defaults: the one that is named, or the nearest one that can be trusted.
    pub(in crate::cli) fn file(&self, arguments: &[OsString]) -> DefaultsFile {
        if let Some(named) = last_value(arguments, &format!("--{FLAG}")) {
            return DefaultsFile::named(named);
        }
        match (&self.variable, &self.folder) {
            (Some(none), _) if none.is_empty() => DefaultsFile::default(),
            (Some(named), _) => DefaultsFile::named(named.clone()),
            (None, Some(folder)) => DefaultsFile::nearest(folder),
            (None, None) => DefaultsFile::default(),
        }
    }
}

/// The file of defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct DefaultsFile {
    /// Path, if found.
    pub file: Option<PathBuf>,
    /// Notes on nearer ones that are not trusted.
    pub notes: Vec<String>,
}

impl DefaultsFile {
    fn named(file: OsString) -> Self {
        DefaultsFile { file: Some(file.into()), notes: Vec::new() }
    }

    /// Looks in a folder and in those above it.
    fn nearest(folder: &Path) -> Self {
        let mut found = DefaultsFile::default();
        let users = own_users();
        let files = folder.ancestors().map(|folder| folder.join(NAME));
        for file in files.filter(|file| file.is_file()) {
            match distrust(&file, &users) {
                Some(note) => found.notes.push(note),
                None => return DefaultsFile { file: Some(file), ..found },
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

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
        let mut here = CommandEnvironment { folder: Some(below), variable: None };
        let plain = arguments("bench sort");
        assert_eq!(here.file(&plain).file, Some(file.clone()));
        here.variable = Some("env.toml".into());
        assert_eq!(here.file(&plain).file, Some("env.toml".into()));
        for line in ["bench --config c.toml sort", "bench sort --config=c.toml"] {
            assert_eq!(here.file(&arguments(line)).file, Some("c.toml".into()));
        }
        here.variable = Some("".into());
        assert_eq!(here.file(&plain), DefaultsFile::default());
        assert_eq!(CommandEnvironment::default().file(&plain), DefaultsFile::default());
    }

    #[test]
    fn a_file_that_all_can_write_gives_way_to_one_above_it() {
        let top = tempfile::tempdir().expect("a folder");
        let below = top.path().join("a");
        fs::create_dir(&below).expect("made");
        let [above, near] = [top.path(), &below].map(|folder| folder.join(NAME));
        for file in [&above, &near] {
            fs::write(file, "").expect("written");
        }
        fs::set_permissions(&near, fs::Permissions::from_mode(0o666)).expect("permitted");
        let here = CommandEnvironment { folder: Some(below), variable: None };
        let found = here.file(&arguments("bench sort"));
        assert_eq!(found.file, Some(above));
        let [note] = &found.notes[..] else { panic!("{found:?}") };
        assert!(
            note.contains("a/recobench.toml is ignored") && note.contains("--config"),
            "{note}"
        );
    }
}
