//! What the documents say can be done.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// README and all pages below `docs/`, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let mut folders = vec![root().join("docs")];
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

/// The command lines of `bench` in code blocks.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines());
    let command = |line: &str| {
        let line = line.trim();
        let rest = line
            .strip_prefix("bench ")
            .or_else(|| line.strip_prefix("cargo run --release -- "))?;
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
            let parsed = harness::cli::parse(command.split_whitespace().map(OsString::from));
            assert!(parsed.is_ok(), "{}: {command}", page.display());
        }
    }
    assert!(count > 8, "only {count} commands found");
}

#[test]
fn every_link_leads_somewhere() {
    for (page, text) in pages() {
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = target.split('#').next().unwrap_or(target);
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = page.parent().expect("has a parent").join(file);
            assert!(path.exists(), "{}: {target}", page.display());
        }
    }
}
