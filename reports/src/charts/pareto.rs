//! Speed over each metric of quality, with the settings that no other one beats.

use super::caption::machine_of;
use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point, Tick, XAxis};
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread, Unit};
use crate::pareto::{Candidate, ParetoTable, Quantity};
use crate::units;

const READING: &str = "whiskers: ends of the 95 % intervals; dashed and numbered: settings that no \
    other one beats in all metrics (Pareto front)";
/// Labels of the horizontal axis.
const TICKS: usize = 6;
/// Significant digits of these labels.
const DIGITS: usize = 4;
const FRONT: &str = "Pareto front";

/// The chart of a sweep; `None` without settings.
pub fn figure(task: &str, sweep: &ParetoTable<'_>) -> Option<Chart<LinePanel>> {
    sweep.candidates.first()?;
    let palette = Palette::new(sweep.candidates.iter().map(|candidate| candidate.name.clone()));
    let front = sweep.front();
    let panels = (1..sweep.goals.len()).map(|goal| panel(sweep, goal, &front, &palette)).collect();
    let numbered = |(index, candidate): (usize, &&Candidate)| {
        format!("{}: {}", index + 1, ParetoTable::words(candidate))
    };
    let front: Vec<String> = front.iter().enumerate().map(numbered).collect();
    let count = units::counted(sweep.candidates.len(), "setting");
    let title = format!("{task}: speed over quality of {count}");
    let machine = machine_of(sweep.run, std::iter::empty());
    let front = format!("front: {}", front.join("; "));
    Chart::new(title, 2, panels, vec![front, machine, READING.to_owned()])
}

/// Speed over the metric of quality of this index.
fn panel(
    sweep: &ParetoTable<'_>,
    goal: usize,
    front: &[&Candidate],
    palette: &Palette,
) -> LinePanel {
    let speed = &sweep.goals[0];
    let quality = &sweep.goals[goal];
    let point = |candidate: &Candidate| {
        let y = &candidate.figures[0];
        let interval = y.interval.map(|ends| (ends.low, ends.high));
        Point { interval, ..Point::new(candidate.figures[goal].value, y.value) }
    };
    let mut along: Vec<Point> = front.iter().map(|candidate| point(candidate)).collect();
    along.sort_by(|a, b| a.x.total_cmp(&b.x));
    let along = along.iter().map(|point| Point::new(point.x, point.y)).collect();
    let mut lines = vec![Line::reference(FRONT, along)];
    let mut named = Vec::new();
    for candidate in sweep.candidates {
        let style = palette.style(&candidate.name);
        let name = if named.contains(&&candidate.name) { "" } else { candidate.name.as_str() };
        named.push(&candidate.name);
        lines.extend(whisker(candidate, goal, &style));
        let points = vec![point(candidate)];
        lines.push(match front.iter().position(|of_front| std::ptr::eq(*of_front, candidate)) {
            Some(index) => {
                Line { label: (index + 1).to_string(), ..Line::curve(name, style, points) }
            }
            None => Line::dots(name, style, points),
        });
    }
    let ends = sweep.candidates.iter().flat_map(|candidate| {
        let figure = &candidate.figures[goal];
        let ends = figure.interval.map_or([figure.value; 2], |ends| [ends.low, ends.high]);
        [ends[0], ends[1], figure.value]
    });
    let low = ends.clone().fold(f64::INFINITY, f64::min);
    let high = ends.fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = line_panels::extent(&lines);
    let x = quality_axis(&quality.label, low, high);
    // The axis keeps the name as long as the chart is drawn.
    let label = crate::quality::interned(&speed.label);
    let unit = match speed.quantity {
        Quantity::ItemsPerSecond => Unit::Rate(label),
        Quantity::MedianTime => Unit::Time(label),
        Quantity::OtherSpeed | Quantity::Quality => Unit::Number(label),
    };
    LinePanel::new(quality.label.clone(), &x, (unit, Scale::around(least, most)), lines)
}

/// The interval of the quality of a setting, across.
fn whisker(candidate: &Candidate, goal: usize, style: &Style) -> Option<Line> {
    let ends = candidate.figures[goal].interval?;
    let speed = candidate.figures[0].value;
    let points = vec![Point::new(ends.low, speed), Point::new(ends.high, speed)];
    Some(Line { kind: line_panels::Kind::Level, ..Line::curve("", *style, points) })
}

fn quality_axis(name: &str, low: f64, high: f64) -> XAxis {
    let scale = Scale::new(low, high, Spread::Linear);
    let label = |value: f64| {
        Tick::new(value, units::trimmed(&units::significant(value, DIGITS)).to_owned())
    };
    let ticks = scale.ticks(TICKS).into_iter().map(label).collect();
    XAxis { name: name.to_owned(), scale, ticks }.thinned()
}

#[cfg(test)]
mod tests {
    use statistics::{Interval, Items};

    use super::super::fixture::run;
    use super::*;
    use crate::pareto::{Figure, Goal, standings};
    use crate::record::{Better, Parts};

    #[test]
    fn settings_are_points_and_the_front_is_a_line() {
        let goal = |metric: &str| Goal {
            metric: metric.into(),
            label: metric.into(),
            better: Better::Higher,
            ideal: None,
            quantity: if metric == "speed" { Quantity::ItemsPerSecond } else { Quantity::Quality },
        };
        let figure_of = |value: f64| Figure {
            value,
            interval: Some(Interval { low: 0.99 * value, high: 1.01 * value }),
            items: Items::Numbers,
            parts: Parts::default(),
        };
        let setting = |name: &str, speed, quality| Candidate {
            name: name.into(),
            setting: format!("n {speed}"),
            point_id: String::new(),
            figures: vec![figure_of(speed), figure_of(quality)],
        };
        let candidates = [setting("a", 1e6, 0.9), setting("a", 2e6, 0.8), setting("b", 1e6, 0.7)];
        let goals = [goal("speed"), goal("efficiency")];
        let standings = standings(&candidates, &goals);
        let run = run();
        let sweep = ParetoTable {
            run: &run,
            goals: &goals,
            candidates: &candidates,
            standings: &standings,
        };
        let chart = figure("events", &sweep).expect("a chart");
        let lines = &chart.panels[0].lines;
        assert_eq!(lines[0].points.len(), 2, "the front");
        let marks: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(marks, [FRONT, "", "a", "", "", "", "b"]);
        let labels: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["", "", "2", "", "1", "", ""]);
        assert_eq!(chart.caption[0], "front: 1: a · n 2000000; 2: a · n 1000000");
        assert!(!chart.svgs("events", "", "pareto").expect("drawn").is_empty());
        let none = ParetoTable { candidates: &[], standings: &[], ..sweep };
        assert!(figure("events", &none).is_none());
    }
}
