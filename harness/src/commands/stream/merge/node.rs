//! A node's folder, and whether it is part of the same stream.

use std::path::{Path, PathBuf};

use reports::store::{StoreError, StreamRun};
use text::Untrusted;

use crate::failure::Failure;

/// Flags in which nodes may differ, with a value and without.
const OWN: [&str; 6] = ["--out", "--hits", "--metrics", "--influx", "--format", "--seed"];
const OWN_SWITCHES: [&str; 3] = ["--no-charts", "--quiet", "-q"];

/// Node and its results.
pub(super) struct Node {
    /// Name of its folder.
    pub(super) name: String,
    pub(super) run: StreamRun,
}

/// All nodes.
pub(super) struct Nodes {
    /// Names of all expected nodes.
    pub(super) names: Vec<String>,
    /// Nodes whose folders can be read.
    pub(super) nodes: Vec<Node>,
    /// Notes on missing nodes.
    pub(super) missing: Vec<String>,
}

impl Nodes {
    /// Reads their folders.
    ///
    /// # Errors
    /// If two folders have one name, or none of them can be read.
    pub(super) fn read(folders: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = Nodes { names: Vec::new(), nodes: Vec::new(), missing: Vec::new() };
        let mut first: Option<StoreError> = None;
        for folder in folders {
            let name = name(folder);
            if all.names.contains(&name) {
                return Err(Failure::Usage(format!(
                    "{}: there is another folder {}; nodes are identified by the names of their folders",
                    folder.escaped(),
                    name.quoted()
                )));
            }
            match StreamRun::read(folder) {
                Ok(run) => all.add(&name, run),
                Err(error) => {
                    all.missing.push(format!("merged without node {}: {error}", name.escaped()));
                    first.get_or_insert(error);
                }
            }
            all.names.push(name);
        }
        match first {
            Some(error) if all.nodes.is_empty() => Err(error.into()),
            _ => Ok(all),
        }
    }

    fn add(&mut self, name: &str, run: StreamRun) {
        if run.record.finished.is_none() {
            let said =
                "its stream was interrupted, or is still running; its results so far are merged";
            self.missing.push(format!("node {}: {said}", name.escaped()));
        }
        self.nodes.push(Node { name: name.to_owned(), run: named(run, name) });
    }
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// Sets the node's name in all rows without one.
fn named(mut run: StreamRun, name: &str) -> StreamRun {
    let rows = run.rows.iter_mut().map(|row| &mut row.node);
    for node in rows.chain(run.timeslices.iter_mut().map(|it| &mut it.node)) {
        if node.is_empty() {
            name.clone_into(node);
        }
    }
    run
}

impl Node {
    /// Rejects a folder that is not a node's, or whose settings differ from those of the first node.
    pub(super) fn check(&self, first: &Node) -> Result<(), Failure> {
        let StreamRun { folder, record, rows, .. } = &self.run;
        let refusal = |problem| Err(Failure::Usage(format!("{}: {problem}", folder.escaped())));
        if rows.iter().any(|row| row.nodes != 1) || self.is_of_several() {
            return refusal("it is merged already; give the folders of the nodes".to_owned());
        }
        let other = first.run.folder.escaped();
        let [build, first_build] = [record, &first.run.record].map(|it| &it.software.fingerprint);
        if build != first_build {
            return refusal(format!("measured by another build of bench than {other}"));
        }
        let [said, first_said] = [record, &first.run.record].map(|it| common_words(&it.command));
        if said != first_said {
            let [said, first_said] = [said, first_said].map(|words| words.join(" "));
            return refusal(format!(
                "it ran {}, but {other} ran {}; nodes of a stream run the same command",
                said.quoted(),
                first_said.quoted()
            ));
        }
        Ok(())
    }

    /// Returns true if its timeslices name several nodes, as after merging.
    fn is_of_several(&self) -> bool {
        self.run.timeslices.iter().any(|timeslice| timeslice.node != self.name)
    }
}

/// Returns the words of a command without flags that may differ between nodes.
fn common_words(command: &[String]) -> Vec<&str> {
    let mut words = command.iter().skip(1).map(String::as_str);
    let mut common = Vec::new();
    while let Some(word) = words.next() {
        if OWN.contains(&word) {
            words.next();
        } else if !is_own(word) {
            common.push(word);
        }
    }
    common
}

fn is_own(word: &str) -> bool {
    let has_value = |(flag, _): (&str, &str)| OWN.contains(&flag);
    OWN_SWITCHES.contains(&word) || word.split_once('=').is_some_and(has_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_say_the_same_but_for_what_is_their_own() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let first = words("bench stream --speed 1 --out n1 --seed=3 -q --begin 4e9");
        let other = words("/opt/bench stream --no-charts --speed 1 --out=n2 --begin 4e9");
        assert_eq!(common_words(&first), ["stream", "--speed", "1", "--begin", "4e9"]);
        assert_eq!(common_words(&first), common_words(&other));
    }
}
