//! Run folders of both sides, and the inputs of their runs.

use std::collections::HashSet;

use reports::aliases::ALIASES;
use reports::record::{Effort, Point, RunRecord, SummaryRow};
use reports::store::{RunFolder, is_run, read_run};

use super::PairedError;
use super::against::Against;
use super::child::{Child, Side};
use super::points::InputOrder;
use super::protocol::PreparedInput;
use crate::measure::Start;
use crate::platform::available_memory;

/// Folder of the base within that of the new side.
pub(super) const BASE: &str = "base";
/// Share of the available memory for the inputs of both sides.
const MEMORY: f64 = 0.5;

/// Run metadata of both sides.
pub(super) fn records(against: &Against<'_>, children: &[Child; 2]) -> [RunRecord; 2] {
    Side::BOTH.map(|side| {
        // The plan is that of the new side.
        let mut record = RunRecord { planned: Vec::new(), ..against.record.clone() };
        record.software = children[side as usize].software.clone();
        let (_, plugins) = against.side(side);
        record.plugins.clone_from(&plugins.records);
        let (other, name) = match side {
            Side::Base => ("new", &against.new.name),
            Side::New => ("base", &against.base.name),
        };
        let note = format!("paired run; the {other} side was {name}");
        record.notes.push(note);
        record
    })
}

/// Points that need not be measured again.
pub(super) type Done = HashSet<Point>;

/// Opens the folders of both sides, new or existing.
pub(super) fn folders(
    against: &Against<'_>,
    records: &[RunRecord; 2],
) -> Result<([RunFolder; 2], Done), PairedError> {
    let new = against.out.as_path();
    let base = against.out.join(BASE);
    if against.start == Start::New {
        let folder = RunFolder::create(new, &records[Side::New as usize])?;
        let base = RunFolder::create(&base, &records[Side::Base as usize])?;
        return Ok(([base, folder], Done::new()));
    }
    // The base folder is created last.
    if !is_run(&base) {
        RunFolder::create(&base, &records[Side::Base as usize])?;
    }
    for (folder, record) in [(base.as_path(), &records[0]), (new, &records[1])] {
        if read_run(folder)?.software.fingerprint != record.software.fingerprint {
            let folder = new.to_owned();
            return Err(PairedError::OtherBuild { folder });
        }
    }
    // The new side is written last: points that only the base has are not finished.
    let (folder, run) = RunFolder::resume(new)?;
    let done: Done = run.summary.iter().map(SummaryRow::point).collect();
    let version = records[Side::Base as usize].software.version.as_str();
    let is_done = |point: &Point| done.contains(&ALIASES.point(point.clone(), version));
    let (base, _) = RunFolder::resume_where(&base, is_done)?;
    Ok(([base, folder], done))
}

/// Inputs with their remaining points.
pub(super) fn remaining(inputs: &[InputOrder], done: &Done) -> Vec<InputOrder> {
    let left = inputs.iter().cloned().filter_map(|mut order| {
        order.input.points.retain(|point| !done.contains(point));
        (!order.input.points.is_empty()).then_some(order)
    });
    left.collect()
}

/// Groups of inputs that both sides can have in memory at the same time.
pub(super) fn groups(inputs: Vec<InputOrder>) -> Vec<Vec<InputOrder>> {
    let capacity = (MEMORY * available_memory() as f64) as u64;
    let mut groups: Vec<Vec<InputOrder>> = Vec::new();
    let mut taken = 0_u64;
    for order in inputs {
        let bytes = order.memory_bytes.saturating_mul(2);
        taken = taken.saturating_add(bytes);
        match groups.last_mut() {
            Some(group) if taken <= capacity => group.push(order),
            _ => {
                groups.push(vec![order]);
                taken = bytes;
            }
        }
    }
    groups
}

/// Returns an error if the sides generated different data for the same input.
pub(super) fn same_data(
    point: &Point,
    prepared: &[Option<PreparedInput>; 2],
) -> Result<(), PairedError> {
    let [Some(base), Some(new)] = prepared else {
        return Ok(());
    };
    let data = |made: &PreparedInput| (made.items, made.input_bytes);
    if data(base) == data(new) {
        return Ok(());
    }
    let words = |made: &PreparedInput| format!("{}, {}", made.items, made.input_bytes);
    Err(PairedError::OtherData {
        input: format!("{} {}", point.algorithm, point.params),
        base: words(base),
        new: words(new),
    })
}

/// Time for preparing; both sides work at the same time.
pub(super) fn preparing(prepared: &[Option<PreparedInput>; 2]) -> Effort {
    let longest = |part: fn(&PreparedInput) -> f64| {
        let both = prepared.iter().flatten();
        both.map(part).fold(0.0, f64::max)
    };
    Effort {
        generating_s: longest(|made| made.generating_s),
        reference_s: longest(|made| made.reference_s),
        checking_s: longest(|made| made.checking_s),
        ..Effort::default()
    }
}
