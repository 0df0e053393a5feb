//! The crates of the workspace depend on each other as `docs/architecture.md` says: all arrows are
//! listed here. Those for tests alone are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Each crate by its folder, with the crates that it depends on.
const ARROWS: [(&str, &[&str]); 26] = [
    (
        ".",
        &[
            "algorithms-lhcb",
            "algorithms-memory",
            "algorithms-sts",
            "algorithms-tpc",
            "generators-common",
            "harness",
            "parallel",
            "portable-gpu",
            "tasks",
        ],
    ),
    (
        "algorithms/lhcb",
        &[
            "generators-common",
            "generators-lhcb",
            "parallel",
            "portable-gpu",
            "portable-gpu-build",
            "tasks",
        ],
    ),
    (
        "algorithms/memory",
        &[
            "files",
            "generators-common",
            "parallel",
            "portable-gpu",
            "portable-gpu-build",
            "tasks",
            "text",
        ],
    ),
    (
        "algorithms/sts",
        &[
            "files",
            "generators-common",
            "generators-sts",
            "parallel",
            "portable-gpu",
            "portable-gpu-build",
            "tasks",
            "text",
        ],
    ),
    (
        "algorithms/tpc",
        &[
            "files",
            "generators-common",
            "generators-tpc",
            "parallel",
            "portable-gpu",
            "portable-gpu-build",
            "tasks",
            "text",
        ],
    ),
    (
        "benches",
        &[
            "algorithms-sts",
            "algorithms-tpc",
            "generators-common",
            "generators-lhcb",
            "generators-sts",
            "generators-tpc",
            "harness",
            "portable-gpu",
            "recobench",
            "reports",
            "tasks",
        ],
    ),
    ("cuda-emulator", &[]),
    ("cuda-emulator/build", &[]),
    ("cuda-emulator/example", &["cuda-emulator", "cuda-emulator-build"]),
    ("farm", &["statistics"]),
    ("files", &[]),
    (
        "fuzz/readers",
        &[
            "algorithms-memory",
            "algorithms-sts",
            "algorithms-tpc",
            "generators-common",
            "generators-lhcb",
            "generators-sts",
            "generators-tpc",
            "harness",
            "reports",
            "tasks",
        ],
    ),
    ("generators/common", &["files", "text"]),
    ("generators/lhcb", &["files", "generators-common", "text"]),
    ("generators/sts", &["files", "generators-common", "text"]),
    ("generators/tpc", &["files", "generators-common", "text"]),
    ("gpu", &["cuda-emulator", "files", "parallel", "portable-gpu-build", "text"]),
    ("gpu/build", &["cuda-emulator-build"]),
    ("gpu/examples", &["portable-gpu", "portable-gpu-build"]),
    (
        "harness",
        &[
            "farm",
            "files",
            "generators-common",
            "machine-code",
            "portable-gpu",
            "reports",
            "statistics",
            "tasks",
            "text",
        ],
    ),
    ("machine-code", &[]),
    ("parallel", &[]),
    ("reports", &["farm", "files", "statistics", "text"]),
    ("statistics", &[]),
    ("tasks", &["files", "generators-common", "parallel", "portable-gpu", "text"]),
    ("text", &[]),
];

/// Names after a line, up to the next section of a manifest.
fn names<'t>(text: &'t str, section: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(move |line| *line != section).skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    own.filter_map(|line| Some(line.split(['.', ' ', '=']).next()?.trim())).collect()
}

fn manifest(folder: &Path) -> String {
    fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest")
}

/// The members of the workspace by their folders, each with its name and those that it uses.
fn members(root: &Path) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let workspace = manifest(root);
    let (_, list) = workspace.split_once("\nmembers = [").expect("a list of members");
    let (list, _) = list.split_once(']').expect("the end of the list");
    let folders = std::iter::once(".").chain(list.split('"').skip(1).step_by(2));
    let name = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("name = \""));
        line.expect("a name").trim_end_matches('"').to_owned()
    };
    let manifests = folders.map(|folder| (folder, manifest(&root.join(folder))));
    let manifests: Vec<_> = manifests.map(|(folder, text)| (folder, name(&text), text)).collect();
    let own: BTreeSet<&String> = manifests.iter().map(|(_, name, _)| name).collect();
    let used = |text: &str| {
        let sections = ["[dependencies]", "[build-dependencies]"].map(|at| names(text, at));
        let all = sections.concat().into_iter().map(str::to_owned);
        all.filter(|name| own.contains(name)).collect()
    };
    let member = |(folder, name, text): &(&str, String, String)| {
        ((*folder).to_owned(), (name.clone(), used(text)))
    };
    manifests.iter().map(member).collect()
}

#[test]
fn crates_depend_on_those_that_are_listed() {
    let members = members(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let listed: BTreeSet<&str> = ARROWS.iter().map(|(folder, _)| *folder).collect();
    let there: BTreeSet<&str> = members.keys().map(String::as_str).collect();
    assert_eq!(there, listed);
    for (folder, expected) in ARROWS {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(members[folder].1, expected, "{folder}");
    }
}

/// Crates for any experiment.
const FOR_ANY: [&str; 4] = ["harness", "reports", "statistics", "tasks"];

#[test]
fn what_is_for_any_experiment_knows_none() {
    let members = members(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    for folder in FOR_ANY {
        let is_of_one = |name: &&String| {
            name.strip_prefix("generators-").is_some_and(|it| it != "common")
                || name.strip_prefix("algorithms-").is_some()
        };
        assert_eq!(members[folder].1.iter().find(is_of_one), None, "{folder}");
    }
}

#[test]
fn algorithms_use_the_data_of_their_own_experiment() {
    let members = members(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let mut checked = 0;
    for (name, used) in members.values() {
        let Some(experiment) = name.strip_prefix("algorithms-") else { continue };
        let is_of_another = |name: &&String| {
            let data = name.strip_prefix("generators-");
            data.is_some_and(|it| it != "common" && it != experiment)
                || name.strip_prefix("algorithms-").is_some()
        };
        assert_eq!(used.iter().find(is_of_another), None, "{name}");
        checked += 1;
    }
    assert!(checked > 1, "{checked} crates of algorithms");
}

#[test]
fn experiments_do_not_know_each_other() {
    let members = members(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let of_experiments =
        |name: &&String| name.starts_with("generators-") && *name != "generators-common";
    for (folder, (_, used)) in members.iter().filter(|(_, (name, _))| of_experiments(&name)) {
        assert_eq!(used.iter().find(of_experiments), None, "{folder}");
    }
}
