//! Memory estimate of a stream, before anything is allocated.

use reports::units;

use crate::plan::{Input, Origin, Plan, PlanError};
use crate::platform::available_memory;
use crate::request::StreamRequest;

/// Memory for the system and this process in addition to the data.
const RESERVE: u64 = 512 << 20;

// Shares relative to the memory of a timeslice that is measured with all variants, determined with
// a millisecond of gold on gold in the source and in workers.

/// Share of a prepared timeslice: in this process while it is generated, and in shared memory.
const PREPARED: f64 = 0.11;
/// Share of a prepared timeslice with raw data.
const PREPARED_RAW: f64 = 0.13;
/// Share of the reference algorithms, which process one timeslice after the other.
const REFERENCE: f64 = 0.2;
/// Share of a worker's buffers for the largest timeslice, and of its output.
const WORKER: f64 = 0.26;
/// Share of a worker that uses objects, or whose variant is unknown.
const LARGE_WORKER: f64 = 0.6;
/// Memory of a timeslice that is measured with all variants, in multiples of the bytes of its
/// digis.
const OVER_INPUT: u64 = 60;
/// Additional share for events: sorted digis, at most, and copies.
const EVENTS: f64 = 0.04;
/// Bytes per module of a detector with raw data: tables of its e-links, for each timeslice in each
/// process.
const TABLES: u64 = 72 << 10;

/// Share of a worker, by variant.
fn worker_share(variant: &str) -> f64 {
    match variant {
        "time-sweep" | "per-side" | "online" | "online-serial-zero" => WORKER,
        _ => LARGE_WORKER,
    }
}

/// Returns an error if the prepared timeslices, a reference and the buffers of each worker do not
/// fit into memory. An error reports the required and the available amount.
pub(super) fn check_memory(
    request: &StreamRequest,
    plan: &Plan,
    input: &Input,
) -> Result<(), PlanError> {
    let processes = request.flags.processes;
    let ring = request.flags.ring;
    let (of_one, ring, tables) = match &input.origin {
        Origin::Generated(params) => {
            let scenario = super::data::scenario(params)?;
            let modules = scenario.segments() as u64 / 2;
            let tables = params.get("from").map(|_| modules * TABLES);
            (input.memory_bytes / u64::from(scenario.timeslices.max(1)), ring, tables)
        }
        // All timeslices are counted as one; its tables are included.
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
