//! Commands, advice, examples and links in documents work.

use std::fs;
use std::path::PathBuf;

use crate::common::{assert_understood, folder, in_repository};

/// README and all pages below `docs/`, with their texts.
pub fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = ["README.md", "CONTRIBUTING.md"].map(in_repository).to_vec();
    let mut folders = vec![in_repository("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("docs/ is there") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("readable");
        (path, text)
    };
    pages.into_iter().map(read).collect()
}

/// Returns the code blocks of a language; all if `language` is empty.
pub fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let blocks = text.split("```").skip(1).step_by(2);
    let of_language = blocks.filter_map(|block| {
        let (first, rest) = block.split_once('\n')?;
        first.starts_with(language).then_some(rest)
    });
    of_language.collect()
}

/// The command lines of `bench` in code blocks.
fn commands(text: &str) -> Vec<String> {
    let blocks = blocks(text, "").into_iter();
    let lines = blocks.flat_map(|block| block.lines());
    let command = |line: &str| {
        let prefixes =
            ["bench ", "cargo run --release -- ", "cargo run --release --features emulator -- "];
        let line = line.split("  #").next()?;
        let rest = prefixes.iter().find_map(|prefix| line.trim().strip_prefix(prefix))?;
        Some(format!("bench {}", rest.replace('\'', "")))
    };
    lines.filter_map(command).collect()
}

#[test]
fn every_command_is_understood() {
    let mut count = 0;
    for (page, text) in pages() {
        for command in commands(&text) {
            count += 1;
            eprintln!("{}:", page.display());
            assert_understood(&command);
        }
    }
    assert!(count > 8, "only {count} commands found");
}

/// Texts of the sources, without comments and tests.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = ["harness/src", "reports/src", "algorithms/src"].map(in_repository).to_vec();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("readable");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
                // Texts continue in the next line after a backslash.
                let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", "");
                sources.push((path, joined));
            }
        }
    }
    sources
}

/// Placeholders in advised commands, and a value of each.
const PLACEHOLDERS: [(&str, &str); 4] =
    [("SUITE", "smoke"), ("REVISION", "HEAD"), ("RUN", "latest"), ("FILE", "c.json")];

#[test]
fn every_advised_command_is_understood() {
    let mut count = 0;
    for (path, text) in sources() {
        for quoted in text.split('`').skip(1).step_by(2) {
            // Others are made of values, and tests run those.
            if !quoted.starts_with("bench ") || quoted.contains(['{', '\n', '<', '…']) {
                continue;
            }
            let filled = PLACEHOLDERS
                .iter()
                .fold(quoted.to_owned(), |text, (name, value)| text.replace(name, value));
            eprintln!("{}: {filled}", path.display());
            assert_understood(&filled);
            count += 1;
        }
    }
    assert!(count > 8, "only {count} commands found");
}

/// Those below "Examples:" in the help of a command.
fn examples_of(help: &str) -> Vec<String> {
    let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
    let lines = examples.lines().take_while(|line| !line.trim().is_empty());
    let commands = lines.filter_map(|line| {
        let command = line.trim().split("  ").next()?.replace('\'', "");
        command.starts_with("bench ").then_some(command)
    });
    commands.collect()
}

#[test]
fn every_example_of_a_help_is_understood() {
    let tasks = algorithms::registry::tasks();
    let tasks = tasks.iter().map(|task| task.name().to_owned());
    let streams = ["throughput sts", "stream"].map(str::to_owned);
    let folder = folder();
    for command in tasks.chain(streams) {
        let help = folder.bench(format!("{command} --help")).exits(0).stdout;
        let examples = examples_of(&help);
        let own = format!("bench {command} ");
        assert!(examples.iter().any(|it| it.starts_with(&own)), "{command}: {examples:?}");
        for example in examples {
            let is_of_data = example.starts_with("bench generate ");
            assert!(is_of_data || example.starts_with(&own), "{command}: {example}");
            assert_understood(&example);
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    for (page, text) in pages() {
        let targets = text.split("](").skip(1);
        for target in targets.filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or(target);
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = page.parent().expect("has a parent").join(file);
            assert!(path.exists(), "{}: {target}", page.display());
        }
    }
}
