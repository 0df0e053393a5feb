//! No module knows one next to it that knows it: of any two files or folders of a folder, one is
//! below the other. Code for tests is left out.
//!
//! | module | content |
//! |---|---|
//! | `tokens` | tokens of sources |
//! | `references` | paths that a source refers to |
//! | `groups` | modules that know each other |

mod groups;
mod references;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

use groups::{Source, groups};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of all crates of the workspace.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let (_, members) = manifest.split_once("\nmembers = [").expect("a list of members");
    let (members, _) = members.split_once(']').expect("the end of the list");
    members.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn sources(src: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(src, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let path = path.strip_prefix(src).expect("below").to_string_lossy().into_owned();
            found.push(Source { path, text });
        }
    }
}

#[test]
fn modules_of_a_folder_do_not_know_each_other() {
    let mut found = Vec::new();
    let mut count = 0;
    for name in crates() {
        // Benches are in the folder of their crate.
        let src =
            if root().join(&name).join("src").exists() { format!("{name}/src") } else { name };
        let folder = root().join(&src);
        let mut all = Vec::new();
        sources(&folder, &folder, &mut all);
        all.sort_by(|one, other| one.path.cmp(&other.path));
        count += all.len();
        found.extend(groups(&all).iter().map(|group| format!("{src}/{group}")));
    }
    assert!(count > 1000, "these are not all sources");
    let found = found.join("\n");
    assert!(found.is_empty(), "move what the lower module needs into it, or below both:\n{found}");
}
