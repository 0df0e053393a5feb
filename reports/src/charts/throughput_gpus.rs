//! The maximum throughput of streams of events over the number of GPUs.

use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point, XAxis};
use super::lines;
use super::palette::{Palette, Style};
use super::scale::{Scale, Unit};
use super::study::Axis;
use super::throughput::{IDEALS, RATE, chart, differing, ideal, rate_point};
use crate::grouped::{distinct, grouped};
use crate::record::RunRecord;
use crate::shape::Axes;
use crate::throughput::ThroughputRow;

/// Name of the limit set by links.
const ALLOWED: &str = "limit of the links";
const LINKS: &str = "dashed in colours: limit of the links";

/// The maximum throughput of devices, over their number.
pub fn over_gpus(run: &RunRecord, rows: &[ThroughputRow]) -> Option<Chart<LinePanel>> {
    let is_on_gpu = |row: &&ThroughputRow| row.backend != "cpu" && row.rate().is_some();
    let rows: Vec<&ThroughputRow> = rows.iter().filter(is_on_gpu).collect();
    let counts = distinct(rows.iter().map(|row| row.devices().to_string()));
    counts.get(1)?;
    let x = lines::with_ticks(&Axis::new("GPUs", counts));
    let curves = gpu_curves(&rows);
    let variants = curves.iter().map(|curve| (curve.name.clone(), curve.name.clone(), true));
    let palette = Palette::for_variants(variants);
    let settings = grouped(curves, |curve| curve.setting.clone());
    let all: Vec<Axes> = settings.iter().map(|(setting, _)| setting.clone()).collect();
    let panels = settings.into_iter().map(|(setting, curves)| {
        let lines = curves.iter().flat_map(|curve| curve.lines(&palette, &x));
        let lines: Vec<Line> = lines.collect();
        let y = Scale::from_zero(line_panels::extent(&lines).1);
        LinePanel::new(differing(&setting, &all), &x, (Unit::Rate("items per second"), y), lines)
    });
    let note = "each with the number of streams of the highest rate";
    let reading = [RATE, IDEALS, LINKS, note];
    chart(&rows, "items per second over GPUs", panels.collect(), run, &reading)
}

/// The highest rates of a variant, by the number of GPUs.
struct GpuCurve<'a> {
    name: String,
    setting: Axes,
    best: Vec<(f64, &'a ThroughputRow)>,
}

/// A curve of each variant by one process, and by one process per GPU if any run has several.
fn gpu_curves<'a>(rows: &[&'a ThroughputRow]) -> Vec<GpuCurve<'a>> {
    let has_processes = rows.iter().any(|row| row.processes > 1);
    let modes = if has_processes { &[false, true][..] } else { &[false] };
    let named = modes.iter().flat_map(|&each| {
        // One GPU has one process in both modes.
        let is_of_mode =
            move |row: &&&ThroughputRow| row.processes == if each { row.devices() } else { 1 };
        rows.iter().filter(is_of_mode).map(move |row| match each {
            true => (format!("{}, one process per GPU", row.variant), *row),
            false => (row.variant.clone(), *row),
        })
    });
    let curves = grouped(named, |(name, row)| (name.clone(), row.threads, row.setting()));
    let curve = |((name, _, setting), rows): ((String, _, Axes), Vec<(String, _)>)| {
        let by_count = grouped(rows, |(_, row): &(String, &ThroughputRow)| row.devices());
        let rate = |row: &ThroughputRow| row.rate().unwrap_or_default();
        let highest = by_count.into_iter().filter_map(|(count, rows)| {
            let rows = rows.into_iter().map(|(_, row)| row);
            Some((count as f64, rows.max_by(|a, b| rate(a).total_cmp(&rate(b)))?))
        });
        let mut best: Vec<_> = highest.collect();
        best.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        GpuCurve { name, setting, best }
    };
    curves.into_iter().map(curve).collect()
}

impl GpuCurve<'_> {
    /// The curve after its ideal and its limit by the links.
    fn lines(&self, palette: &Palette, x: &XAxis) -> impl Iterator<Item = Line> + use<> {
        let style = palette.style(&self.name);
        let points = self.best.iter().filter_map(|(x, row)| rate_point(*x, row));
        let curve = Line::curve(&self.name, style, points.collect());
        // A single limit: events need the same transfers in both modes.
        let is_first = self.best.iter().all(|(_, row)| row.variant == self.name);
        let links = allowed_by_links(&self.best, style).filter(|_| is_first);
        [ideal(&curve, x, f64::INFINITY), links, Some(curve)].into_iter().flatten()
    }
}

/// Upper limit of a curve at each number of GPUs if all of their links were always busy.
fn allowed_by_links(rows: &[(f64, &ThroughputRow)], style: Style) -> Option<Line> {
    let limit = |(x, row): &(f64, &ThroughputRow)| {
        let share = row.link_share.filter(|&share| share > 0.0)?;
        Some(Point::new(*x, row.rate()? / share))
    };
    let points: Vec<Point> = rows.iter().filter_map(limit).collect();
    (points.len() > 1).then(|| Line::dashed(ALLOWED, style, points))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::run;
    use super::*;
    use crate::throughput::fixture::row;

    fn names(chart: &Chart<LinePanel>) -> Vec<&str> {
        chart.panels[0].lines.iter().map(|line| line.name.as_str()).collect()
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
}
