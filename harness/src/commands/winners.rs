//! `bench winners`: fastest variant at each setting.

use reports::charts;
use reports::rank::{Rank, RankedBy};
use reports::record::{RunRecord, SummaryRow};
use reports::store::{read_run, read_summary};
use reports::table::Tabular;
use reports::winners::{self, Winners};
use text::{SENTENCE, Untrusted};

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::WinnersRequest;

pub(super) fn run(request: &WinnersRequest) -> Result<Exit, Failure> {
    let folder = runs::folder(&request.run, &request.store, None)?;
    let record = read_run(&folder)?;
    runs::say_if_unfinished(&record, &folder);
    let shown = request.points.filter();
    let mut rows = read_summary(&folder)?;
    rows.retain(|row| shown.takes(&row.point()));
    if !rows.iter().any(|row| row.valid_median().is_some()) {
        let nothing = format!("{} has no such point with a valid time", folder.escaped());
        return Err(Failure::NothingMeasured(nothing));
    }
    if request.by == RankedBy::Energy {
        refuse_without_energy(request, &record, &rows)?;
    }
    refuse_unknown_axes(request, &winners::axes(&rows, request.rank))?;
    let table = Winners { run: &record, rows: &rows, rank: request.rank, by: request.by };
    super::put(&request.format, |format, screen| Ok(table.render(format, screen)?))?;
    if let Some(out) = &request.out {
        let maps = charts::draw_winners(&record, &rows, request.rank, &request.over)?;
        match charts::write(out, &maps)?.as_slice() {
            [] => super::say("no map was drawn: the run has a single setting"),
            paths => paths.iter().for_each(|path| super::say(&path.escaped().to_string())),
        }
    }
    Ok(Exit::Success)
}

/// Refuses what is not there of energies: maps, those of kernels, and all of a run without any.
fn refuse_without_energy(
    request: &WinnersRequest,
    record: &RunRecord,
    rows: &[SummaryRow],
) -> Result<(), Failure> {
    if request.out.is_some() || request.rank == Rank::Kernel {
        let problem =
            "--by energy ranks whole runs and draws no map; leave out --charts and --rank";
        return Err(Failure::Usage(problem.to_owned()));
    }
    if rows.iter().any(|row| request.by.value(row).is_some()) {
        return Ok(());
    }
    let meters = record.energy.as_ref().map_or_else(String::new, |energy| {
        let gpus = energy.gpus.iter().map(|(gpu, state)| format!("; {gpu}: {state}"));
        let command = energy.command.iter().map(|it| format!("; --power-command: {}", it.state));
        let others: String = gpus.chain(command).collect();
        format!(" (processors: {}{others})", energy.processors)
    });
    let nothing = format!("energy is not available of any such point{meters}");
    Err(Failure::NothingMeasured(nothing.escaped().at_most(SENTENCE).to_string()))
}

fn refuse_unknown_axes(request: &WinnersRequest, known: &[String]) -> Result<(), Failure> {
    let Some(unknown) = request.over.iter().find(|axis| !known.contains(axis)) else {
        return Ok(());
    };
    let known = match known {
        [] => "none does".to_owned(),
        known => known.join(", "),
    };
    Err(Failure::Usage(format!("--over {unknown}: no such axis varies in this run ({known})")))
}
