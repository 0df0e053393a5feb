//! Driver libraries, loaded while the program runs.

use libloading::{Error, Library};
use text::Untrusted;

/// Loads the first of these libraries that can be loaded.
///
/// # Errors
/// The reason why a library can't be loaded; `None` if none exists.
pub(super) fn first_of(names: &[&str]) -> Result<Library, Option<String>> {
    let mut broken = None;
    for &name in names {
        // SAFETY: loading a driver's library runs its initialisers, which drivers support.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(error) => broken = broken.or(why_broken(name, &error)),
        }
    }
    Err(broken.map(|problem| problem.escaped().to_string()))
}

/// Returns the reason why a library can't be loaded; `None` if it does not exist.
fn why_broken(name: &str, error: &Error) -> Option<String> {
    let Error::DlOpen { source } = error else { return Some(error.to_string()) };
    let message = source.to_string();
    // The message may also be about a library that it needs.
    let is_missing = message.starts_with(name) && message.ends_with("No such file or directory");
    (!is_missing).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_library_is_named_and_a_missing_one_is_not() {
        assert_eq!(first_of(&["libnowhere.so.1", "/nowhere.so"]).err(), Some(None));
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_str().expect("text");
        let reason = first_of(&["libnowhere.so.1", path]).err().flatten().expect("a reason");
        assert!(reason.starts_with(path), "{reason}");
    }
}
