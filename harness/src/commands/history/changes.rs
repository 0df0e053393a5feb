//! `bench history changes`: when did points change?

use std::path::Path;

use reports::charts;
use reports::history::Store;
use reports::store::RunSummary;
use reports::table::Format;
use reports::trend::{self, AcceptedShift, Listing, PointHistory, Trend};
use text::Untrusted;

use super::{accepted_shifts, moved};
use crate::failure::{Exit, Failure};
use crate::request::ChangesRequest;

pub(super) fn run(store: &Store, request: &ChangesRequest) -> Result<Exit, Failure> {
    let accepted = accepted(store, request.judging.accepted_shifts.as_deref())?;
    let runs = store.summaries(&request.filter())?;
    let mut histories = point_histories(&runs);
    // Accepted changes of points that are not selected are not checked.
    let points = request.points.filter();
    histories.retain(|history| points.takes(&history.point));
    if histories.is_empty() {
        let store = store.root().escaped();
        let nothing = format!("nothing was compared: no such valid point in {store}");
        return Err(Failure::NothingMeasured(nothing));
    }
    let unjudged = moved::unjudged(&histories);
    let moved = (!unjudged.is_empty()).then(|| moved::words(&unjudged, &histories));
    let trends = trend::trends(histories, &request.judging.limits(), &accepted);
    if let Some(folder) = &request.out {
        draw(folder, &trends, request.listing)?;
    }
    super::super::put(&request.format, |format, screen| {
        Ok(trend::render_on(screen, format, &trends, request.listing)?)
    })?;
    if let Some(moved) = &moved {
        super::super::say(moved);
    }
    let alarms: usize = trends.iter().map(|trend| trend.alarms().count()).sum();
    if alarms > 0 && request.format.stdout == Format::Table {
        super::super::say(&advice(store, request));
    }
    let found = if alarms > 0 { Exit::Regression } else { Exit::Success };
    let judged = if moved.is_some() { Exit::NothingMeasured } else { Exit::Success };
    Ok(if request.judging.check { found.and(judged) } else { Exit::Success })
}

/// Reads the accepted changes; none if the store has no such file.
pub(in crate::commands) fn accepted(
    store: &Store,
    given: Option<&Path>,
) -> Result<Vec<AcceptedShift>, Failure> {
    let own = store.root().join(accepted_shifts::FILE);
    match given {
        Some(file) => Ok(accepted_shifts::read(file)?),
        None if own.exists() => Ok(accepted_shifts::read(&own)?),
        None => Ok(Vec::new()),
    }
}

fn point_histories(runs: &[RunSummary]) -> Vec<PointHistory> {
    let runs = runs.iter();
    trend::point_histories(runs.map(|run| (run.id.as_str(), &run.record, &run.rows[..])))
}

fn draw(folder: &Path, trends: &[Trend], listing: Listing) -> Result<(), Failure> {
    let is_shown = |trend: &&Trend| listing == Listing::All || !trend.shifts.is_empty();
    let shown: Vec<&Trend> = trends.iter().filter(is_shown).collect();
    for path in charts::write(folder, &charts::draw_trends(&shown)?)? {
        super::super::say(&format!("chart: {}", path.escaped()));
    }
    Ok(())
}

fn advice(store: &Store, request: &ChangesRequest) -> String {
    let own = store.root().join(accepted_shifts::FILE);
    let file = request.judging.accepted_shifts.as_ref().unwrap_or(&own);
    format!(
        "to accept a change, write into {}:\n\n[[accepted]]\nrun = \"…\"    # see \"since\"\nnote = \"…\"",
        file.escaped()
    )
}
