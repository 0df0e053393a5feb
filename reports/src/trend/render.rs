//! Trends as text.

use text::Untrusted;

use super::Moved;
use super::shift::{Direction, Shift, ShiftStatus, Trend};
use crate::frame::{Frame, json_text};
use crate::rank::RankedBy;
use crate::record::{Code, Identified};
use crate::row::{Cell, Record};
use crate::screen::Screen;
use crate::shape;
use crate::table::{Format, NOTHING, Side, Table, TableError, Tabular, for_people};
use crate::units;

/// Columns for people.
fn columns(by: RankedBy) -> [(&'static str, Side); 7] {
    let change = match by {
        RankedBy::Time => "change of time",
        RankedBy::Energy => "change of energy",
    };
    [
        ("point", Side::Left),
        ("on", Side::Left),
        ("since", Side::Left),
        ("before", Side::Right),
        ("after", Side::Right),
        (change, Side::Right),
        ("state", Side::Left),
    ]
}

/// Selection of listed points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Points with changes.
    Changes,
    /// All points.
    All,
}

/// Trends of points, of which some are listed.
#[derive(Clone, Copy, Debug)]
pub struct Trends<'a> {
    /// The trends.
    pub all: &'a [Trend],
    /// Those that are listed.
    pub listing: Listing,
}

impl<'a> Trends<'a> {
    fn listed(&self) -> Vec<&'a Trend> {
        let is_listed = |trend: &&Trend| {
            self.listing == Listing::All
                || !trend.shifts.is_empty()
                || trend.history.moved.is_some()
        };
        self.all.iter().filter(is_listed).collect()
    }
}

impl Tabular for Trends<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let listed = self.listed();
        let is_row = |(trend, shift): &(&Trend, Option<&Shift>)| {
            self.listing == Listing::All || shift.is_some() || trend.history.moved.is_none()
        };
        let levels = rows(&listed).filter(is_row).map(|(trend, shift)| cells(trend, shift));
        let moves = listed.iter().filter_map(|trend| {
            trend.history.moved.as_ref().map(|moved| moved_cells(trend, moved))
        });
        let by = self.all.first().map_or_else(RankedBy::default, |trend| trend.history.by);
        let table = Table::new(&columns(by), moves.chain(levels));
        vec![table.without_if_narrow(&["before", "after"])]
    }

    fn frame(&self) -> Frame {
        let listed = self.listed();
        let records = rows(&listed).map(|(trend, shift)| record(trend, shift));
        Frame::new(&record(&Trend::default(), None), records)
    }

    fn text(&self, format: Format, screen: Screen) -> String {
        let table = for_people(format, &self.tables(screen), screen.plain());
        let is_apart = format == Format::Markdown && !self.listed().is_empty();
        format!("{table}{}{}\n", if is_apart { "\n" } else { "" }, sentence(self.all))
    }

    fn json(&self) -> Result<String, TableError> {
        Ok(json_text(&self.listed())?)
    }
}

/// `40 points in 5 to 90 runs: 2 changes, of which 1 is to be looked at`
fn sentence(trends: &[Trend]) -> String {
    let runs = || trends.iter().map(|trend| trend.history.entries.len());
    let shifts: usize = trends.iter().map(|trend| trend.shifts.len()).sum();
    let alarms: usize = trends.iter().map(|trend| trend.alarms().count()).sum();
    let range = match (runs().min(), runs().max()) {
        (Some(min), Some(max)) if min < max => format!(" in {min} to {max} runs"),
        (Some(runs), _) => format!(" in {}", units::counted(runs, "run")),
        _ => String::new(),
    };
    let moved = trends.iter().filter(|trend| trend.history.moved.is_some()).count();
    let elsewhere = match moved {
        0 => String::new(),
        moved => format!(
            "; {} measured on another machine than before, and not compared with it",
            units::counted(moved, "point")
        ),
    };
    format!(
        "{}{range}: {}, of which {alarms} to be looked at{elsewhere}",
        units::counted(trends.len(), "point"),
        units::counted(shifts, "change"),
    )
}

/// A row for each change, and one for each history without any.
fn rows<'a>(trends: &[&'a Trend]) -> impl Iterator<Item = (&'a Trend, Option<&'a Shift>)> {
    trends.iter().flat_map(|trend| {
        let steady = trend.shifts.is_empty().then_some(None);
        let rows = trend.shifts.iter().map(Some).chain(steady);
        rows.map(move |shift| (*trend, shift))
    })
}

fn cells(trend: &Trend, shift: Option<&Shift>) -> [String; 7] {
    let [point, on] = names(trend);
    let time = |value: f64| trend.history.by.words(value);
    let Some(shift) = shift else {
        let level = time(trend.levels.last().map_or(f64::NAN, |level| level.median_s));
        let nothing = NOTHING.to_owned();
        return [point, on, nothing.clone(), level.clone(), level, nothing, "steady".to_owned()];
    };
    let since = trend.first_entry(shift);
    let start = if since.run.is_empty() { &since.started } else { &since.run };
    let before = time(shift.before_s);
    let after = time(shift.after_s);
    [
        point,
        on,
        start.clone(),
        before,
        after,
        units::change(shift.ratio()),
        words_by(trend.history.by, shift),
    ]
}

/// A row for a point that was measured on another machine before.
fn moved_cells(trend: &Trend, moved: &Moved) -> [String; 7] {
    let [point, on] = names(trend);
    let time = |value: f64| trend.history.by.words(value);
    let since =
        trend.history.entries.first().map_or(NOTHING, |entry| {
            if entry.run.is_empty() { &entry.started } else { &entry.run }
        });
    let before = time(moved.before_s);
    let after = time(moved.after_s);
    let words = moved_words(trend, moved);
    [point, on, since.to_owned(), before, after, units::change(moved.ratio()), words]
}

/// `the machine changed from KEY to KEY (differs in 2 instead of 1 cores)`
pub fn moved_words(trend: &Trend, moved: &Moved) -> String {
    let key = |key: &str| key.escaped().to_string();
    let from = key(&moved.from);
    let to = key(&trend.history.machine_key);
    let differs: Vec<_> = moved.differs.iter().map(|it| it.escaped().to_string()).collect();
    let differs = match differs.as_slice() {
        [] => "no recorded difference".to_owned(),
        differs => format!("differs: {}", differs.join(", ")),
    };
    if from == to {
        format!("the machine changed ({differs})")
    } else {
        format!("the machine changed from {from} to {to} ({differs})")
    }
}

/// The variant with its task, and the setting.
pub fn names(trend: &Trend) -> [String; 2] {
    let point = &trend.history.point;
    let name = format!("{} {}", point.algorithm.escaped(), point.variant.escaped());
    [shape::on_device(name, &point.device), shape::phrases(&shape::point_axes(point))]
}

/// State of a change: `SLOWER, same code: the environment`.
pub fn words(shift: &Shift) -> String {
    words_by(RankedBy::Time, shift)
}

fn words_by(by: RankedBy, shift: &Shift) -> String {
    let what = shift.direction.name_by(by);
    let code = match shift.code {
        Code::Same => ", same code: the environment changed",
        Code::Changed | Code::Unknown => "",
    };
    match &shift.standing {
        ShiftStatus::Open if shift.is_alarm() => format!("{}{code}", what.to_uppercase()),
        ShiftStatus::Open => format!("{what}{code}"),
        ShiftStatus::Accepted(note) => format!("{what}, accepted: {}", note.escaped()),
        ShiftStatus::Undone => format!("{what}, undone since"),
    }
}

fn record<'a>(trend: &'a Trend, shift: Option<&'a Shift>) -> Record<'a> {
    let history = &trend.history;
    let since = shift.map(|shift| trend.first_entry(shift));
    let by_time = history.by == RankedBy::Time;
    Record::default()
        .with("machine_key", &history.machine_key)
        .with("gpu", history.gpu.as_deref())
        .with("machine_before", history.moved.as_ref().map(|moved| moved.from.as_str()))
        .with("machine_ratio", history.moved.as_ref().map(Moved::ratio))
        .and(Identified::from(&history.point).into())
        .spread("axis", history.point.params.iter())
        .with("runs", history.entries.len())
        .with("threshold", trend.threshold)
        .with("run", since.map(|entry| entry.run.as_str()))
        .with("started", Cell::Time(since.map_or("", |entry| &entry.started)))
        .with("git_commit", since.and_then(|entry| entry.git_commit.as_deref()))
        .with("before_s", shift.map(|shift| shift.before_s).filter(|_| by_time))
        .with("after_s", shift.map(|shift| shift.after_s).filter(|_| by_time))
        .with("ratio", shift.map(Shift::ratio))
        .with("p_value", shift.map(|shift| shift.p_value))
        .with("code", shift.map_or_else(|| Cell::from(""), |shift| shift.code.into()))
        .with("state", shift.map_or("steady", state))
        .with("note", shift.map_or("", note))
        .with("by", history.by)
        .with("before_j_per_item", shift.map(|shift| shift.before_s).filter(|_| !by_time))
        .with("after_j_per_item", shift.map(|shift| shift.after_s).filter(|_| !by_time))
}

fn state(shift: &Shift) -> &'static str {
    match (&shift.standing, shift.direction) {
        (ShiftStatus::Open, Direction::Slower) => "alarm",
        (ShiftStatus::Open, Direction::Faster) => "faster",
        (ShiftStatus::Accepted(_), _) => "accepted",
        (ShiftStatus::Undone, _) => "undone",
    }
}

fn note(shift: &Shift) -> &str {
    match &shift.standing {
        ShiftStatus::Accepted(note) => note,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::history;
    use super::super::{AcceptedShift, ShiftLimits, trends};
    use super::*;

    fn shown(format: Format, all: &[Trend], listing: Listing) -> String {
        Trends { all, listing }.render(format, Screen::default()).expect("a text")
    }

    fn found() -> Vec<Trend> {
        let histories = vec![
            history("steady", &[(20, 1e-3)]),
            history("alarm", &[(20, 1e-3), (10, 1.1e-3)]),
            history("known", &[(20, 1e-3), (10, 1.1e-3)]),
        ];
        let accepted = AcceptedShift {
            run: "night-20".into(),
            variants: vec!["known".into()],
            note: "more, \"but\" right".into(),
            ..AcceptedShift::default()
        };
        trends(histories, &ShiftLimits::default(), &[accepted])
    }

    #[test]
    fn tables_show_changes_and_numbers_of_points() {
        let text = shown(Format::Table, &found(), Listing::Changes);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1].starts_with("sort alarm ") && lines[1].ends_with("SLOWER"));
        assert!(lines[1].contains("night-20") && lines[1].contains("+10."), "{text}");
        assert!(lines[2].ends_with("accepted: more, \"but\" right"), "{text}");
        let expected = "3 points in 20 to 30 runs: 2 changes, of which 1 to be looked at";
        assert_eq!(lines[3], expected);
        let all = shown(Format::Markdown, &found(), Listing::All);
        assert!(all.contains("| steady |"), "{all}");
    }

    #[test]
    fn programs_get_a_row_a_change() {
        let text = shown(Format::Csv, &found(), Listing::All);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let at = |name: &str| header.iter().position(|column| column == name).expect(name);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let rows = rows.expect("well formed");
        let states: Vec<&str> = rows.iter().map(|row| &row[at("state")]).collect();
        assert_eq!(states, ["steady", "alarm", "accepted"]);
        assert_eq!(&rows[1][at("run")], "night-20");
        assert_eq!(&rows[2][at("note")], "more, \"but\" right");
        let json = shown(Format::Json, &found(), Listing::All);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[1]["shifts"][0]["standing"], "open");
        assert_eq!(json[2]["shifts"][0]["standing"]["accepted"], "more, \"but\" right");
    }

    #[test]
    fn energies_have_their_own_unit_and_columns() {
        let mut history = history("hungry", &[(20, 1e-8), (10, 1.1e-8)]);
        history.by = RankedBy::Energy;
        let found = trends(vec![history], &ShiftLimits::default(), &[]);
        let text = shown(Format::Table, &found, Listing::Changes);
        for words in ["change of energy", " nJ", "+10.", "MORE"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let csv = shown(Format::Csv, &found, Listing::All);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let row = reader.records().next().expect("a row").expect("well formed");
        let value = |name: &str| &row[header.iter().position(|column| column == name).expect(name)];
        assert_eq!((value("by"), value("before_s")), ("energy", ""));
        let after: f64 = value("after_j_per_item").parse().expect("a number");
        assert!((1e-8..1.2e-8).contains(&after), "{csv}");
        let json: serde_json::Value =
            serde_json::from_str(&shown(Format::Json, &found, Listing::All)).expect("JSON");
        assert_eq!(json[0]["by"], "energy");
    }

    #[test]
    fn a_step_across_machines_is_listed_and_not_judged() {
        let mut history = history("a", &[(3, 3e-3)]);
        let differs = vec!["1 instead of 2 cores".to_owned()];
        history.moved =
            Some(Moved { from: "before".into(), differs, before_s: 1e-3, after_s: 3e-3 });
        let trends = trends(vec![history], &ShiftLimits::default(), &[]);
        let text = shown(Format::Table, &trends, Listing::Changes);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains("night-00") && lines[1].contains("3.0 ×"), "{text}");
        let words = "the machine changed from before to key (differs: 1 instead of 2 cores)";
        assert!(lines[1].ends_with(words), "{text}");
        assert!(lines[2].ends_with("on another machine than before, and not compared with it"));
        let all = shown(Format::Table, &trends, Listing::All);
        assert!(all.contains(words) && all.contains("steady"), "{all}");
        let csv = shown(Format::Csv, &trends, Listing::Changes);
        assert!(csv.contains(",before,") && csv.contains("machine_before"), "{csv}");
    }

    #[test]
    fn silent_axes_are_omitted() {
        let text = shown(Format::Table, &[], Listing::All);
        assert_eq!(text, "0 points: 0 changes, of which 0 to be looked at\n");
    }
}
