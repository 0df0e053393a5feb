//! Open-loop runs of timeslices: latency and completed rate, over time and over the speed at which
//! timeslices arrive.

use super::chart::Chart;
use super::line_panels::{self, ChangeMarker, Line, LinePanel, Point, Tick, XAxis};
use super::palette::Palette;
use super::scale::{Scale, Spread, Unit};
use super::study::Axis;
use super::{caption, lines};
use crate::grouped::{distinct, grouped};
use crate::record::RunRecord;
use crate::stream::{Rates, StreamRow, TimesliceRow, highest_kept_up, limits, short};
use crate::{shape, units};

/// Maximum number of dots of a line: more would overlap.
const MAX_DOTS: usize = 600;
/// Maximum number of speeds of lines over time; the caption mentions the others.
const MAX_SPEEDS: usize = 6;
/// Maximum number of devices in a headline.
const MAX_ANSWERS: usize = 2;
/// The names of references in the legend.
pub const DUE: &str = "due";
const IDEAL: &str = "all that is due";
const LATENCY: &str = "latency: from when a timeslice is due to its result";

/// Latency and rate over time, a panel for each device; `None` if no timeslice was completed.
pub fn over_time(
    run: &RunRecord,
    rows: &[StreamRow],
    timeslices: &[TimesliceRow],
) -> Option<Chart<LinePanel>> {
    let measured: Vec<&StreamRow> = rows.iter().filter(|row| row.is_measured()).collect();
    let longest = measured.iter().map(|row| row.duration_s).fold(0.0, f64::max);
    let x = time_axis(longest);
    let mut panels = Vec::new();
    let mut left_out = 0;
    for (device, rows) in by_device(&measured) {
        let shown: Vec<&StreamRow> = rows.into_iter().take(MAX_SPEEDS).collect();
        left_out += measured.iter().filter(|row| name(row) == device).count() - shown.len();
        let speeds = shown.iter().map(|row| speed(row));
        let palette = Palette::new(speeds);
        let own = |row: &StreamRow| -> Vec<&TimesliceRow> {
            timeslices.iter().filter(|it| it.point_id == row.point_id).collect()
        };
        let latencies: Vec<Line> =
            shown.iter().map(|row| latencies(row, &own(row), &palette)).collect();
        let rates: Vec<Line> =
            shown.iter().flat_map(|row| rates(row, &own(row), &palette)).collect();
        panels.push(panel(&device, "latency", Unit::Time("latency"), &x, latencies)?);
        let items = measured[0].item_unit.as_str();
        let unit =
            Unit::Rate(if items == "digi" { "digis per second" } else { "items per second" });
        panels.push(panel(&device, "rate", unit, &x, rates)?);
    }
    let reading = format!("{LATENCY}; rate: of completed timeslices, dashed: of due ones");
    let more =
        (left_out > 0).then(|| format!("{} more not shown", units::counted(left_out, "speed")));
    chart("over time", panels, run, &measured, [Some(reading), more])
}

/// The median and the 99th percentile of the latency over the speed, if that varies.
pub fn latency(run: &RunRecord, rows: &[StreamRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows)?;
    let median =
        |row: &StreamRow| Point::known(row.speed, row.p50_s, [row.p50_low_s, row.p50_high_s]);
    let late =
        |row: &StreamRow| Point::known(row.speed, row.p99_s, [row.p99_low_s, row.p99_high_s]);
    let lines = [view.lines(median), view.lines(late)];
    let panels = lines::median_and_p99(&view.x, Unit::Time("latency"), "", lines);
    let whiskers = "whiskers: 95 % confidence intervals, where there are enough timeslices";
    let reading = format!("{LATENCY}; {whiskers}");
    chart("latency over speed", panels, run, &view.rows, [Some(reading), None])
}

/// Completed and due rates, in units of the detector's rate, if the speed varies.
pub fn kept_up(run: &RunRecord, rows: &[StreamRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows)?;
    let done = |row: &StreamRow| Some(Point::new(row.speed, row.speed_done()?));
    let mut lines = view.lines(done);
    let [low, high] = view.ends();
    lines.insert(0, Line::reference(IDEAL, vec![Point::new(low, low), Point::new(high, high)]));
    let (low, high) = line_panels::extent(&lines);
    let y = Scale::from_zero_or_log(low, high, view.x.scale.spread);
    let unit = Unit::Factor("done, in detector's rates");
    let panel = LinePanel::new(String::new(), &view.x, (unit, y), lines);
    let panel = LinePanel { change_markers: view.change_markers(), ..panel };
    let reading = "done: within the time, in units of the detector's rate; vertical: the highest \
        speed that was kept up with";
    chart("done over speed", vec![panel], run, &view.rows, [Some(reading.to_owned()), None])
}

/// Rows over the speed, a line for each device.
struct View<'a> {
    rows: Vec<&'a StreamRow>,
    palette: Palette,
    x: XAxis,
}

impl<'a> View<'a> {
    /// `None` if the speed does not vary.
    fn new(rows: &'a [StreamRow]) -> Option<Self> {
        let mut rows: Vec<&StreamRow> = rows.iter().filter(|row| row.is_measured()).collect();
        rows.sort_by(|a, b| a.speed.total_cmp(&b.speed));
        let speeds = distinct(rows.iter().map(|row| row.speed.to_string()));
        speeds.get(1)?;
        let devices = distinct(rows.iter().map(|row| name(row)));
        let axis = Axis::new("speed, in detector's rates", speeds);
        Some(View { palette: Palette::new(devices), x: lines::with_ticks(&axis), rows })
    }

    fn lines(&self, point: impl Fn(&StreamRow) -> Option<Point>) -> Vec<Line> {
        line_panels::curves(self.rows.iter().copied(), name, &self.palette, point)
    }

    /// The lowest and the highest speed.
    fn ends(&self) -> [f64; 2] {
        [self.rows.first(), self.rows.last()].map(|row| row.map_or(1.0, |row| row.speed))
    }

    fn change_markers(&self) -> Vec<ChangeMarker> {
        let devices = by_device(&self.rows);
        let alone = devices.len() == 1;
        let cut = |(device, rows): (String, Vec<&StreamRow>)| {
            let kept = highest_kept_up(rows.iter().copied())?;
            let words = format!("kept up with {}", speed(kept));
            let words = if alone { words } else { String::new() };
            Some(ChangeMarker {
                words,
                ..ChangeMarker::new(kept.speed, self.palette.style(&device))
            })
        };
        devices.into_iter().filter_map(cut).collect()
    }
}

fn by_device<'a>(rows: &[&'a StreamRow]) -> Vec<(String, Vec<&'a StreamRow>)> {
    grouped(rows.iter().copied(), |row| name(row))
}

/// `time-sweep`, `balanced on cuda:0`.
fn name(row: &StreamRow) -> String {
    shape::on_device(row.variant.clone(), &row.device)
}

/// `speed 0.5`.
fn speed(row: &StreamRow) -> String {
    format!("speed {}", short(row.speed))
}

/// From 0 to the longest time, in seconds.
pub fn time_axis(longest: f64) -> XAxis {
    let scale = Scale { low: 0.0, high: longest.max(1e-3), spread: Spread::Linear };
    let tick = |value: f64| Tick::new(value, short(value));
    let ticks = scale.ticks(6).into_iter().map(tick).collect();
    XAxis { name: "time [s]".to_owned(), scale, ticks }
}

fn panel(device: &str, what: &str, unit: Unit, x: &XAxis, lines: Vec<Line>) -> Option<LinePanel> {
    let (low, high) = line_panels::extent(&lines);
    let is_time = matches!(unit, Unit::Time(_));
    let spread = if is_time { Spread::beyond(30.0, low, high) } else { Spread::Linear };
    let y = Scale::from_zero_or_log(low, high, spread);
    let title = [what, device].join(shape::SEPARATOR);
    let has_points = lines.iter().any(|line| !line.points.is_empty());
    has_points.then(|| LinePanel::new(title, x, (unit, y), lines))
}

/// A dot for each completed timeslice, at the time at which it was due.
fn latencies(row: &StreamRow, own: &[&TimesliceRow], palette: &Palette) -> Line {
    let dot = |it: &&TimesliceRow| Some(Point::new(it.due_s, it.latency_s()?));
    let name = speed(row);
    dots(&name, palette, own.iter().filter_map(dot).collect())
}

/// Dots in the style of their name, at most [`MAX_DOTS`].
pub fn dots(name: &str, palette: &Palette, all: Vec<Point>) -> Line {
    let step = all.len().div_ceil(MAX_DOTS).max(1);
    Line::dots(name, palette.style(name), all.into_iter().step_by(step).collect())
}

/// Completed and due rates in each interval of time.
fn rates(row: &StreamRow, own: &[&TimesliceRow], palette: &Palette) -> [Line; 2] {
    let rates = Rates::new(row, own.iter().copied(), |timeslice| timeslice.digis as f64);
    let name = speed(row);
    let due = Line::reference(DUE, points(rates.due));
    [due, Line::curve(&name, palette.style(&name), points(rates.done))]
}

/// Rates as points.
pub fn points(rates: Vec<(f64, f64)>) -> Vec<Point> {
    rates.into_iter().map(|(at, rate)| Point::new(at, rate)).collect()
}

fn chart(
    what: &str,
    panels: Vec<LinePanel>,
    run: &RunRecord,
    rows: &[&StreamRow],
    reading: [Option<String>; 2],
) -> Option<Chart<LinePanel>> {
    let row = rows.first()?;
    let devices = rows.iter().flat_map(|row| row.device.split('+'));
    let common = shape::common(rows.iter().map(|row| row.setting()));
    let timeslice = units::seconds(row.timeslice_s, 3);
    let rate = units::count(row.items / row.timeslice_s);
    let data = format!(
        "{rate} {}s per second from the detector, timeslices of {timeslice}",
        row.item_unit
    );
    let mut caption = vec![
        caption::machine_of(run, devices),
        [data, shape::phrases(&common)].join(shape::SEPARATOR),
    ];
    caption.extend(reading.into_iter().flatten());
    let title = format!("{} stream: {what}", row.algorithm);
    // A headline for many devices would be too long.
    let answers: Vec<String> = limits(rows).take(MAX_ANSWERS + 1).collect();
    let headline = (1..=MAX_ANSWERS).contains(&answers.len()).then(|| answers.join("; "));
    Some(Chart::new(title, panels.len().min(2), panels, caption)?.under(headline))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::run;
    use super::*;
    use crate::record::YesNo;
    use crate::stream::fixture::{row, timeslice};

    fn rows() -> Vec<StreamRow> {
        let behind = StreamRow { done_per_s: Some(50.0), kept_up: YesNo::No, ..row(4.0) };
        vec![row(1.0), row(2.0), behind]
    }

    #[test]
    fn each_device_has_its_latency_and_its_rate_over_time() {
        let timeslices: Vec<TimesliceRow> = (0..400).map(|index| timeslice(index, 0.03)).collect();
        let chart = over_time(&run(), &rows()[..1], &timeslices).expect("done");
        let [latency, rate] = &chart.panels[..] else { panic!("{}", chart.panels.len()) };
        assert_eq!(
            (latency.lines[0].points.len(), latency.lines[0].kind),
            (400, line_panels::Kind::Dots)
        );
        let [due, done] = &rate.lines[..] else { panic!("{}", rate.lines.len()) };
        assert_eq!((due.name.as_str(), done.name.as_str()), (DUE, "speed 1"));
        // 900,000 digis each 50 ms, in intervals of half a second.
        for middle in [due.points[20], done.points[20]] {
            assert!((middle.y / 18e6 - 1.0).abs() < 1e-6, "{middle:?}");
        }
    }

    #[test]
    fn a_gpu_is_next_to_the_cpu() {
        let on_gpu = |row: StreamRow| StreamRow {
            variant: "balanced".into(),
            device: "cuda:0".into(),
            point_id: format!("gpu {}", row.speed),
            ..row
        };
        let all: Vec<StreamRow> =
            rows().into_iter().flat_map(|row| [row.clone(), on_gpu(row)]).collect();
        let due =
            |row: &StreamRow| TimesliceRow { point_id: row.point_id.clone(), ..timeslice(1, 0.1) };
        let timeslices: Vec<TimesliceRow> = all.iter().map(due).collect();
        let over_time = over_time(&run(), &all, &timeslices).expect("done");
        assert_eq!(over_time.panels.len(), 4, "two for each");
        let latency = latency(&run(), &all).expect("the speed varies");
        let names: Vec<&str> = latency.panels[0].lines.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["time-sweep", "balanced on cuda:0"]);
    }

    #[test]
    fn completed_and_due_rates_are_in_one_panel() {
        let chart = kept_up(&run(), &rows()).expect("the speed varies");
        let names: Vec<&str> = chart.panels[0].lines.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [IDEAL, "time-sweep"]);
        assert_eq!(chart.panels[0].change_markers[0].at, 2.0);
        let last = chart.panels[0].lines[1].points[2];
        assert_eq!((last.x, last.y), (4.0, 2.5));
    }

    #[test]
    fn one_speed_has_no_charts_over_the_speed() {
        assert!(latency(&run(), &rows()[..1]).is_none());
        assert!(kept_up(&run(), &rows()[..1]).is_none());
        let chart = latency(&run(), &rows()).expect("three speeds");
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["median", "99th percentile"]);
        assert!(over_time(&run(), &[], &[]).is_none());
    }
}
