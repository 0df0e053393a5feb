//! Points over runs, with their levels: one panel each.

use super::canvas::INK;
use super::chart::Chart;
use super::line_panels::{self, ChangeMarker, Kind, Line, LinePanel, Point};
use super::lines;
use super::palette::{Palette, Style};
use super::scale::{Scale, Unit};
use crate::trend::{Level, Shift, Trend};
use crate::{shape, units};

const READING: &str = "markers: median of a run, whiskers: its 95 % confidence interval · lines: \
    medians of levels · dashed: where the level changes, and by how much";

/// The chart of trends of one task; `None` if there are none.
pub fn figure(algorithm: &str, trends: &[&Trend]) -> Option<Chart<LinePanel>> {
    let variant = |trend: &&Trend| trend.history.point.variant.clone();
    let palette = Palette::new(trends.iter().map(variant));
    let panel = |trend: &&Trend| panel(trend, palette.style(&trend.history.point.variant));
    let panels = trends.iter().map(panel).collect();
    Chart::new(format!("{algorithm}: time over runs"), 3, panels, vec![READING.to_owned()])
}

fn panel(trend: &Trend, style: Style) -> LinePanel {
    let entries = entries(trend, style);
    let (low, high) = line_panels::extent([&entries]);
    let levels = trend.levels.iter().map(level);
    LinePanel {
        title: title(trend),
        x: lines::count_axis("run, the oldest first", 1, trend.history.entries.len()),
        y: Scale::around(low, high),
        unit: Unit::Time("median time"),
        lines: std::iter::once(entries).chain(levels).collect(),
        change_markers: trend.shifts.iter().map(cut).collect(),
    }
}

fn title(trend: &Trend) -> String {
    let point = &trend.history.point;
    let subject = shape::on_device(point.variant.clone(), &point.device);
    format!("{subject} · {}", shape::phrases(&shape::point_axes(point)))
}

/// Run number for readers, from one.
fn run_number(run: usize) -> f64 {
    run as f64 + 1.0
}

fn entries(trend: &Trend, style: Style) -> Line {
    let entries = trend.history.entries.iter().enumerate();
    let points = entries.map(|(run, entry)| Point {
        x: run_number(run),
        y: entry.median_s,
        interval: entry.interval,
    });
    Line::dots("", style, points.collect())
}

fn level(level: &Level) -> Line {
    let point = |run: usize| Point::new(run_number(run), level.median_s);
    let points = vec![point(level.runs.start), point(level.runs.end.saturating_sub(1))];
    Line { kind: Kind::Level, ..Line::curve("", Style::plain(INK), points) }
}

/// Marker between the last run of a level and the first of the next.
fn cut(shift: &Shift) -> ChangeMarker {
    ChangeMarker {
        words: units::change(shift.ratio()),
        is_low: false,
        ..ChangeMarker::new(run_number(shift.first) - 0.5, Style::reference())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trend::fixture::history;
    use crate::trend::{ShiftLimits, trends};

    fn found() -> Vec<Trend> {
        let histories =
            vec![history("changed", &[(20, 1e-3), (10, 1.1e-3)]), history("steady", &[(20, 1e-3)])];
        trends(histories, &ShiftLimits::default(), &[])
    }

    #[test]
    fn each_run_is_a_marker_and_each_change_is_written_down() {
        let trends = found();
        let figure = figure("sort", &trends.iter().collect::<Vec<_>>()).expect("two");
        let points = |panel: &LinePanel| panel.lines[0].points.len();
        assert_eq!(figure.panels.iter().map(points).collect::<Vec<_>>(), [30, 20]);
        let [cut] = &figure.panels[0].change_markers[..] else {
            panic!("{:?}", figure.panels[0].change_markers)
        };
        assert!(cut.words.starts_with("+10."), "{}", cut.words);
        assert!(figure.panels[1].change_markers.is_empty());
    }

    #[test]
    fn nothing_has_no_chart() {
        assert!(figure("sort", &[]).is_none());
    }
}
