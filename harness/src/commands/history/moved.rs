//! Points that another machine measures now: their history there is not comparable with runs here.

use reports::trend::PointHistory;
use reports::units;
use text::Untrusted;

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
pub(super) fn words(unjudged: &[&PointHistory], histories: &[PointHistory]) -> String {
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
