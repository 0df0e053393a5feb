//! Files in a folder and below it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files with their content, and folders without.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// All that lies below a folder.
pub fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    gather(root, Path::new(""), &mut tree);
    tree
}

fn gather(root: &Path, below: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(root.join(below)).expect("readable") {
        let entry = entry.expect("one");
        let path = below.join(entry.file_name());
        if entry.file_type().expect("known").is_dir() {
            tree.insert(path.clone(), None);
            gather(root, &path, tree);
        } else {
            let content = fs::read(entry.path()).expect("readable");
            tree.insert(path, Some(content));
        }
    }
}

/// Removes the store's temporary files of writers: they are never read, and the next writer clears
/// them.
pub fn of_interest(mut tree: Tree) -> Tree {
    let is_for_writers = |path: &Path| {
        path.iter().any(|name| ["lock", "incoming", "trash"].iter().any(|work| name == *work))
    };
    tree.retain(|path, _| !is_for_writers(path));
    tree
}

/// Puts a tree into an empty folder.
pub fn plant(tree: &Tree, root: &Path) {
    for (path, content) in tree {
        let path = root.join(path);
        match content {
            None => fs::create_dir(&path),
            Some(bytes) => fs::write(&path, bytes),
        }
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Returns the names with times and hashes masked, so that runs that differ only in time have
/// equal names.
pub fn names(tree: &Tree) -> Vec<String> {
    let names = tree.keys().map(|path| without_times(&path.display().to_string()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// The shapes that times have in texts and in names: each `0` is any digit.
const TIMES: [&str; 2] = ["0000-00-00T00:00:00Z", "00000000T000000Z"];
/// Number of consecutive hexadecimal digits that count as a hash.
const HASH: usize = 16;

/// A text in which times, and hashes, are those of no run.
pub fn without_times(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let time = TIMES.iter().find(|time| has_shape(rest, time));
        let hash = rest.chars().take_while(char::is_ascii_hexdigit).count();
        let length = match time {
            Some(time) => time.len(),
            None if hash >= HASH => hash,
            None => {
                masked.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        masked.push('#');
        rest = &rest[length..];
    }
    masked
}

fn has_shape(text: &str, shape: &str) -> bool {
    let mut text = text.chars();
    shape.chars().all(|wanted| {
        text.next().is_some_and(|found| match wanted {
            '0' => found.is_ascii_digit(),
            _ => found == wanted,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_hashes_are_masked_and_nothing_else() {
        let text = "s/runs/20270102T000000Z-sort-a987c51feb81fa5f: 2027-01-02T00:00:00Z, 1.5 of 20";
        assert_eq!(without_times(text), "s/runs/#-sort-#: #, 1.5 of 20");
    }
}
