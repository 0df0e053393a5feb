//! Whether a stream fits into memory, before any of it is made.

use reports::units;

use crate::plan::{Input, Origin, Plan, PlanError};
use crate::platform::available_memory;
use crate::request::StreamRequest;

/// What the system and this process need beside the data.
const RESERVE: u64 = 512 << 20;

// Parts of what a timeslice takes when it is measured by all variants, as was found with a millisecond
// of gold on gold in memory of the source and of workers.

/// A prepared timeslice: here, while it is made, and in the memory that is shared.
const PREPARED: f64 = 0.11;
/// The same with raw data.
const PREPARED_RAW: f64 = 0.13;
/// What the references take, one timeslice after the other.
const REFERENCE: f64 = 0.2;
/// A worker's buffers for the largest timeslice, and what it has found.
const WORKER: f64 = 0.26;
/// The same of a worker that keeps objects, or that is not known.
const HUNGRY_WORKER: f64 = 0.6;
/// What a timeslice takes when it is measured by all variants, over the bytes of its digis.
const OVER_INPUT: u64 = 60;
/// What events take beside: digis that are sorted, at most, and copies.
const EVENTS: f64 = 0.04;
/// Bytes for each module of a detector that gives raw data: tables of its e-links, for each timeslice in
/// each process.
const TABLES: u64 = 72 << 10;

/// The part that a worker takes by a variant.
fn worker_share(variant: &str) -> f64 {
    match variant {
        "time-sweep" | "per-side" | "online" | "online-serial-zero" => WORKER,
        _ => HUNGRY_WORKER,
    }
}

/// Refuses what does not fit into memory: the prepared timeslices, a reference, and what each
/// worker takes for one.
///
/// # Errors
/// How much is needed and how much there is.
pub(super) fn check_memory(
    request: &StreamRequest,
    plan: &Plan,
    input: &Input,
) -> Result<(), PlanError> {
    let (processes, ring) = (request.flags.processes, request.flags.ring);
    let (of_one, ring, tables) = match &input.origin {
        Origin::Generated(params) => {
            let scenario = super::data::scenario(params)?;
            let modules = scenario.segments() as u64 / 2;
            let tables = params.get("from").map(|_| modules * TABLES);
            (input.memory_bytes / u64::from(scenario.timeslices.max(1)), ring, tables)
        }
        // As if all of them were one; its tables are in it.
        Origin::Read { case, .. } => (case.work().input_bytes.saturating_mul(OVER_INPUT), 1, None),
    };
    let names = input.candidates.iter().map(|candidate| plan.variant(candidate).name);
    let of_worker = names.map(worker_share).fold(0.0, f64::max)
        + request.events.as_ref().map_or(0.0, |_| EVENTS);
    let prepared = tables.map_or(PREPARED, |_| PREPARED_RAW);
    let timeslices = REFERENCE + prepared * ring as f64 + of_worker * processes as f64;
    let tables = tables.unwrap_or_default().saturating_mul(ring).saturating_mul(processes + 1);
    let needed =
        ((timeslices * of_one as f64) as u64).saturating_add(tables).saturating_add(RESERVE);
    let available = available_memory();
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{ring} prepared timeslices and {} need {} of memory, but {} are available; use a smaller \
         --scale or --ring, or fewer --processes",
        units::counted(processes as usize, "worker"),
        units::bytes(needed as f64),
        units::bytes(available as f64),
    )))
}
