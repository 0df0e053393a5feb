//! No module knows one next to it that knows it: of any two files or folders of a folder, one is
//! below the other. Code for tests is left out.

mod references;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use references::{ModulePath, References};

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

/// A source of a crate.
struct Source {
    /// Path from `src`.
    path: String,
    text: String,
}

/// A reference from a module to one next to it.
#[derive(Debug, PartialEq)]
struct Edge {
    from: String,
    to: String,
    /// File of the reference, from `src`.
    file: String,
    /// Path of the item.
    item: String,
}

/// A strongly connected group of modules of a folder.
#[derive(Debug, PartialEq)]
struct Group {
    /// The folder, from `src`; empty for `src` itself.
    folder: String,
    modules: Vec<String>,
    edges: Vec<Edge>,
}

/// Modules of a folder, and references between them.
#[derive(Default)]
struct Folder {
    modules: BTreeSet<String>,
    edges: Vec<Edge>,
}

/// Finds all groups in the sources of a crate.
fn groups(sources: &[Source]) -> Vec<Group> {
    let parsed = sources.iter().map(|source| {
        let module = module_of(&source.path);
        let references = References::in_source(&module, &source.text);
        (source, module, references)
    });
    let mut parsed: Vec<_> = parsed.collect();
    let tests = parsed.iter().flat_map(|(_, _, references)| references.test_modules.clone());
    let tests: Vec<ModulePath> = tests.collect();
    parsed.retain(|(_, module, _)| !tests.iter().any(|test| module.starts_with(test)));
    let mut folders: BTreeMap<ModulePath, Folder> = BTreeMap::new();
    for (_, module, _) in &parsed {
        for (depth, name) in module.iter().enumerate() {
            let folder = folders.entry(module[..depth].to_vec()).or_default();
            folder.modules.insert(name.clone());
        }
    }
    for (source, module, references) in &parsed {
        for path in &references.paths {
            let shared = module.iter().zip(path).take_while(|(own, other)| own == other).count();
            let Some(from) = module.get(shared) else { continue };
            let Some(to) = path.get(shared) else { continue };
            let folder = folders.entry(module[..shared].to_vec()).or_default();
            if folder.modules.contains(to) {
                folder.edges.push(Edge {
                    from: from.clone(),
                    to: to.clone(),
                    file: source.path.clone(),
                    item: path[shared..].join("::"),
                });
            }
        }
    }
    folders.iter().flat_map(|(path, folder)| folder.groups(&path.join("/"))).collect()
}

/// Path of the module of a file.
fn module_of(path: &str) -> ModulePath {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut module: ModulePath = path.split('/').map(str::to_owned).collect();
    let is_root = module.len() == 1 && matches!(&*module[0], "lib" | "main");
    if is_root || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    module
}

impl Folder {
    fn groups(&self, path: &str) -> Vec<Group> {
        let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for edge in &self.edges {
            next.entry(&edge.from).or_default().insert(&edge.to);
        }
        let reachable: BTreeMap<&str, BTreeSet<&str>> =
            next.keys().map(|&from| (from, reachable(from, &next))).collect();
        let knows = |from: &str, to: &str| reachable.get(from).is_some_and(|all| all.contains(to));
        let mut groups = Vec::new();
        let mut left: BTreeSet<&str> = self.modules.iter().map(String::as_str).collect();
        while let Some(first) = left.pop_first() {
            let is_member = |&module: &&str| knows(first, module) && knows(module, first);
            let others: Vec<&str> = left.iter().copied().filter(is_member).collect();
            if others.is_empty() {
                continue;
            }
            left.retain(|module| !others.contains(module));
            let modules = [vec![first], others].concat();
            groups.push(self.group(path, &modules));
        }
        groups
    }

    fn group(&self, path: &str, modules: &[&str]) -> Group {
        let is_member = |name: &String| modules.contains(&name.as_str());
        let edges = self.edges.iter().filter(|edge| is_member(&edge.from) && is_member(&edge.to));
        let edges = edges.map(|edge| Edge {
            from: edge.from.clone(),
            to: edge.to.clone(),
            file: edge.file.clone(),
            item: edge.item.clone(),
        });
        Group {
            folder: path.to_owned(),
            modules: modules.iter().map(|&name| name.to_owned()).collect(),
            edges: edges.collect(),
        }
    }
}

/// All modules that one knows, directly or through others.
fn reachable<'m>(from: &'m str, next: &BTreeMap<&'m str, BTreeSet<&'m str>>) -> BTreeSet<&'m str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        let all = next.get(module).into_iter().flatten().copied();
        open.extend(all.filter(|&other| found.insert(other)));
    }
    found
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = if self.folder.is_empty() { "." } else { &self.folder };
        write!(f, "{folder}: {}", self.modules.join(", "))?;
        for edge in &self.edges {
            write!(f, "\n    {} -> {} ({})", edge.from, edge.item, edge.file)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(sources: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = sources
            .iter()
            .map(|&(path, text)| Source { path: path.to_owned(), text: text.to_owned() })
            .collect();
        groups(&sources).iter().map(Group::to_string).collect()
    }

    #[test]
    fn two_modules_that_know_each_other_are_a_group() {
        let found = groups_of(&[
            ("lib.rs", "mod a; mod b; mod c; use a::X;"),
            ("a.rs", "use crate::b::Y;"),
            ("b.rs", "use super::a::X; use crate::c;"),
            ("c.rs", ""),
        ]);
        assert_eq!(found, [".: a, b\n    a -> b::Y (a.rs)\n    b -> a::X (b.rs)"]);
    }

    #[test]
    fn a_group_may_go_through_others_and_through_folders() {
        let found = groups_of(&[
            ("a/mod.rs", "mod deep;"),
            ("a/deep/mod.rs", "mod x;"),
            ("a/deep/x.rs", "use crate::b::Y;"),
            ("b.rs", "use super::c;"),
            ("c.rs", "pub use crate::a::deep::x::X;"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(".: a, b, c\n    a -> b::Y (a/deep/x.rs)"), "{}", found[0]);
    }

    #[test]
    fn parents_and_children_are_no_group() {
        let found = groups_of(&[
            ("lib.rs", "mod a; pub struct X;"),
            ("a/mod.rs", "mod b; use b::Z; pub struct Y;"),
            ("a/b.rs", "use super::Y; use crate::X; use super::super::X as W;"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn modules_of_tests_are_in_no_group() {
        let found = groups_of(&[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod testing;"),
            ("a.rs", "use super::b; #[cfg(test)] mod tests { use crate::testing; }"),
            ("b.rs", "#[cfg(test)] mod tests;"),
            ("b/tests.rs", "use crate::a;"),
            ("testing/mod.rs", "mod deep;"),
            ("testing/deep.rs", "use crate::a;"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
