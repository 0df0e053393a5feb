//! Cost of farms per year over their power, with those that are not worse in both than another.

use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point, Tick, XAxis};
use super::palette::Palette;
use super::scale::{Scale, Unit};
use crate::plan::{Farm, Plan};
use crate::units::{self, percent};

const READING: &str = "whiskers: ends of the 95 % interval of the measured rates; dashed: farms that \
    no other one beats in cost and power (Pareto front)";
/// Labels of the horizontal axis.
const TICKS: usize = 8;
/// Name of the line through the front.
const FRONT: &str = "Pareto front";

/// The chart of a plan; `None` without farms.
pub fn figure(plan: &Plan) -> Option<Chart<LinePanel>> {
    let farms = &plan.farms;
    let power = farms.iter().map(|farm| farm.bounded.value.kw).reduce(f64::max)?;
    let palette = Palette::new(farms.iter().map(|farm| farm.machine.name.clone()));
    let curves = farms.iter().map(|farm| {
        let name = &farm.machine.name;
        Line::curve(name, palette.style(name), vec![point(farm)])
    });
    let lines: Vec<Line> = front(plan).into_iter().chain(curves).collect();
    let y = Scale::from_zero(line_panels::extent(&lines).1);
    let unit = Unit::Count("cost per year [€]");
    let panel = LinePanel::new(String::new(), &power_axis(power), (unit, y), lines);
    let need = &plan.need;
    let load = format!(
        "{} items per second, {} headroom, {} years, {} €/kWh, PUE {}",
        units::count(need.items_per_s()),
        percent(need.headroom),
        units::trimmed(&units::significant(need.years, 3)),
        units::significant(need.electricity_eur_per_kwh, 3),
        need.pue,
    );
    let title = format!("{}: cost of a farm per year over its power", need.name);
    let sizes = farms.iter().map(|farm| {
        let cost = &farm.bounded;
        let name = &farm.machine.name;
        let [nodes, low, high] = [cost.value.nodes, cost.low.nodes, cost.high.nodes];
        format!("{name}: {nodes} nodes ({low} to {high})")
    });
    let sizes: Vec<String> = sizes.collect();
    Chart::new(title, 1, vec![panel], vec![load, sizes.join(" · "), READING.to_owned()])
}

fn point(farm: &Farm) -> Point {
    let cost = &farm.bounded;
    let interval = Some((cost.low.eur_per_year, cost.high.eur_per_year));
    Point { interval, ..Point::new(cost.value.kw, cost.value.eur_per_year) }
}

/// A line through the farms of the front, if there are several.
fn front(plan: &Plan) -> Option<Line> {
    let farms = plan.farms.iter().filter(|farm| plan.is_on_front(farm));
    let mut points: Vec<Point> = farms
        .map(|farm| Point::new(farm.bounded.value.kw, farm.bounded.value.eur_per_year))
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    (points.len() > 1).then(|| Line::reference(FRONT, points))
}

fn power_axis(highest: f64) -> XAxis {
    let scale = Scale::from_zero(highest);
    let label = |kw: f64| Tick::new(kw, units::trimmed(&format!("{kw:.3}")).to_owned());
    let ticks = scale.ticks(TICKS).into_iter().map(label).collect();
    XAxis { name: "power [kW]".to_owned(), scale, ticks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Machine;
    use crate::plan::fixture::{machine, need};

    #[test]
    fn farms_are_points_and_the_front_is_a_line() {
        let thrifty =
            Machine { idle_w: 10.0, peak_w: 20.0, price_eur: 15_000.0, ..machine("cool") };
        let plan = Plan::new(need(), vec![machine("cheap"), thrifty]);
        let chart = figure(&plan).expect("a chart");
        let lines = &chart.panels[0].lines;
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, [FRONT, "cheap", "cool"]);
        assert_eq!((lines[0].points.len(), lines[1].points[0].x), (2, 5.0));
        let (low, high) = lines[1].points[0].interval.expect("an interval");
        assert!(low < lines[1].points[0].y && lines[1].points[0].y < high);
        assert!(chart.caption[1].contains("cheap: 20 nodes (17 to 25)"), "{:?}", chart.caption);
        assert!(figure(&Plan::new(need(), Vec::new())).is_none());
    }
}
