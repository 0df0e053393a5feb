//! Trends as text.

use comfy_table::{Table, presets::NOTHING};
use serde::Serialize;

use super::shift::{Direction, Shift, Standing, Trend};
use crate::compare::Code;
use crate::markdown::{escaped, line};
use crate::shape;
use crate::table::{Format, TableError};
use crate::units;

/// What people see of a change.
const HEADINGS: [&str; 7] = ["point", "on", "since", "before", "after", "change", "state"];

/// Which trends people get to see; programs get those too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Those whose level changed.
    Changes,
    /// All, also those that stayed as they were.
    All,
}

/// A change, or a track without any, as a row for programs.
#[derive(Serialize)]
struct Row<'a> {
    machine_key: &'a str,
    algorithm: &'a str,
    variant: &'a str,
    device: &'a str,
    threads: usize,
    places: &'a str,
    bind: &'a str,
    cache: &'a str,
    params: String,
    runs: usize,
    threshold: f64,
    run: Option<&'a str>,
    started: Option<&'a str>,
    git_commit: Option<&'a str>,
    before_s: Option<f64>,
    after_s: Option<f64>,
    ratio: Option<f64>,
    p_value: Option<f64>,
    code: Option<Code>,
    state: &'static str,
    note: &'a str,
}

/// The trends as a text that ends with a line break.
///
/// # Errors
/// If they can't be serialised.
pub fn render(format: Format, trends: &[Trend], listing: Listing) -> Result<String, TableError> {
    let is_listed = |trend: &&Trend| listing == Listing::All || !trend.shifts.is_empty();
    let listed: Vec<&Trend> = trends.iter().filter(is_listed).collect();
    match format {
        Format::Table => Ok(terminal(&listed) + &sentence(trends) + "\n"),
        Format::Markdown => Ok(markdown(&listed) + &sentence(trends) + "\n"),
        Format::Csv => csv(&listed),
        Format::Json => Ok(serde_json::to_string_pretty(&listed)? + "\n"),
    }
}

/// `40 points in 5 to 90 runs: 2 changes, of which 1 is to be looked at`
fn sentence(trends: &[Trend]) -> String {
    let runs = || trends.iter().map(|trend| trend.track.visits.len());
    let shifts: usize = trends.iter().map(|trend| trend.shifts.len()).sum();
    let alarms: usize = trends.iter().map(|trend| trend.alarms().count()).sum();
    let range = match (runs().min(), runs().max()) {
        (Some(least), Some(most)) if least < most => format!(" in {least} to {most} runs"),
        (Some(runs), _) => format!(" in {}", shape::phrase("runs", &runs.to_string())),
        _ => String::new(),
    };
    format!(
        "{}{range}: {}, of which {alarms} to be looked at",
        shape::phrase("points", &trends.len().to_string()),
        shape::phrase("changes", &shifts.to_string()),
    )
}

fn terminal(trends: &[&Trend]) -> String {
    if trends.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(HEADINGS);
    table.add_rows(cells(trends));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
    }
    let lines = table.lines();
    lines.map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn markdown(trends: &[&Trend]) -> String {
    if trends.is_empty() {
        return String::new();
    }
    let head = line(HEADINGS.map(str::to_owned)) + &line(HEADINGS.map(|_| ":--".to_owned()));
    let rows = cells(trends).into_iter();
    let rows = rows.map(|cells| line(cells.map(|cell| escaped(&cell))));
    head + &rows.collect::<String>() + "\n"
}

/// A row for each change, and one for each track without any.
fn cells(trends: &[&Trend]) -> Vec<[String; 7]> {
    let of_trend = |trend: &&Trend| match trend.shifts.is_empty() {
        true => vec![steady(trend)],
        false => trend.shifts.iter().map(|shift| changed(trend, shift)).collect(),
    };
    trends.iter().flat_map(of_trend).collect()
}

fn changed(trend: &Trend, shift: &Shift) -> [String; 7] {
    let [point, on] = names(trend);
    let since = trend.first_visit(shift);
    let place = match since.run.as_str() {
        "" => &since.started,
        run => run,
    };
    [
        point,
        on,
        place.to_owned(),
        units::seconds(shift.before_s, 3),
        units::seconds(shift.after_s, 3),
        change(shift.ratio()),
        words(shift),
    ]
}

fn steady(trend: &Trend) -> [String; 7] {
    let [point, on] = names(trend);
    let level = trend.levels.last().map_or(f64::NAN, |level| level.median_s);
    let nothing = || "-".to_owned();
    let level = units::seconds(level, 3);
    [point, on, nothing(), level.clone(), level, nothing(), "steady".to_owned()]
}

/// The variant with its task, and what it was measured on.
fn names(trend: &Trend) -> [String; 2] {
    let point = &trend.track.point;
    let device = match point.device.as_str() {
        "cpu" => String::new(),
        device => format!(" on {device}"),
    };
    let axes = shape::phrases(&shape::point_axes(point));
    [format!("{} {}{device}", point.algorithm, point.variant), axes]
}

/// `+3.1 %`.
pub fn change(ratio: f64) -> String {
    let change = format!("{:+.1} %", (ratio - 1.0) * 100.0);
    change.replace('-', "\u{2212}")
}

/// What became of a change: `SLOWER, same code: the environment`.
fn words(shift: &Shift) -> String {
    let what = match shift.direction {
        Direction::Slower => "slower",
        Direction::Faster => "faster",
    };
    let code = match shift.code {
        Code::Same => ", by the same code: the environment changed",
        Code::Changed | Code::Unknown => "",
    };
    match &shift.standing {
        Standing::Open if shift.is_alarm() => format!("{}{code}", what.to_uppercase()),
        Standing::Open => format!("{what}{code}"),
        Standing::Accepted(note) => format!("{what}, accepted: {note}"),
        Standing::Undone => format!("{what}, undone since"),
    }
}

fn csv(trends: &[&Trend]) -> Result<String, TableError> {
    let failed = |error: &dyn std::fmt::Display| TableError::Csv(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for trend in trends {
        for row in rows(trend) {
            writer.serialize(row).map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn rows(trend: &Trend) -> Vec<Row<'_>> {
    match trend.shifts.is_empty() {
        true => vec![row(trend, None)],
        false => trend.shifts.iter().map(|shift| row(trend, Some(shift))).collect(),
    }
}

fn row<'a>(trend: &'a Trend, shift: Option<&'a Shift>) -> Row<'a> {
    let (track, point) = (&trend.track, &trend.track.point);
    let since = shift.map(|shift| trend.first_visit(shift));
    Row {
        machine_key: &track.machine_key,
        algorithm: &point.algorithm,
        variant: &point.variant,
        device: &point.device,
        threads: point.threads,
        places: &point.places,
        bind: &point.bind,
        cache: &point.cache,
        params: point.params.to_string(),
        runs: track.visits.len(),
        threshold: trend.threshold,
        run: since.map(|visit| visit.run.as_str()),
        started: since.map(|visit| visit.started.as_str()),
        git_commit: since.and_then(|visit| visit.git_commit.as_deref()),
        before_s: shift.map(|shift| shift.before_s),
        after_s: shift.map(|shift| shift.after_s),
        ratio: shift.map(Shift::ratio),
        p_value: shift.map(|shift| shift.p_value),
        code: shift.map(|shift| shift.code),
        state: shift.map_or("steady", state),
        note: shift.map_or("", note),
    }
}

/// `alarm` is what makes `--check` fail.
fn state(shift: &Shift) -> &'static str {
    match (&shift.standing, shift.direction) {
        (Standing::Open, Direction::Slower) => "alarm",
        (Standing::Open, Direction::Faster) => "faster",
        (Standing::Accepted(_), _) => "accepted",
        (Standing::Undone, _) => "undone",
    }
}

fn note(shift: &Shift) -> &str {
    match &shift.standing {
        Standing::Accepted(note) => note,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::track;
    use super::super::{AcceptedShift, Terms, trends};
    use super::*;

    fn found() -> Vec<Trend> {
        let tracks = vec![
            track("steady", &[(20, 1e-3)]),
            track("alarm", &[(20, 1e-3), (10, 1.1e-3)]),
            track("known", &[(20, 1e-3), (10, 1.1e-3)]),
        ];
        let accepted = AcceptedShift {
            run: "night-20".into(),
            variants: vec!["known".into()],
            note: "more, \"but\" right".into(),
            ..AcceptedShift::default()
        };
        trends(tracks, &Terms::default(), &[accepted])
    }

    #[test]
    fn people_see_what_changed_and_how_much_was_looked_at() {
        let text = render(Format::Table, &found(), Listing::Changes).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1].starts_with("sort alarm ") && lines[1].ends_with("SLOWER"));
        assert!(lines[1].contains("night-20") && lines[1].contains("+10."), "{text}");
        assert!(lines[2].ends_with("accepted: more, \"but\" right"), "{text}");
        let expected = "3 points in 20 to 30 runs: 2 changes, of which 1 to be looked at";
        assert_eq!(lines[3], expected);
        let all = render(Format::Markdown, &found(), Listing::All).expect("a text");
        assert!(all.contains("| steady |"), "{all}");
    }

    #[test]
    fn programs_get_a_row_a_change() {
        let text = render(Format::Csv, &found(), Listing::All).expect("a text");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let at = |name: &str| header.iter().position(|column| column == name).expect(name);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let rows = rows.expect("well formed");
        let states: Vec<&str> = rows.iter().map(|row| &row[at("state")]).collect();
        assert_eq!(states, ["steady", "alarm", "accepted"]);
        assert_eq!(&rows[1][at("run")], "night-20");
        assert_eq!(&rows[2][at("note")], "more, \"but\" right");
        let json = render(Format::Json, &found(), Listing::All).expect("a text");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[1]["shifts"][0]["standing"], "open");
        assert_eq!(json[2]["shifts"][0]["standing"]["accepted"], "more, \"but\" right");
    }

    #[test]
    fn nothing_is_said_in_a_sentence() {
        let text = render(Format::Table, &[], Listing::All).expect("a text");
        assert_eq!(text, "0 points: 0 changes, of which 0 to be looked at\n");
    }
}
