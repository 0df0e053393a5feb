//! Streams of events: throughput and time per event over the number of streams.

use std::collections::BTreeSet;

use statistics::Growth;

use super::chart::Chart;
use super::line_panels::{self, ChangeMarker, Line, LinePanel, Point, XAxis};
use super::palette::Palette;
use super::scale::{Scale, Unit};
use super::study::Axis;
use super::{caption, lines};
use crate::grouped::{distinct, grouped};
use crate::record::RunRecord;
use crate::shape::{self, Axes, AxisName};
use crate::throughput::{Curve, ThroughputRow, curves, what_limits};
use crate::units;

/// Maximum number of curves that a caption describes; the table lists all.
const MAX_SAID: usize = 8;
/// The name of the reference in the legend.
const IDEAL: &str = "ideal";
/// Ideal lines are cut off at this multiple of the largest measured value.
const ABOVE: f64 = 1.25;
pub(super) const RATE: &str = "markers: items per second of all streams within the window, whiskers: 95 % \
    confidence interval of the mean over blocks of time";
pub(super) const IDEALS: &str = "dashed: ideal, proportional";
const TIME: &str = "markers: median and 99th percentile of the time from an event's input to its \
    output, whiskers: their 95 % confidence intervals, where there are enough events";

/// Lines of one setting with its title.
type Setting<'a> = (String, Vec<Curve<'a>>);

/// Items per second over the streams, if these vary.
pub fn over_streams(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows.iter().collect(), |row| row.streams as f64, "streams")?;
    let panels: Vec<LinePanel> = view.settings.iter().map(|setting| view.rates(setting)).collect();
    let marks = "vertical: saturation of the rate, shaded: its 95 % interval";
    let mut chart =
        view.chart("items per second over streams", panels, run, &[RATE, IDEALS, marks])?;
    chart.caption.extend(view.words());
    Some(chart)
}

/// Items per second over the threads of all streams, if the threads per stream vary: many streams
/// of few threads, or fewer of more.
pub fn over_threads(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let rows: Vec<_> = rows.iter().filter(|row| row.backend == "cpu").collect();
    distinct(rows.iter().map(|row| row.threads)).get(1)?;
    let at_work = |row: &ThroughputRow| (row.streams * row.threads) as f64;
    let view = View::new(rows, at_work, "threads of all streams")?;
    let panels: Vec<LinePanel> = view.settings.iter().map(|setting| view.plain(setting)).collect();
    view.chart("items per second over the threads of all streams", panels, run, &[RATE])
}

/// The median and the 99th percentile over the streams, if these vary.
pub fn latency(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows.iter().collect(), |row| row.streams as f64, "streams")?;
    let panels = view.settings.iter().flat_map(|setting| view.times(setting)).collect();
    view.chart("time per event over streams", panels, run, &[TIME])
}

/// A chart of rows with the setting that they have in common.
pub(super) fn chart(
    rows: &[&ThroughputRow],
    what: &str,
    panels: Vec<LinePanel>,
    run: &RunRecord,
    reading: &[&str],
) -> Option<Chart<LinePanel>> {
    let valid = || rows.iter().filter(|row| row.rate().is_some());
    let row = valid().next()?;
    let devices = valid().flat_map(|row| row.device.split('+'));
    let common = shape::common(valid().map(|row| row.setting()));
    let items = format!("{} {}s", units::count(row.items), row.item_unit);
    let data = [format!("{items} per event"), shape::phrases(&common)];
    let caption = vec![
        caption::machine_of(run, devices),
        data.join(shape::SEPARATOR),
        reading.join(shape::SEPARATOR),
    ];
    let title = format!("{}: {what}", row.algorithm);
    Chart::new(title, panels.len(), panels, caption)
}

/// Curves grouped by settings, with their styles and their axis.
struct View<'a> {
    rows: Vec<&'a ThroughputRow>,
    settings: Vec<Setting<'a>>,
    palette: Palette,
    x: XAxis,
    /// Value of a point on the axis.
    x_value: fn(&ThroughputRow) -> f64,
}

impl<'a> View<'a> {
    /// View of some rows; `None` if all points have the same value on the axis.
    fn new(
        rows: Vec<&'a ThroughputRow>,
        x_value: fn(&ThroughputRow) -> f64,
        axis: &str,
    ) -> Option<Self> {
        let all = curves(rows.iter().copied());
        let valid = || all.iter().flat_map(|curve| &curve.rows);
        let x_values: Vec<String> = distinct(valid().map(|row| x_value(row).to_string()));
        x_values.get(1)?;
        let setting =
            |curve: &Curve<'_>| curve.rows.first().map(|row| row.setting()).unwrap_or_default();
        let known = distinct(all.iter().map(setting));
        let palette = palette(&all);
        let settings = grouped(all, setting).into_iter();
        let settings = settings.map(|(setting, curves)| (differing(&setting, &known), curves));
        let x = lines::with_ticks(&Axis::new(axis, x_values));
        Some(View { rows, settings: settings.collect(), palette, x, x_value })
    }

    fn chart(
        &self,
        what: &str,
        panels: Vec<LinePanel>,
        run: &RunRecord,
        reading: &[&str],
    ) -> Option<Chart<LinePanel>> {
        Some(chart(&self.rows, what, panels, run, reading)?.under(self.headline()))
    }

    /// Saturation of the curve, if there is only one.
    fn headline(&self) -> Option<String> {
        let mut curves = self.settings.iter().flat_map(|(_, curves)| curves);
        let curve = curves.next().filter(|_| curves.next().is_none())?;
        Some(format!("{}: {}", name(curve), curve.growth_in_words()))
    }

    fn curve(
        &self,
        curve: &Curve<'_>,
        point: impl Fn(f64, &ThroughputRow) -> Option<Point>,
    ) -> Line {
        let name = name(curve);
        let points = curve.rows.iter().filter_map(|row| point((self.x_value)(row), row));
        Line::curve(&name, self.palette.style(&name), points.collect())
    }

    /// Saturation of each curve and its cause, up to the maximum length of captions.
    fn words(&self) -> Vec<String> {
        let phrases = self.settings.iter().flat_map(|(title, curves)| {
            curves.iter().map(move |curve| {
                format!("{}: {}", shape::joined([&name(curve), title]), curve.words())
            })
        });
        phrases.take(MAX_SAID).collect()
    }

    /// Panel of rates without an ideal.
    fn plain(&self, (title, curves): &Setting<'_>) -> LinePanel {
        let lines: Vec<Line> = curves.iter().map(|curve| self.curve(curve, rate_point)).collect();
        let (low, high) = line_panels::extent(&lines);
        let axis = (Unit::Rate("items per second"), self.scale(low, high));
        LinePanel::new(title.clone(), &self.x, axis, lines)
    }

    /// Panel of rates with their ideals and saturation points.
    fn rates(&self, setting: &Setting<'_>) -> LinePanel {
        let mut panel = self.plain(setting);
        let (_, high) = line_panels::extent(&panel.lines);
        let ideals = panel.lines.iter().filter_map(|line| ideal(line, &self.x, ABOVE * high));
        let lines: Vec<Line> = ideals.chain(panel.lines.iter().cloned()).collect();
        let (low, high) = line_panels::extent(&lines);
        let alone = setting.1.len() == 1;
        panel.change_markers =
            setting.1.iter().filter_map(|curve| self.cut(curve, alone)).collect();
        LinePanel { lines, y: self.scale(low, high), ..panel }
    }

    /// Scale with the same spread as the streams, so that the ideal is a straight line.
    fn scale(&self, low: f64, high: f64) -> Scale {
        Scale::from_zero_or_log(low, high, self.x.scale.spread)
    }

    fn cut(&self, curve: &Curve<'_>, alone: bool) -> Option<ChangeMarker> {
        let Growth::Level(plateau) = &curve.growth else { return None };
        // Saturated from the first point on: there was no growth.
        if plateau.first == 0 {
            return None;
        }
        let words = curve.plateau().map(what_limits).unwrap_or_default();
        Some(ChangeMarker {
            interval: Some((plateau.knee_interval.low, plateau.knee_interval.high)),
            words: if alone { words } else { String::new() },
            ..ChangeMarker::new(plateau.knee, self.palette.style(&name(curve)))
        })
    }

    /// A panel for the median and one for the 99th percentile, which share a scale.
    fn times(&self, (title, curves): &Setting<'_>) -> Vec<LinePanel> {
        let median = |x: f64, row: &ThroughputRow| {
            Point::known(x, row.p50_s, [row.p50_low_s, row.p50_high_s])
        };
        let late = |x: f64, row: &ThroughputRow| {
            Point::known(x, row.p99_s, [row.p99_low_s, row.p99_high_s])
        };
        let medians = curves.iter().map(|curve| self.curve(curve, median)).collect();
        let latest = curves.iter().map(|curve| self.curve(curve, late)).collect();
        let unit = Unit::Time("time per event");
        lines::median_and_p99(&self.x, unit, title, [medians, latest])
    }
}

/// The proportional extrapolation of a line's first point, up to the end of the axis or to `high`.
pub(super) fn ideal(line: &Line, x: &XAxis, high: f64) -> Option<Line> {
    let first = line.points.first()?;
    let last = x.ticks.iter().map(|tick| tick.value).fold(first.x, f64::max);
    let last = last.min(first.x * high / first.y);
    let end = Point::new(last, first.y * last / first.x);
    (last > first.x).then(|| Line::reference(IDEAL, vec![Point::new(first.x, first.y), end]))
}

pub(super) fn rate_point(x: f64, row: &ThroughputRow) -> Option<Point> {
    Some(Point { x, y: row.rate()?, interval: row.rate_interval() })
}

/// Styles of variants, unless one of them has several lines.
fn palette(curves: &[Curve<'_>]) -> Palette {
    let of = |curve: &Curve<'_>| {
        let row = curve.rows.first()?;
        Some((name(curve), row.variant.clone(), row.backend != "cpu"))
    };
    let lines: BTreeSet<_> = curves.iter().filter_map(of).collect();
    let variants: BTreeSet<_> = lines.iter().map(|(_, variant, gpu)| (variant, gpu)).collect();
    if variants.len() == lines.len() {
        Palette::for_variants(lines)
    } else {
        Palette::new(lines.into_iter().map(|(name, ..)| name))
    }
}

/// `time-sweep, 4 threads per stream`, `resident (cuda:0)`.
fn name(curve: &Curve<'_>) -> String {
    let Some(row) = curve.rows.first() else { return String::new() };
    let on_device = shape::on_device(row.variant.clone(), &row.device);
    let threads = || format!("{} per stream", units::counted(row.threads, "thread"));
    let threads = (row.backend == "cpu").then(threads);
    let parts = [Some(on_device), threads, curve.processes()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Axes of a setting that differ between settings.
pub(super) fn differing(setting: &[(AxisName, String)], all: &[Axes]) -> String {
    let common = shape::common(all.iter().cloned());
    let own: Vec<_> = setting.iter().filter(|axis| !common.contains(axis)).cloned().collect();
    shape::phrases(&own)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::run;
    use super::*;
    use crate::throughput::fixture::row;

    fn rows() -> Vec<ThroughputRow> {
        [(1, 10e6), (2, 19e6), (4, 19.2e6)].map(|(streams, rate)| row(streams, rate)).to_vec()
    }

    fn names(chart: &Chart<LinePanel>) -> Vec<&str> {
        chart.panels[0].lines.iter().map(|line| line.name.as_str()).collect()
    }

    #[test]
    fn rates_stand_beside_the_ideal_and_say_where_they_end() {
        let chart = over_streams(&run(), &rows()).expect("streams vary");
        assert_eq!(names(&chart), ["ideal", "time-sweep, 1 thread per stream"]);
        let [cut] = &chart.panels[0].change_markers[..] else {
            panic!("{:?}", chart.panels[0].change_markers)
        };
        assert!((1.8..2.0).contains(&cut.at), "{cut:?}");
        assert_eq!(cut.words, "not by these: cores 50 %");
        let words = chart.caption.last().expect("words");
        assert!(words.contains("plateau of 19.1 M/s") && words.contains("not by these"), "{words}");
        let end = chart.panels[0].lines[0].points[1];
        assert!(end.x < 4.0 && (24e6..25e6).contains(&end.y), "not far above the rates: {end:?}");
    }

    #[test]
    fn times_have_two_panels_on_one_scale() {
        let chart = latency(&run(), &rows()).expect("streams vary");
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["median", "99th percentile"]);
        assert_eq!(chart.panels[0].y, chart.panels[1].y);
    }

    #[test]
    fn fewer_streams_of_more_threads_share_an_axis_with_many_of_one() {
        assert!(over_threads(&run(), &rows()).is_none(), "one number of threads");
        let mut all = rows();
        all.extend([1, 2].map(|streams| ThroughputRow { threads: 2, ..row(streams, 18e6) }));
        let chart = over_threads(&run(), &all).expect("threads vary");
        let x_values = |line: usize| -> Vec<f64> {
            chart.panels[0].lines[line].points.iter().map(|point| point.x).collect()
        };
        assert_eq!((x_values(0), x_values(1)), (vec![1.0, 2.0, 4.0], vec![2.0, 4.0]));
    }

    #[test]
    fn settings_have_panels_and_a_single_point_has_no_chart() {
        let other = rows().into_iter().map(|row| ThroughputRow { batch: 8, ..row });
        let all: Vec<_> = rows().into_iter().chain(other).collect();
        let chart = over_streams(&run(), &all).expect("streams vary");
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["batch 4", "batch 8"]);
        assert!(over_streams(&run(), &rows()[..1]).is_none());
    }
}
