//! The plugins that a suite names. They have to be loaded before its variants are
//! known, so they are read first, and alone.

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::document::Section;
use super::problems::{Problems, SuiteError};
use super::{built_in, read};

/// The key of the list.
pub(super) const KEY: &str = "plugins";

/// The libraries that a suite names, as paths from where its file is.
///
/// # Errors
/// If there is no such suite, or this part of it makes no sense.
pub fn plugins_of(suite: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let (name, text) = (suite.display().to_string(), built_in::text(suite)?);
    let (document, errors) = DeTable::parse_recoverable(&text);
    read::syntax(&errors).refuse(&name, &text)?;
    let mut problems = Problems::default();
    let entry = Section::root(&document).entry(KEY);
    let words = entry.map(|entry| entry.words(&mut problems));
    problems.refuse(&name, &text)?;
    let folder = suite.parent().unwrap_or(Path::new(""));
    let paths = words.into_iter().flatten();
    Ok(paths.map(|word| folder.join(word.text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_where_the_suite_is() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let suite = folder.path().join("mine.toml");
        let write = |text: &str| std::fs::write(&suite, text).expect("written");
        write("name = \"mine\"\nplugins = [\"libmine.so\", \"/opt/other.so\"]\n");
        let expected = [folder.path().join("libmine.so"), "/opt/other.so".into()];
        assert_eq!(plugins_of(&suite).expect("readable"), expected);
        write("name = \"mine\"\n");
        assert_eq!(
            plugins_of(&suite).expect("readable"),
            <[PathBuf; 0]>::default()
        );
        write("plugins = { file = \"libmine.so\" }\n");
        let error = plugins_of(&suite).expect_err("no list").to_string();
        assert!(error.contains("mine.toml:1:11"), "{error}");
    }
}
