//! `bench history changes`: when did points change?

use std::path::Path;

use reports::history::Store;
use reports::store::RunSummary;
use reports::table::Format;
use reports::trend::{self, AcceptedShift, Listing, PointHistory, Trend};
use reports::{charts, units};
use text::Untrusted;

use super::accepted_shifts;
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
    let unjudged = unjudged(&histories);
    let moved = (!unjudged.is_empty()).then(|| moved_words(&unjudged, &histories));
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

/// Runs from which on a change is seen: two levels of three runs each.
const MIN_RUNS: usize = 6;
/// Points that are named.
const NAMED: usize = 5;

/// The histories that are continued on another machine and are too short there to be judged.
pub(super) fn unjudged(histories: &[PointHistory]) -> Vec<&PointHistory> {
    histories.iter().filter(|history| before(history, histories).is_some()).collect()
}

/// The history of the same point on the machine before, if this one is too short to be judged.
fn before<'a>(history: &PointHistory, histories: &'a [PointHistory]) -> Option<&'a PointHistory> {
    let first = history.entries.first().filter(|_| history.entries.len() < MIN_RUNS)?;
    // Machines that take turns have a history of their own each.
    let has_ended = |other: &&PointHistory| {
        other.entries.last().is_some_and(|last| last.started < first.started)
    };
    let others = histories
        .iter()
        .filter(|other| other.point == history.point && other.machine_key != history.machine_key);
    others.filter(has_ended).max_by(|a, b| end(a).cmp(&end(b)))
}

fn end(history: &PointHistory) -> Option<&str> {
    history.entries.last().map(|entry| entry.started.as_str())
}

/// The points that can't be judged, in a sentence.
fn moved_words(unjudged: &[&PointHistory], histories: &[PointHistory]) -> String {
    let name = |history: &&PointHistory| {
        let point = &history.point;
        let from = before(history, histories).map_or("", |other| &other.machine_key);
        format!(
            "{} {} (machine {}, {} there, before on machine {})",
            point.algorithm.escaped(),
            point.variant.escaped(),
            history.machine_key.escaped(),
            units::counted(history.entries.len(), "run"),
            from.escaped()
        )
    };
    let names: Vec<String> = unjudged.iter().take(NAMED).map(name).collect();
    let more = match unjudged.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "not judged: the machine of {} changed, and fewer than {MIN_RUNS} runs show no change: \
         {}{more}",
        units::counted(unjudged.len(), "point"),
        names.join("; ")
    )
}
