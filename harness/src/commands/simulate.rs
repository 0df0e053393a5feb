//! `bench simulate`: streams of a run, simulated as a farm.

use reports::simulation::{self, Changes, Simulated};
use reports::store::StreamRun;
use reports::table::Tabular;
use text::Untrusted;

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::SimulateRequest;

pub(super) fn run(request: &SimulateRequest) -> Result<Exit, Failure> {
    let folder = runs::folder(&request.run, &request.store, None)?;
    if !StreamRun::is_in(&folder) {
        let problem = format!("{} is no run of `bench stream`", folder.escaped());
        return Err(Failure::Usage(problem));
    }
    let stream = StreamRun::read(&folder)?;
    let changes = Changes {
        nodes: request.nodes.map(usize::from),
        speeds: request.speed.clone(),
        failures: request.failures.map(|failures| failures.0),
        duration_s: request.duration.map(|duration| duration.as_secs_f64()),
    };
    let rows = if changes == Changes::default() {
        simulation::validated(&stream, request.seed)
    } else {
        simulation::predicted(&stream, &changes, request.seed)
    };
    let rows =
        rows.map_err(|error| Failure::NothingMeasured(format!("{}: {error}", folder.escaped())))?;
    let table = Simulated { run: &stream.record, rows: &rows };
    super::put(&request.format, |format, screen| Ok(table.render(format, screen)?))?;
    Ok(Exit::Success)
}
