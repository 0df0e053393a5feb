//! The sources of the program print nothing of others but through this crate. That of names of
//! files clippy sees to (`clippy.toml`); the rest can be seen from how it is written.

use std::fs;
use std::path::{Path, PathBuf};

/// All crates with messages.
const CRATES: [&str; 14] = [
    "files",
    "generators/common",
    "generators/sts",
    "generators/tpc",
    "generators/lhcb",
    "parallel",
    "gpu",
    "tasks",
    "algorithms/memory",
    "algorithms/lhcb",
    "algorithms/sts",
    "algorithms/tpc",
    "reports",
    "harness",
];

/// Marks around a value that are not quotation marks of a message, with the reason.
const QUOTES: [(&str, &str); 5] = [
    ("reports/src/export/formats.rs", "a format of others, which has escapes of its own"),
    ("reports/src/export/live/formats.rs", "a format of others, which has escapes of its own"),
    ("tasks/src/plugin/table.rs", "texts of plugins are checked before, and are short"),
    ("tasks/src/plugin/loaded.rs", "a name that was checked"),
    ("tasks/src/algorithm/answers.rs", "names of our own"),
];

/// Functions that may write to standard output or error, with the reason.
const PRINTING: [(&str, &str); 8] = [
    ("harness/src/progress.rs", "all messages"),
    ("harness/src/commands/mod.rs", "all results, and a protocol"),
    ("harness/src/cli/answer.rs", "help, and errors of the command line"),
    ("harness/src/platform/process.rs", "a word of our own after Ctrl-C"),
    ("harness/src/platform/supervisor.rs", "why a process with plugins ended, by the same way"),
    ("harness/src/plugins/trial/child.rs", "a protocol"),
    ("harness/src/workers/messages.rs", "a protocol"),
    ("gpu/src/emulator.rs", "a word of tests"),
];

/// Files in which `scope.spawn` hands work to a pool instead of starting a thread, with the reason.
const OF_POOLS: [(&str, &str); 4] = [
    ("algorithms/sts/src/sts_sort/cpu/times/spans.rs", "a scope of rayon"),
    ("algorithms/sts/src/sts_sort/cpu/times/mod.rs", "a scope of rayon"),
    ("algorithms/sts/src/sts_sort/cpu/channel_bucket.rs", "a scope of rayon"),
    ("parallel/src/items.rs", "a scope of rayon"),
];

/// A line of the program, without tests.
struct Line {
    path: String,
    number: usize,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn lines() -> Vec<Line> {
    let mut files = Vec::new();
    CRATES.iter().for_each(|name| sources(&root().join(name).join("src"), &mut files));
    files.retain(|path| !path.ends_with("tests.rs") && !path.ends_with("testing.rs"));
    let lines = files.iter().flat_map(|path| {
        let text = fs::read_to_string(path).expect("a source");
        // Tests are at the end of a file.
        let tests = [
            "\n#[cfg(test)]\nmod tests {",
            "\n#[cfg(test)]\npub(crate) mod tests {",
            "\n#[cfg(test)]\npub(super) mod tests {",
            "\n#[cfg(any(test, feature = \"testing\"))]\npub mod testing {",
            "\n#[cfg(all(test",
        ];
        let end = tests.iter().filter_map(|tests| text.find(tests)).min();
        let program = &text[..end.unwrap_or(text.len())];
        let path = path.strip_prefix(root()).expect("below").to_string_lossy().into_owned();
        let lines = program.lines().enumerate().map(|(i, text)| Line {
            path: path.clone(),
            number: i + 1,
            text: text.to_owned(),
        });
        lines.collect::<Vec<_>>()
    });
    let lines: Vec<Line> = lines.collect();
    assert!(lines.len() > 20_000, "these are not all sources");
    lines
}

/// Lines with one of these in files that are not listed, and files that are listed for nothing.
fn offences(wanted: &[&str], allowed: &[(&str, &str)]) -> Vec<String> {
    let lines = lines();
    let has = |line: &&Line| {
        let is_comment = line.text.trim_start().starts_with("//");
        !is_comment && wanted.iter().any(|wanted| line.text.contains(wanted))
    };
    let is_allowed = |path: &str| allowed.iter().any(|(allowed, _)| *allowed == path);
    let new = lines.iter().filter(has).filter(|line| !is_allowed(&line.path));
    let mut offences: Vec<String> =
        new.map(|line| format!("{}:{}: {}", line.path, line.number, line.text.trim())).collect();
    let idle =
        allowed.iter().filter(|(path, _)| !lines.iter().filter(has).any(|l| l.path == *path));
    offences.extend(idle.map(|(path, _)| format!("{path} is allowed to, but does not")));
    offences
}

/// Messages on values look like `"\"{name}\" is unknown"`: the marks come from `quoted`.
#[test]
fn values_in_messages_are_quoted_by_the_one_function() {
    let found = offences(&["\\\"{"], &QUOTES);
    assert!(found.is_empty(), "use `{{}}` with `value.quoted()`:\n{}", found.join("\n"));
}

/// Messages leave by one function, which lets no control character through.
#[test]
fn nothing_else_prints() {
    let wanted = ["println!", "print!(", "stdout()", "stderr()"];
    let found = offences(&wanted, &PRINTING);
    assert!(found.is_empty(), "use `progress::say` or `print`:\n{}", found.join("\n"));
}

/// Both panic if the system has no thread; `Builder` returns an error.
#[test]
fn threads_that_the_system_may_refuse_are_started_by_builders() {
    let mut found = offences(&["thread::spawn("], &[]);
    found.extend(offences(&["scope.spawn("], &OF_POOLS));
    assert!(found.is_empty(), "use `thread::Builder`:\n{}", found.join("\n"));
}
