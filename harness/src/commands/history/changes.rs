//! `bench history changes`: when did points change? With a file of reviewed and accepted changes.
//!
//! ```toml
//! [[accepted]]
//! run = "20260131T120000Z-nightly"
//! note = "hits are sorted, too"
//! task = "sts"
//! variant = ["online", "time-sweep"]
//! params = { preset = "cbm-auau" }
//! ```

use std::path::Path;

use files::{LARGEST_DOCUMENT, read_text};
use reports::history::Store;
use reports::rank::RankedBy;
use reports::store::RunSummary;
use reports::table::{Format, Tabular};
use reports::trend::{self, AcceptedShift, Listing, PointHistory, Trend, Trends};
use reports::{charts, units};
use text::Untrusted;

use crate::document::{self, Entry, InvalidDocument, Section};
use crate::failure::{Exit, Failure};
use crate::request::ChangesRequest;
use crate::request::values::{and_more, instead_of};
use crate::suite::SuiteError;

pub(super) fn run(store: &Store, request: &ChangesRequest) -> Result<Exit, Failure> {
    if request.by == RankedBy::Energy && request.out.is_some() {
        let problem = "--by energy draws no chart; leave out --charts";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let accepted = accepted(store, request.judging.accepted_shifts.as_deref())?;
    let runs = store.summaries(&request.filter())?;
    let mut histories = point_histories(request.by, &runs);
    // Accepted changes of points that are not selected are not checked.
    let points = request.points.filter();
    histories.retain(|history| points.takes(&history.point));
    if histories.is_empty() {
        let store = store.root().escaped();
        let what = match request.by {
            RankedBy::Time => "valid point",
            RankedBy::Energy => "point with an energy",
        };
        let nothing = format!("nothing was compared: no such {what} in {store}");
        return Err(Failure::NothingMeasured(nothing));
    }
    let unjudged = unjudged(&histories);
    let moved = (!unjudged.is_empty()).then(|| moved_words(&unjudged, &histories));
    let trends = trend::trends(histories, &request.judging.limits(), &accepted);
    if let Some(folder) = &request.out {
        draw(folder, &trends, request.listing)?;
    }
    let table = Trends { all: &trends, listing: request.listing };
    super::super::put(&request.format, |format, screen| Ok(table.render(format, screen)?))?;
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
    let own = store.root().join(ACCEPTED_SHIFTS);
    match given {
        Some(file) => Ok(read_accepted_shifts(file)?),
        None if own.exists() => Ok(read_accepted_shifts(&own)?),
        None => Ok(Vec::new()),
    }
}

fn point_histories(by: RankedBy, runs: &[RunSummary]) -> Vec<PointHistory> {
    let runs = runs.iter();
    trend::histories_by(by, runs.map(|run| (run.id.as_str(), &run.record, &run.rows[..])))
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
    let own = store.root().join(ACCEPTED_SHIFTS);
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
    format!(
        "not judged: the machine of {} changed, and fewer than {MIN_RUNS} runs show no change: \
         {}{}",
        units::counted(unjudged.len(), "point"),
        names.join("; "),
        and_more(";", unjudged.len(), NAMED)
    )
}

/// The name of the file in a store.
const ACCEPTED_SHIFTS: &str = "accepted-shifts.toml";

const KEYS: [&str; 6] = ["run", "note", "task", "variant", "device", "params"];

/// Reads the file.
fn read_accepted_shifts(path: &Path) -> Result<Vec<AcceptedShift>, SuiteError> {
    let text = read_text(path, LARGEST_DOCUMENT)
        .map_err(|source| SuiteError::Unreadable { path: path.to_owned(), source })?;
    Ok(parse_accepted_shifts(&path.escaped().to_string(), &text)?)
}

/// Reads the file from its text; `path` is for messages.
pub(crate) fn parse_accepted_shifts(
    path: &str,
    text: &str,
) -> Result<Vec<AcceptedShift>, InvalidDocument> {
    document::read(path, text, |root| {
        for entry in root.entries().filter(|entry| entry.key != "accepted") {
            let key = entry.key.quoted();
            entry.problem(format!("unknown key {key}; there is: accepted"));
        }
        root.sections("accepted").into_iter().map(shift).collect()
    })
}

/// One `[[accepted]]`.
fn shift(section: Section<'_>) -> AcceptedShift {
    let mut shift = AcceptedShift::default();
    for entry in section.entries() {
        match entry.key {
            "run" => shift.run = text_of(entry),
            "note" => shift.note = text_of(entry),
            "task" => shift.tasks = entry.texts(),
            "variant" => shift.variants = entry.texts(),
            "device" => shift.devices = entry.texts(),
            "params" => shift.params = params(entry),
            key => {
                let instead = instead_of(key, &KEYS);
                entry.problem(format!("unknown key {}; {instead}", key.quoted()));
            }
        }
    }
    if shift.run.is_empty() {
        section
            .problem("run is needed: the id of the first run after the change, or its beginning");
    }
    if shift.note.is_empty() {
        section.problem("note is needed: why this is all right");
    }
    shift
}

fn text_of(entry: Entry<'_>) -> String {
    entry.word().map_or_else(String::new, |word| word.text)
}

fn params(entry: Entry<'_>) -> Vec<(String, String)> {
    let params = entry.section().into_iter().flat_map(Section::entries);
    params.map(|param| (param.key.to_owned(), text_of(param))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_accepted_for_some_points_and_a_reason() {
        let text = r#"
            [[accepted]]
            run = "20260131T120000Z-nightly"
            note = "hits are sorted, too"
            task = "sts"
            variant = ["online", "time-sweep"]
            params = { preset = "cbm-auau", segments = 24 }
            [[accepted]]
            run = "2026"
            note = "another kernel"
        "#;
        let shifts =
            parse_accepted_shifts("f.toml", text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(shifts.len(), 2);
        assert_eq!(shifts[0].tasks, ["sts"]);
        assert_eq!(shifts[0].variants.len(), 2);
        let segments = ("segments".to_owned(), "24".to_owned());
        assert!(shifts[0].params.contains(&segments));
        assert!(shifts[1].tasks.is_empty() && shifts[1].note == "another kernel");
    }

    #[test]
    fn all_problems_are_reported_by_line() {
        let text = "[[accepted]]\nrum = \"x\"\nparams = 1\n[other]\n";
        let error = parse_accepted_shifts("f.toml", text).expect_err("wrong").to_string();
        for message in [
            "5 problems in f.toml",
            "f.toml:1:1: note is needed",
            "f.toml:1:1: run is needed",
            "f.toml:2:1: unknown key \"rum\"; did you mean \"run\"?",
            "f.toml:3:1: params is a table of its own",
            "f.toml:4:2: unknown key \"other\"",
        ] {
            assert!(error.contains(message), "{message}: {error}");
        }
        assert!(parse_accepted_shifts("f.toml", "[[accepted").is_err());
        assert!(parse_accepted_shifts("f.toml", "").is_ok_and(|shifts| shifts.is_empty()));
    }
}
