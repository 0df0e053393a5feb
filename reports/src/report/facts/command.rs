//! The command line of a run, for a shell.

use text::{SENTENCE, Untrusted};

use crate::compare::quoted;

/// The arguments of a command, for a shell.
pub fn asked(command: &[String]) -> String {
    let words = arguments(command).map(|word| quoted(word).escaped().at_most(SENTENCE).to_string());
    words.collect::<Vec<_>>().join(" ")
}

/// The arguments after the program's name, without the output folder, which exists now.
fn arguments(command: &[String]) -> impl Iterator<Item = &str> {
    let words = command.iter().map(String::as_str);
    let mut before = "";
    let words = words.filter(move |word| {
        let is_folder = before == "--out";
        before = word;
        !is_folder && *word != "--out" && !word.starts_with("--out=")
    });
    words.skip(1)
}

/// The end of a path, which distinguishes folders: `…/store/runs/20260101T000000Z-sort`.
pub fn short_path(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.len() {
        0..=PARTS => path.to_owned(),
        count => format!("…/{}", parts[count - PARTS..].join("/")),
    }
}

/// Number of components of a path that are shown.
const PARTS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_run_is_not_used_again() {
        let command = "bench sort --out a --seed 1 --out=b".split(' ');
        let command: Vec<String> = command.map(str::to_owned).collect();
        assert_eq!(asked(&command), "sort --seed 1");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--segments"), "--segments");
        assert_eq!(quoted("std-*"), "'std-*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn long_paths_lose_their_beginning() {
        assert_eq!(short_path("results/today"), "results/today");
        assert_eq!(short_path("/home/x/lab/store/runs/a"), "…/store/runs/a");
    }
}
