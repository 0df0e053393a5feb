//! The run folders of both sides.

use std::collections::HashSet;

use reports::record::{Point, RunRecord, SummaryRow};
use reports::store::{RunFolder, read_run};

use super::{Against, BASE};
use crate::duet::child::{Child, Side};
use crate::duet::points::InputOrder;
use crate::failure::Failure;
use crate::measure::Start;

/// The records of both sides.
pub(super) fn records(against: &Against<'_>, children: &[Child; 2]) -> [RunRecord; 2] {
    Side::BOTH.map(|side| {
        let mut record = against.record.clone();
        record.software = children[side as usize].software.clone();
        let (other, name) = match side {
            Side::Base => ("new", &against.new.name),
            Side::New => ("base", &against.base.name),
        };
        record
            .notes
            .push(format!("measured in turn; the {other} side was {name}"));
        record
    })
}

/// The points that need not be measured again.
pub(super) type Done = HashSet<Point>;

/// The folders of both sides, new or as they were left.
pub(super) fn folders(
    against: &Against<'_>,
    records: &[RunRecord; 2],
) -> Result<([RunFolder; 2], Done), Failure> {
    let (new, base) = (against.out.as_path(), against.out.join(BASE));
    if against.start == Start::New {
        let folder = RunFolder::create(new, &records[Side::New as usize])?;
        let base = RunFolder::create(&base, &records[Side::Base as usize])?;
        return Ok(([base, folder], Done::new()));
    }
    for (folder, record) in [(base.as_path(), &records[0]), (new, &records[1])] {
        if read_run(folder)?.software.fingerprint != record.software.fingerprint {
            let place = new.display();
            return Err(Failure::Usage(format!(
                "can't go on with the run in {place}: base or new is another build now; choose \
                 another folder with --out"
            )));
        }
    }
    // The new side has its rows last: what only the base has was not finished.
    let (folder, run) = RunFolder::resume(new)?;
    let done: Done = run.summary.iter().map(SummaryRow::point).collect();
    let (base, _) = RunFolder::resume_where(&base, |point| done.contains(point))?;
    Ok(([base, folder], done))
}

/// The inputs with the points that are left.
pub(super) fn left(inputs: &[InputOrder], done: &Done) -> Vec<InputOrder> {
    let left = inputs.iter().cloned().filter_map(|mut order| {
        order.input.points.retain(|point| !done.contains(point));
        (!order.input.points.is_empty()).then_some(order)
    });
    left.collect()
}
