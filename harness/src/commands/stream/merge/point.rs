//! Results of all nodes at one speed.

use std::path::Path;

use reports::record::YesNo;
use reports::store::StreamRun;
use reports::stream::{NodePart, StreamRow, short, together};
use text::{SENTENCE, Untrusted};

use super::node::Node;
use crate::failure::Failure;

/// Speed on a device, with the rows of all nodes that have one, and the indices of these nodes.
pub(super) struct Point<'a> {
    pub(super) rows: Vec<(usize, &'a StreamRow)>,
}

impl<'a> Point<'a> {
    /// Returns all points in measured order.
    ///
    /// # Errors
    /// If nodes did not start together.
    pub(super) fn all(nodes: &'a [Node]) -> Result<Vec<Self>, Failure> {
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
    pub(super) fn merged(&self, nodes: &[Node], names: &[String]) -> StreamRow {
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
    pub(super) fn missing(&self, nodes: &[Node]) -> Vec<String> {
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
