//! Points over runs, with their levels: a panel each.

use super::figure::{Figure, INK, Plot, Ruler, Swatch, Tick};
use super::marks::{dashes, whisker};
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread};
use super::scene::{Anchor, At, Label, Mark};
use super::time_axis;
use crate::shape;
use crate::trend::{Level, Shift, Trend, change};

const READING: &str = "markers: median of a run, whiskers: its 95 % confidence interval · lines: \
    medians of levels · dashed: where the level changes, and by how much";

/// Pixels an em of how much a level changes.
const CHANGE: f64 = 13.0;
const PANEL: At = (390.0, 220.0);

/// The chart of some trends of one task; `None` without any.
pub fn figure(algorithm: &str, trends: &[&Trend]) -> Option<Figure> {
    let variant = |trend: &&Trend| trend.track.point.variant.clone();
    let palette = Palette::new(trends.iter().map(variant));
    let plot = |trend: &&Trend| panel(trend, &palette.style(&trend.track.point.variant));
    let plots: Vec<Plot> = trends.iter().map(plot).collect();
    (!plots.is_empty()).then(|| Figure {
        title: format!("{algorithm}: time over runs"),
        legend: Vec::new(),
        swatch: Swatch::Line,
        columns: super::columns(3, plots.len()),
        plots,
        caption: vec![READING.to_owned()],
    })
}

fn panel(trend: &Trend, style: &Style) -> Plot {
    let (width, height) = PANEL;
    let x = Scale::new(1.0, trend.track.visits.len() as f64, Spread::Linear);
    let (low, high) = extent(trend);
    let y = Scale::around(low, high);
    let pixel = |(run, seconds): At| {
        let (right, up) = (x.position(run), y.position(seconds));
        (width * right, height * (1.0 - up))
    };
    let mut marks = visits(trend, style, &pixel);
    marks.extend(levels(trend, &pixel));
    marks.extend(trend.shifts.iter().flat_map(|shift| cut(shift, &pixel)));
    Plot {
        title: title(trend),
        width,
        height,
        x: runs(&x, trend.track.visits.len(), width),
        y: time_axis::ruler(&y, height, "median time"),
        marks,
    }
}

fn title(trend: &Trend) -> String {
    let point = &trend.track.point;
    let axes = shape::phrases(&shape::point_axes(point));
    match point.device.as_str() {
        "cpu" => format!("{} · {axes}", point.variant),
        device => format!("{} on {device} · {axes}", point.variant),
    }
}

/// The smallest and the largest time that is shown.
fn extent(trend: &Trend) -> (f64, f64) {
    let visits = trend.track.visits.iter();
    let ends = visits.map(|visit| visit.interval.unwrap_or((visit.median_s, visit.median_s)));
    ends.fold((f64::INFINITY, 0.0), |(low, high): At, end| (low.min(end.0), high.max(end.1)))
}

/// Runs are counted: ticks between them would mean nothing.
fn runs(scale: &Scale, count: usize, width: f64) -> Ruler {
    let is_run = |value: &f64| value.fract() == 0.0 && (1.0..=count as f64).contains(value);
    let tick = |value: f64| Tick { at: width * scale.position(value), label: value.to_string() };
    Ruler {
        label: "run, the oldest first".to_owned(),
        ticks: scale.ticks(6).into_iter().filter(is_run).map(tick).collect(),
        minor: Vec::new(),
        grid: false,
    }
}

/// People count from one.
fn number(run: usize) -> f64 {
    run as f64 + 1.0
}

fn visits(trend: &Trend, style: &Style, pixel: &dyn Fn(At) -> At) -> Vec<Mark> {
    let marks = trend.track.visits.iter().enumerate().map(|(run, visit)| {
        let at = pixel((number(run), visit.median_s));
        let end = |seconds: f64| pixel((number(run), seconds)).1;
        let ends = visit.interval.map(|(low, high)| (end(low), end(high)));
        let whisker = ends.map(|(low, high)| whisker(at.0, low, high, 2.0, style.shade()));
        let marker = style.marker(at, 2.5);
        whisker.into_iter().flatten().chain(marker).collect::<Vec<_>>()
    });
    marks.flatten().collect()
}

fn levels(trend: &Trend, pixel: &dyn Fn(At) -> At) -> Vec<Mark> {
    let line = |level: &Level| {
        let end = |run: usize| pixel((number(run), level.median_s));
        let last = level.runs.end.saturating_sub(1);
        Mark::line(end(level.runs.start), end(last), INK, 2)
    };
    trend.levels.iter().map(line).collect()
}

/// Between the last run of a level and the first of the next.
fn cut(shift: &Shift, pixel: &dyn Fn(At) -> At) -> Vec<Mark> {
    let (x, _) = pixel((number(shift.first) - 0.5, shift.after_s));
    let style = Style::reference();
    let mut marks = dashes(&[(x, 0.0), (x, PANEL.1)], style.color, 1);
    let label = Label::new(change(shift.ratio()), (x - 4.0, CHANGE), CHANGE, INK);
    marks.push(Mark::Text(label.anchored(Anchor::End)));
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trend::fixture::track;
    use crate::trend::{Terms, trends};

    fn found() -> Vec<Trend> {
        let tracks =
            vec![track("changed", &[(20, 1e-3), (10, 1.1e-3)]), track("steady", &[(20, 1e-3)])];
        trends(tracks, &Terms::default(), &[])
    }

    #[test]
    fn each_run_is_a_marker_and_each_change_is_written_down() {
        let trends = found();
        let figure = figure("sort", &trends.iter().collect::<Vec<_>>()).expect("two");
        let is_disc = |mark: &&Mark| matches!(mark, Mark::Disc { .. } | Mark::Polygon { .. });
        let markers = |plot: &Plot| plot.marks.iter().filter(is_disc).count();
        assert_eq!(figure.plots.iter().map(markers).collect::<Vec<_>>(), [30, 20]);
        let text = |mark: &Mark| match mark {
            Mark::Text(label) => Some(label.text.clone()),
            _ => None,
        };
        let texts: Vec<String> = figure.plots[0].marks.iter().filter_map(text).collect();
        assert!(texts.len() == 1 && texts[0].starts_with("+10."), "{texts:?}");
        assert!(figure.plots[1].marks.iter().all(|mark| text(mark).is_none()));
    }

    #[test]
    fn nothing_has_no_chart() {
        assert!(figure("sort", &[]).is_none());
    }
}
