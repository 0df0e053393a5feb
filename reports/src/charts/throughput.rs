//! Streams of events: throughput and time per event over the number of streams.

use std::collections::BTreeSet;

use statistics::Growth;

use super::chart::Chart;
use super::line_panels::{self, ChangeMarker, Kind, Line, LinePanel, Point, XAxis};
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread, Unit};
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
/// Name of the limit set by links.
const ALLOWED: &str = "limit of the links";
/// Ideal lines are cut off at this multiple of the largest measured value.
const ABOVE: f64 = 1.25;
const RATE: &str = "markers: items per second of all streams within the window, whiskers: 95 % \
    confidence interval of the mean over blocks of time";
const IDEALS: &str = "dashed: ideal, proportional";
const LINKS: &str = "dashed in colours: limit of the links";
const TIME: &str = "markers: median and 99th percentile of the time from an event's input to its \
    output, whiskers: their 95 % confidence intervals, where there are enough events";

/// Lines of one setting with its title.
type Setting<'a> = (String, Vec<Curve<'a>>);

/// Items per second over the streams, if these vary.
pub fn over_streams(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows, |row| row.streams as f64, "streams")?;
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
    let rows: Vec<ThroughputRow> =
        rows.iter().filter(|row| row.backend == "cpu").cloned().collect();
    distinct(rows.iter().map(|row| row.threads)).get(1)?;
    let at_work = |row: &ThroughputRow| (row.streams * row.threads) as f64;
    let view = View::new(&rows, at_work, "threads of all streams")?;
    let panels: Vec<LinePanel> = view.settings.iter().map(|setting| view.plain(setting)).collect();
    view.chart("items per second over the threads of all streams", panels, run, &[RATE])
}

/// The median and the 99th percentile over the streams, if these vary.
pub fn latency(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let view = View::new(rows, |row| row.streams as f64, "streams")?;
    let panels = view.settings.iter().flat_map(|setting| view.times(setting)).collect();
    view.chart("time per event over streams", panels, run, &[TIME])
}

/// The maximum throughput of devices, over their number.
pub fn over_gpus(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let count = ThroughputRow::devices;
    let on_gpus: Vec<ThroughputRow> =
        rows.iter().filter(|row| row.backend != "cpu" && row.rate().is_some()).cloned().collect();
    distinct(on_gpus.iter().map(count)).get(1)?;
    // One GPU has one process in both modes.
    let with_processes = |rows: &[ThroughputRow], each: bool| -> Vec<(bool, ThroughputRow)> {
        let wanted = |row: &ThroughputRow| if each { row.devices() } else { 1 };
        let rows = rows.iter().filter(|row| row.processes == wanted(row));
        rows.map(|row| (each, row.clone())).collect()
    };
    let mut both = with_processes(&on_gpus, false);
    if on_gpus.iter().any(|row| row.processes > 1) {
        both.extend(with_processes(&on_gpus, true));
    }
    let name = |(each, row): &(bool, ThroughputRow)| match each {
        true => format!("{}, one process per GPU", row.variant),
        false => row.variant.clone(),
    };
    let key = |it: &&(bool, ThroughputRow)| (name(it), it.1.threads, it.1.setting());
    let best = |rows: Vec<&ThroughputRow>| -> Vec<(f64, ThroughputRow)> {
        let rate = |row: &&&ThroughputRow| row.rate().unwrap_or_default();
        let of_count = grouped(rows, |row| count(row)).into_iter();
        let highest = of_count.filter_map(|(count, rows)| {
            let row = rows.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
            Some((count as f64, (*row).clone()))
        });
        let mut highest: Vec<_> = highest.collect();
        highest.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        highest
    };
    let lines = grouped(&both, key).into_iter();
    let lines =
        lines.map(|(key, rows)| (key, best(rows.into_iter().map(|(_, row)| row).collect())));
    let lines: Vec<_> = lines.collect();
    let palette = Palette::for_variants(
        lines.iter().map(|((variant, ..), _)| (variant.clone(), variant.clone(), true)),
    );
    let counts = on_gpus.iter().map(|row| count(row).to_string());
    let x = lines::with_ticks(&Axis::new("GPUs", counts));
    let settings = grouped(lines, |((_, _, setting), _)| setting.clone());
    let all: Vec<_> = settings.iter().map(|(setting, _)| setting.clone()).collect();
    let panels = settings.into_iter().flat_map(|(setting, lines)| {
        let curves = lines.into_iter().flat_map(|((variant, ..), rows)| {
            let points: Vec<Point> =
                rows.iter().filter_map(|(x, row)| rate_point(*x, row)).collect();
            let curve = Line::curve(&variant, palette.style(&variant), points);
            // A single limit: events need the same transfers in both modes.
            let first = rows.iter().all(|(_, row)| row.variant == variant);
            let links = allowed_by_links(&rows, palette.style(&variant)).filter(|_| first);
            [ideal(&curve, &x, f64::INFINITY), links, Some(curve)].into_iter().flatten()
        });
        let lines = vec![(differing(&setting, &all), curves.collect())];
        let unit = Unit::Rate("items per second");
        line_panels::panels_over(&x, unit, |_, high| Scale::from_zero(high), lines)
    });
    let view = View {
        rows: &on_gpus,
        settings: Vec::new(),
        palette: palette.clone(),
        x: x.clone(),
        x_value: |_| 0.0,
    };
    let note = "each with the number of streams of the highest rate";
    view.chart("items per second over GPUs", panels.collect(), run, &[RATE, IDEALS, LINKS, note])
}

/// Curves grouped by settings, with their styles and their axis.
struct View<'a> {
    rows: &'a [ThroughputRow],
    settings: Vec<Setting<'a>>,
    palette: Palette,
    x: XAxis,
    /// Value of a point on the axis.
    x_value: fn(&ThroughputRow) -> f64,
}

impl<'a> View<'a> {
    /// View of some rows; `None` if all points have the same value on the axis.
    fn new(
        rows: &'a [ThroughputRow],
        x_value: fn(&ThroughputRow) -> f64,
        axis: &str,
    ) -> Option<Self> {
        let all = curves(rows);
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
        let valid = || self.rows.iter().filter(|row| row.rate().is_some());
        let row = valid().next()?;
        let devices = valid().flat_map(|row| row.device.split('+'));
        let common = shape::common(valid().map(ThroughputRow::setting));
        let items = format!("{} {}s", units::count(row.items), row.item_unit);
        let data = [format!("{items} per event"), shape::phrases(&common)];
        let caption = vec![
            caption::machine_of(run, devices),
            data.join(shape::SEPARATOR),
            reading.join(shape::SEPARATOR),
        ];
        let title = format!("{}: {what}", row.algorithm);
        Some(Chart::new(title, panels.len(), panels, caption)?.under(self.headline()))
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

    fn panel(&self, title: &str, unit: Unit, y: Scale, lines: Vec<Line>) -> LinePanel {
        let title = title.to_owned();
        let x = self.x.clone();
        LinePanel { title, x, y, unit, lines, change_markers: Vec::new() }
    }

    /// Saturation of each curve and its cause, up to the maximum length of captions.
    fn words(&self) -> Vec<String> {
        let phrases = self.settings.iter().flat_map(|(title, curves)| {
            curves.iter().map(move |curve| {
                let subject = [name(curve), title.clone()];
                let subject: Vec<_> = subject.into_iter().filter(|part| !part.is_empty()).collect();
                format!("{}: {}", subject.join(shape::SEPARATOR), curve.words())
            })
        });
        phrases.take(MAX_SAID).collect()
    }

    /// Panel of rates without an ideal.
    fn plain(&self, (title, curves): &Setting<'_>) -> LinePanel {
        let lines: Vec<Line> = curves.iter().map(|curve| self.curve(curve, rate_point)).collect();
        let (low, high) = line_panels::extent(&lines);
        self.panel(title, Unit::Rate("items per second"), self.scale(low, high), lines)
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
        match self.x.scale.spread {
            Spread::Linear => Scale::from_zero(high),
            Spread::Log => Scale::new(low, high, Spread::Log),
        }
    }

    fn cut(&self, curve: &Curve<'_>, alone: bool) -> Option<ChangeMarker> {
        let Growth::Level(plateau) = &curve.growth else { return None };
        // Saturated from the first point on: there was no growth.
        if plateau.first == 0 {
            return None;
        }
        let words = curve.plateau().map(what_limits).unwrap_or_default();
        Some(ChangeMarker {
            at: plateau.knee,
            interval: Some((plateau.knee_interval.low, plateau.knee_interval.high)),
            words: if alone { words } else { String::new() },
            is_low: true,
            style: self.palette.style(&name(curve)),
        })
    }

    /// A panel for the median and one for the 99th percentile.
    fn times(&self, (title, curves): &Setting<'_>) -> Vec<LinePanel> {
        let median = |x: f64, row: &ThroughputRow| {
            Some(Point { x, y: row.p50_s?, interval: row.p50_low_s.zip(row.p50_high_s) })
        };
        let late = |x: f64, row: &ThroughputRow| {
            Some(Point { x, y: row.p99_s?, interval: row.p99_low_s.zip(row.p99_high_s) })
        };
        let medians: Vec<Line> = curves.iter().map(|curve| self.curve(curve, median)).collect();
        let latest: Vec<Line> = curves.iter().map(|curve| self.curve(curve, late)).collect();
        let (low, high) = line_panels::extent(medians.iter().chain(&latest));
        // Panels next to each other share a scale.
        let y = match Spread::beyond(10.0, low, high) {
            Spread::Log => Scale::new(low, high, Spread::Log),
            Spread::Linear => Scale::from_zero(high),
        };
        let titled = |what: &str| {
            [what, title]
                .map(str::to_owned)
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(shape::SEPARATOR)
        };
        let unit = Unit::Time("time per event");
        vec![
            self.panel(&titled("median"), unit, y, medians),
            self.panel(&titled("99th percentile"), unit, y, latest),
        ]
    }
}

/// The proportional extrapolation of a line's first point, up to the end of the axis or to `high`.
fn ideal(line: &Line, x: &XAxis, high: f64) -> Option<Line> {
    let first = line.points.first()?;
    let last = x.ticks.iter().map(|tick| tick.value).fold(first.x, f64::max);
    let last = last.min(first.x * high / first.y);
    let end = Point::new(last, first.y * last / first.x);
    (last > first.x).then(|| Line::reference(IDEAL, vec![Point::new(first.x, first.y), end]))
}

/// Upper limit of a curve at each number of GPUs if all of their links were always busy.
fn allowed_by_links(rows: &[(f64, ThroughputRow)], style: Style) -> Option<Line> {
    let limit = |(x, row): &(f64, ThroughputRow)| {
        let share = row.link_share.filter(|&share| share > 0.0)?;
        Some(Point::new(*x, row.rate()? / share))
    };
    let points: Vec<Point> = rows.iter().filter_map(limit).collect();
    let name = ALLOWED.to_owned();
    (points.len() > 1).then_some(Line { name, style, kind: Kind::Reference, points })
}

fn rate_point(x: f64, row: &ThroughputRow) -> Option<Point> {
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
fn differing(setting: &[(AxisName, String)], all: &[Axes]) -> String {
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
    fn several_gpus_are_related_to_one() {
        let gpu = |device: &str, streams, rate| ThroughputRow {
            device: device.into(),
            backend: "cuda".into(),
            ..row(streams, rate)
        };
        let rows = [gpu("cuda:0", 1, 1e9), gpu("cuda:0", 2, 1.5e9), gpu("cuda:0+cuda:1", 4, 2.8e9)];
        let chart = over_gpus(&run(), &rows).expect("one and two");
        let lines = &chart.panels[0].lines;
        assert_eq!(names(&chart), ["ideal", "time-sweep"]);
        let rates: Vec<f64> = lines[1].points.iter().map(|point| point.y).collect();
        assert_eq!((rates, lines[0].points[1].y), (vec![1.5e9, 2.8e9], 3e9));
        assert!(over_gpus(&run(), &rows[..2]).is_none());
        let copying = |share: f64, row: &ThroughputRow| ThroughputRow {
            link_share: Some(share),
            ..row.clone()
        };
        let rows = [copying(0.5, &rows[1]), copying(0.875, &rows[2])];
        let chart = over_gpus(&run(), &rows).expect("one and two");
        assert_eq!(names(&chart), ["ideal", ALLOWED, "time-sweep"]);
        let allowed: Vec<f64> = chart.panels[0].lines[1].points.iter().map(|it| it.y).collect();
        assert_eq!(allowed, [3e9, 3.2e9]);
        let apart = ThroughputRow { processes: 2, ..rows[1].clone() };
        let chart = over_gpus(&run(), &[rows[0].clone(), rows[1].clone(), apart]).expect("both");
        assert!(names(&chart).contains(&"time-sweep, one process per GPU"), "{:?}", names(&chart));
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
