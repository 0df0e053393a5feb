//! Merging of the results of nodes that started together, to one run, after a check that they
//! belong to the same stream.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use reports::record::{RunRecord, YesNo};
use reports::store::{StoreError, StreamFolder, StreamRun};
use reports::stream::{NodePart, StreamRow, TimesliceRow, short, together};
use reports::{charts, units};
use text::{SENTENCE, Untrusted};

use super::super::say;
use crate::failure::{Exit, Failure};
use crate::measure::run_folder;
use crate::request::StreamFlags;

pub(super) fn run(flags: &StreamFlags) -> Result<Exit, Failure> {
    let Nodes { names, nodes, mut missing } = Nodes::read(&flags.merge)?;
    for node in &nodes {
        node.check(&nodes[0])?;
    }
    let points = Point::all(&nodes)?;
    let merged: Vec<StreamRow> = points.iter().map(|point| point.merged(&nodes, &names)).collect();
    missing.extend(points.iter().flat_map(|point| point.missing(&nodes)));
    let each: Vec<StreamRow> =
        points.iter().flat_map(|point| point.rows.iter().map(|(_, row)| (*row).clone())).collect();
    let record = record(&nodes, &missing);
    let folder = run_folder(flags.out.as_deref(), "stream")?;
    let timeslices = by_point(nodes);
    write(&folder, &record, &merged, &each, &timeslices)?;
    if flags.charts {
        charts::write(&folder, &charts::draw_stream(&record, &merged, &timeslices)?)?;
    }
    let exit = exit(&each, &missing);
    super::present(&record, &[merged, each].concat(), &folder, flags)?;
    for problem in &missing {
        say(&format!("bench: {problem}"));
    }
    Ok(exit)
}

/// Returns the exit code of the worst node; missing nodes count.
fn exit(each: &[StreamRow], missing: &[String]) -> Exit {
    let has_failed = |row: &StreamRow| row.valid == YesNo::No || row.workers_lost >= row.processes;
    if each.iter().any(StreamRow::is_wrong) {
        Exit::WrongOutput
    } else if !missing.is_empty() || each.iter().any(has_failed) {
        Exit::Failed
    } else {
        Exit::Success
    }
}

/// Returns the timeslices of all nodes, ordered by point.
fn by_point(nodes: Vec<Node>) -> Vec<TimesliceRow> {
    let mut all: Vec<_> = nodes.into_iter().flat_map(|node| node.run.timeslices).collect();
    all.sort_by(|a, b| a.point_id.cmp(&b.point_id));
    all
}

fn write(
    path: &Path,
    record: &RunRecord,
    merged: &[StreamRow],
    nodes: &[StreamRow],
    timeslices: &[TimesliceRow],
) -> Result<(), Failure> {
    let unfinished = RunRecord { finished: None, ..record.clone() };
    let mut folder = StreamFolder::create(path, &unfinished)?;
    for row in merged {
        let mut points = timeslices.chunk_by(|a, b| a.point_id == b.point_id);
        let own = points.find(|own| own[0].point_id == row.point_id);
        folder.append(row, own.unwrap_or_default())?;
    }
    folder.write_nodes(nodes)?;
    Ok(folder.describe(record)?)
}

/// Returns the joint record of all nodes; single-valued fields are those of the first node.
fn record(nodes: &[Node], missing: &[String]) -> RunRecord {
    let records = || nodes.iter().map(|node| &node.run.record);
    let mut record = nodes[0].run.record.clone();
    // UTC in RFC 3339 sorts by time.
    let first = records().map(|record| record.started.clone()).min();
    record.started = first.expect("at least one node is merged");
    // The last end; none as long as a node has none.
    let ends: Option<Vec<_>> = records().map(|record| record.finished.clone()).collect();
    record.finished = ends.and_then(|ends| ends.into_iter().max());
    record.notes = notes(nodes);
    let gpus = |record: &RunRecord| -> Vec<String> {
        record.machine.gpus.iter().map(|gpu| gpu.model.clone()).collect()
    };
    let kind = |record: &RunRecord| (record.machine_key.clone(), gpus(record));
    let kinds: BTreeSet<_> = records().map(kind).collect();
    if kinds.len() > 1 {
        let kinds = units::counted(kinds.len(), "kind");
        let said = format!("nodes are machines of {kinds}; run.json describes that of the first");
        record.notes.push(said);
    }
    let folders: Vec<_> = nodes.iter().map(|node| node.run.folder.escaped().to_string()).collect();
    record.notes.push(format!("merged from {}", folders.join(", ")));
    record.notes.extend(missing.iter().cloned());
    record
}

/// Returns the notes of all nodes without repetition.
fn notes(nodes: &[Node]) -> Vec<String> {
    let mut nodes_by_note: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for node in nodes {
        for note in &node.run.record.notes {
            nodes_by_note.entry(note).or_default().push(node.name.escaped().to_string());
        }
    }
    let words = |(note, names): (&str, Vec<String>)| {
        let note = note.escaped().at_most(SENTENCE);
        let of_all = names.len() == nodes.len();
        if of_all { note.to_string() } else { format!("{}: {note}", names.join(", ")) }
    };
    nodes_by_note.into_iter().map(words).collect()
}

/// Speed on a device, with the rows of all nodes that have one, and the indices of these nodes.
struct Point<'a> {
    rows: Vec<(usize, &'a StreamRow)>,
}

impl<'a> Point<'a> {
    /// Returns all points in measured order.
    fn all(nodes: &'a [Node]) -> Result<Vec<Self>, Failure> {
        let mut points: Vec<Point<'a>> = Vec::new();
        for (number, Node { run, .. }) in nodes.iter().enumerate() {
            for row in &run.rows {
                let is_it = |point: &&mut Point<'_>| point.first().point_id == row.point_id;
                if let Some(point) = points.iter_mut().find(is_it) {
                    point.check_begin(row, &run.folder)?;
                    point.rows.push((number, row));
                } else {
                    points.push(Point { rows: vec![(number, row)] });
                }
            }
        }
        Ok(points)
    }

    fn first(&self) -> &'a StreamRow {
        self.rows[0].1
    }

    fn check_begin(&self, row: &StreamRow, folder: &Path) -> Result<(), Failure> {
        let first = self.first();
        if row.begin == first.begin {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{}: speed {} began at {}, but at {} on node {}; give all nodes the same --begin",
            folder.escaped(),
            short(row.speed),
            row.begin.escaped(),
            first.begin.escaped(),
            first.node.escaped(),
        )))
    }

    /// Merges the rows of all participating nodes. Work assigned to other nodes counts as not sustained.
    fn merged(&self, nodes: &[Node], names: &[String]) -> StreamRow {
        let part = |&(number, row): &(usize, &'a StreamRow)| {
            let StreamRun { timeslices, record, .. } = &nodes[number].run;
            NodePart { row, timeslices, cpus: record.environment.usable_threads }
        };
        let mut parts: Vec<NodePart<'_>> = self.rows.iter().map(part).collect();
        if parts.iter().any(|part| took_part(part.row)) {
            parts.retain(|part| took_part(part.row));
        }
        let row = together(&parts).expect("a point has rows of some node");
        let is_there = |name: &&String| parts.iter().any(|part| part.row.node == **name);
        let others: Vec<_> = names.iter().filter(|name| !is_there(name)).collect();
        if others.is_empty() { row } else { without(&others, row) }
    }

    /// Returns notes on nodes whose folders exist but have no result at this speed.
    fn missing(&self, nodes: &[Node]) -> Vec<String> {
        let what =
            format!("speed {} on {}", short(self.first().speed), self.first().device.escaped());
        let said = |(number, node): (usize, &Node)| {
            let name = node.name.escaped();
            match self.rows.iter().find(|(of, _)| *of == number) {
                Some((_, row)) if took_part(row) => None,
                Some((_, row)) => {
                    Some(format!("node {name}: {what}: {}", row.note.escaped().at_most(SENTENCE)))
                }
                None => Some(format!("node {name} has nothing of {what}")),
            }
        };
        nodes.iter().enumerate().filter_map(said).collect()
    }
}

/// The row of all nodes but these.
fn without(others: &[&String], row: StreamRow) -> StreamRow {
    let names: Vec<String> = others.iter().map(|name| name.escaped().to_string()).collect();
    let said = format!("without {}", names.join(", "));
    let note = if row.note.is_empty() { said } else { format!("{}; {said}", row.note) };
    StreamRow { kept_up: YesNo::No, note, ..row }
}

fn took_part(row: &StreamRow) -> bool {
    row.due > 0
}

/// Flags in which nodes may differ, with a value and without.
const OWN: [&str; 6] = ["--out", "--hits", "--metrics", "--influx", "--format", "--seed"];
const OWN_SWITCHES: [&str; 3] = ["--no-charts", "--quiet", "-q"];

/// Node and its results.
struct Node {
    /// Name of its folder.
    name: String,
    run: StreamRun,
}

/// All nodes.
struct Nodes {
    /// Names of all expected nodes.
    names: Vec<String>,
    /// Nodes whose folders can be read.
    nodes: Vec<Node>,
    /// Notes on missing nodes.
    missing: Vec<String>,
}

impl Nodes {
    /// Reads their folders.
    fn read(folders: &[PathBuf]) -> Result<Self, Failure> {
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
    fn check(&self, first: &Node) -> Result<(), Failure> {
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
