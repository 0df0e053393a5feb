//! Defaults of flags from a file, `recobench.toml`.
//!
//! Keys are the long names of flags: at the top for all commands that have such a flag, in a
//! table for one command and its subcommands. Flags on the command line take precedence.
//!
//! A file in the current folder or above it is used because of its location alone, and may name
//! plugins, which are code. On a shared machine any user can put one in `/tmp` or `/scratch`: it is
//! used only if no user other than this one and root can have written it.

mod apply;

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use files::{LARGEST_DOCUMENT, read_text};
use text::Untrusted;

use crate::cli::arguments::last_value;
use crate::document::{self, Entry, Section};
use crate::request::CONFIG_VARIABLE as VARIABLE;
pub(super) use apply::applied;
pub(crate) use apply::with_defaults;

/// The flag that names the file.
const FLAG: &str = "config";

/// The flag of commands that load plugins, and its name on the command line.
const PLUGINS: &str = "plugins";
const PLUGIN: &str = "plugin";

/// A command with the defaults of a file.
///
/// # Errors
/// If the file can't be read, or all its problems.
pub(super) fn read(command: Command, path: &Path) -> Result<Command, String> {
    let name = path.escaped().to_string();
    let text = read_text(path, LARGEST_DOCUMENT)
        .map_err(|error| format!("{name}: {error}; --config takes a TOML file"))?;
    with_defaults(command, &name, &text).map_err(|error| error.to_string())
}

/// The plugins that a file names for any command; none if it can't be read, which [`read`] reports.
pub(super) fn plugins(path: &Path) -> Vec<PathBuf> {
    let text = read_text(path, LARGEST_DOCUMENT).unwrap_or_default();
    let name = path.escaped().to_string();
    let named = document::read(&name, &text, plugins_in).unwrap_or_default();
    named.into_iter().map(PathBuf::from).collect()
}

fn plugins_in(section: Section<'_>) -> Vec<String> {
    let named = |entry: Entry<'_>| match entry.is_section() {
        true => entry.section().map_or_else(Vec::new, plugins_in),
        false if entry.key == PLUGIN => entry.texts(),
        false => Vec::new(),
    };
    section.entries().flat_map(named).collect()
}

/// A note on the plugins that a file names for a command: they are code, and on the command line
/// nothing shows them.
pub(super) fn note_on_plugins(matches: &ArgMatches, file: &Path) -> Option<String> {
    let mut matches = matches;
    while let Some((_, below)) = matches.subcommand() {
        matches = below;
    }
    let is_known = matches.ids().any(|id| id == PLUGINS);
    let is_default = is_known && matches.value_source(PLUGINS) == Some(ValueSource::DefaultValue);
    let named = matches.get_raw(PLUGINS).into_iter().flatten().filter(|_| is_default);
    let named: Vec<String> = named.map(|path| Path::new(path).escaped().to_string()).collect();
    let file = file.escaped();
    (!named.is_empty()).then(|| format!("note: plugins that {file} names: {}", named.join(", ")))
}

/// The flag `--config`, global to all commands.
pub(super) fn flag() -> Arg {
    Arg::new(FLAG)
        .long(FLAG)
        .value_name("FILE")
        .global(true)
        .value_parser(clap::value_parser!(std::path::PathBuf))
        .hide_short_help(true)
        .help_heading("Global")
        .help(
            "File with defaults of flags [default: recobench.toml in this folder or one above it]",
        )
}

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
    pub(super) fn file(&self, arguments: &[OsString]) -> DefaultsFile {
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
pub(super) struct DefaultsFile {
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

const ROOT: u32 = 0;
/// Permission of all users to write.
const WRITABLE_BY_ALL: u32 = 0o002;
/// Mode bit of folders in which users can replace their own files only.
const STICKY: u32 = 0o1000;

/// Returns the users that this process acts for: its own, and the caller of `sudo`.
fn own_users() -> Vec<u32> {
    let caller = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
    users(this_user(), caller)
}

fn users(user: u32, sudo_caller: Option<u32>) -> Vec<u32> {
    // Any user can set the variable, but only the sudo rules make a caller root.
    let caller = sudo_caller.filter(|_| user == ROOT);
    std::iter::once(user).chain(caller).collect()
}

fn this_user() -> u32 {
    // SAFETY: the call has no arguments and can't fail.
    unsafe { libc::geteuid() }
}

/// A note on a file that these users should not trust; `None` for one that is fine.
fn distrust(file: &Path, users: &[u32]) -> Option<String> {
    let reason = reason(file, users).unwrap_or_else(|error| Some(error.to_string()))?;
    Some(format!(
        "note: {} is ignored: {reason}; to use it all the same, name it with --{FLAG} or {VARIABLE}",
        file.escaped()
    ))
}

fn reason(file: &Path, users: &[u32]) -> io::Result<Option<String>> {
    let link = fs::symlink_metadata(file)?;
    let target = fs::metadata(file)?;
    let folder = fs::metadata(files::folder_of(file))?;
    let owners = [&link, &target].map(Metadata::uid);
    let mut others = owners.into_iter().filter(|owner| *owner != ROOT && !users.contains(owner));
    Ok(if let Some(other) = others.next() {
        Some(format!("it belongs to another user (number {other})"))
    } else if target.mode() & WRITABLE_BY_ALL != 0 {
        Some("every user can write to it".to_owned())
    } else if folder.mode() & WRITABLE_BY_ALL != 0 && folder.mode() & STICKY == 0 {
        Some("every user can write to its folder".to_owned())
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

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

    fn allow(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permitted");
    }

    #[test]
    fn only_what_no_other_user_can_write_is_trusted() {
        let top = tempfile::tempdir().expect("a folder");
        let file = top.path().join("recobench.toml");
        fs::write(&file, "").expect("written");
        for (of_folder, of_file, reason) in [
            (0o755, 0o644, None),
            (0o775, 0o664, None),
            (0o1777, 0o644, None),
            (0o755, 0o646, Some("every user can write to it")),
            (0o777, 0o644, Some("every user can write to its folder")),
        ] {
            allow(&file, of_file);
            allow(top.path(), of_folder);
            let note = distrust(&file, &[this_user()]);
            assert_eq!(note.is_some(), reason.is_some(), "{note:?}");
            assert!(note.unwrap_or_default().contains(reason.unwrap_or_default()));
        }
    }

    #[test]
    fn the_caller_of_sudo_is_trusted() {
        assert_eq!(users(ROOT, Some(1000)), [ROOT, 1000]);
        assert_eq!(users(1000, Some(1001)), [1000]);
        assert_eq!(users(1000, None), [1000]);
    }

    #[test]
    fn files_of_others_are_not_trusted_nor_their_links_to_ours() {
        let top = tempfile::tempdir().expect("a folder");
        let file = top.path().join("own.toml");
        let link = top.path().join("recobench.toml");
        fs::write(&file, "").expect("written");
        symlink(&file, &link).expect("linked");
        assert_eq!(distrust(&link, &[this_user()]), None);
        let other = "belongs to another user";
        if this_user() == ROOT {
            std::os::unix::fs::lchown(&link, Some(65_534), None).expect("given away");
            assert!(distrust(&link, &[ROOT]).is_some_and(|note| note.contains(other)));
            chown(&file, Some(65_534), None).expect("given away");
            assert!(distrust(&file, &[ROOT]).is_some_and(|note| note.contains(other)));
            assert_eq!(distrust(&file, &[65_534]), None);
        } else {
            assert!(distrust(&file, &[this_user() + 1]).is_some_and(|note| note.contains(other)));
        }
    }
}
