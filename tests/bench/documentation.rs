//! Commands, advice, examples and links in documents work.

use std::fs;
use std::path::PathBuf;

use crate::common::{assert_understood, folder, in_repository};

/// Pages beside `docs/` and all pages below it, with their texts.
pub fn pages() -> Vec<(PathBuf, String)> {
    let others = ["README.md", "CONTRIBUTING.md", "examples/own-task/README.md"];
    let mut pages = others.map(in_repository).to_vec();
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

/// Tasks of a plugin and of other programs, whose commands `bench` alone does not understand: see
/// `plugins/task.rs`, `own_tasks.rs`, `external/` and the example in `.ci/run`.
const TASKS_OF_OTHERS: [&str; 4] = ["pixel-clusters", "pulses", "maxima", "line-fit"];

#[test]
fn every_command_is_understood() {
    let mut count = 0;
    for (page, text) in pages() {
        for command in commands(&text) {
            if command.split(' ').any(|word| TASKS_OF_OTHERS.contains(&word)) {
                continue;
            }
            count += 1;
            eprintln!("{}:", page.display());
            assert_understood(&command);
        }
    }
    assert!(count > 8, "only {count} commands found");
}

/// Sources with advice to users.
const FOLDERS: [&str; 8] = [
    "algorithms/lhcb/src",
    "algorithms/memory/src",
    "algorithms/sts/src",
    "algorithms/tpc/src",
    "gpu/src",
    "harness/src",
    "reports/src",
    "tasks/src",
];

/// Texts of the sources, without comments and tests.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = FOLDERS.map(in_repository).to_vec();
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
    let tasks = crate::common::tasks();
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

/// The headings of a page as anchors: lower case, hyphens for spaces, without punctuation. GitHub and
/// mdBook agree in that.
fn anchors(text: &str) -> Vec<String> {
    let outside = text.split("```").step_by(2);
    let lines = outside.flat_map(str::lines).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    lines.map(anchor).collect()
}

/// The relative targets of links and images outside of code, without those on the web.
fn link_targets(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    let targets = outside.flat_map(|part| part.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let docs = in_repository("docs");
    for (page, text) in pages() {
        for target in link_targets(&text) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => page.clone(),
                _ => page.parent().expect("has a parent").join(file),
            };
            assert!(path.exists(), "{}: {target}", page.display());
            // GitHub lists folders, a book has no page for them.
            let is_in_book = page.starts_with(&docs) && !target.starts_with("../");
            assert!(!is_in_book || path.is_file(), "{}: {target}: a folder", page.display());
            if !anchor.is_empty() && path.extension().is_some_and(|ending| ending == "md") {
                let linked = fs::read_to_string(&path).expect("readable");
                let known = anchors(&linked).iter().any(|it| it == anchor);
                assert!(known, "{}: {target}: no such heading", page.display());
            }
        }
    }
}

#[test]
fn every_page_is_in_the_summary_once() {
    let docs = in_repository("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("readable");
    let mut listed: Vec<PathBuf> = link_targets(&summary).iter().map(|it| docs.join(it)).collect();
    listed.sort();
    let pages = pages().into_iter().map(|(page, _)| page);
    let is_of_book = |page: &PathBuf| page.starts_with(&docs) && !page.ends_with("SUMMARY.md");
    let mut pages: Vec<PathBuf> = pages.filter(is_of_book).collect();
    pages.sort();
    assert_eq!(listed, pages);
}
