//! Memory estimate of a stream, before anything is allocated.

use reports::units;

use crate::plan::{Input, Origin, Plan, PlanError};
use crate::platform::available_memory;
use crate::request::StreamRequest;

/// Memory for the system and this process in addition to the data.
const RESERVE: u64 = 512 << 20;

/// Returns an error if the prepared timeslices, a reference and the buffers of each worker do not
/// fit into memory. An error reports the required and the available amount.
pub(super) fn check_memory(
    request: &StreamRequest,
    plan: &Plan,
    input: &Input,
) -> Result<(), PlanError> {
    let processes = request.flags.processes;
    let ring = request.flags.ring;
    let params = match &input.origin {
        Origin::Generated(params) => Some(params),
        Origin::Read { .. } => None,
    };
    let names: Vec<_> = input.candidates.iter().map(|it| plan.variant(it).name).collect();
    let memory = request.task.stream_memory(params, &names, request.stage.is_some());
    let (of_one, ring) = match &input.origin {
        Origin::Generated(params) => {
            let frames = request.task.frame(params)?.frames;
            (input.memory_bytes / u64::from(frames.max(1)), ring)
        }
        // All timeslices are counted as one; its tables are included.
        Origin::Read { case, .. } => (case.work().input_bytes.saturating_mul(memory.over_input), 1),
    };
    let timeslices =
        memory.reference + memory.prepared * ring as f64 + memory.worker * processes as f64;
    let tables = memory.table_bytes.saturating_mul(ring).saturating_mul(processes + 1);
    let needed =
        ((timeslices * of_one as f64) as u64).saturating_add(tables).saturating_add(RESERVE);
    let available = available_memory();
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{ring} prepared timeslices and {} need {} of memory, but {} are available; use a smaller \
         --{} or --ring, or fewer --processes",
        units::counted(processes as usize, "worker"),
        units::bytes(needed as f64),
        units::bytes(available as f64),
        request.task.open_loop().length_flag,
    )))
}
