//! Points that another machine measures now: their history there is not comparable with runs here.

use reports::trend::Track;
use reports::units;
use text::Foreign;

/// Runs from which on a change is seen: two levels of three runs each.
const MIN_RUNS: usize = 6;
/// Points that are named.
const NAMED: usize = 5;

/// The tracks that are continued on another machine and are too short there to be judged.
pub(super) fn unjudged(tracks: &[Track]) -> Vec<&Track> {
    tracks.iter().filter(|track| before(track, tracks).is_some()).collect()
}

/// The track of the same point on the machine before, if this one is too short to be judged.
fn before<'a>(track: &Track, tracks: &'a [Track]) -> Option<&'a Track> {
    let first = track.visits.first().filter(|_| track.visits.len() < MIN_RUNS)?;
    // Machines that take turns have a history of their own each.
    let has_ended =
        |other: &&Track| other.visits.last().is_some_and(|last| last.started < first.started);
    let others = tracks
        .iter()
        .filter(|other| other.point == track.point && other.machine_key != track.machine_key);
    others.filter(has_ended).max_by(|a, b| end(a).cmp(&end(b)))
}

fn end(track: &Track) -> Option<&str> {
    track.visits.last().map(|visit| visit.started.as_str())
}

/// The points that can't be judged, in a sentence.
pub(super) fn words(unjudged: &[&Track], tracks: &[Track]) -> String {
    let name = |track: &&Track| {
        let point = &track.point;
        let from = before(track, tracks).map_or("", |other| &other.machine_key);
        format!(
            "{} {} (machine {}, {} there, before on machine {})",
            point.algorithm.shown(),
            point.variant.shown(),
            track.machine_key.shown(),
            units::counted(track.visits.len(), "run"),
            from.shown()
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
