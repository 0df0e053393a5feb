//! The fastest variant on CPU and on GPU over the size of the input, and their crossings.
//!
//! Times grow with the size, and on an axis of four decades all lines would look alike. The time
//! per item shows the difference: the fixed cost per item falls with the size, and the cost of an
//! item remains.

use statistics::MedianPair;

use super::super::caption;
use super::super::chart::Chart;
use super::super::line_panels::{self, ChangeMarker, Line, LinePanel};
use super::super::palette::{Palette, Style};
use super::super::scale::{Scale, Spread, Unit};
use super::super::study::{self, Axis, Study};
use super::point;
use crate::break_even::{self, GpuTime, Sweep};
use crate::shape::AxisName;
use crate::units;

/// The names in the legend.
const CPU: &str = "fastest on the CPU";
const END_TO_END: &str = "fastest on the GPU, end to end";
const KERNELS: &str = "fastest on the GPU, kernels only";

const READING: &str = "markers: median of the fastest variant, on the CPU with the best measured \
    threads and placement; whiskers: 95 % confidence interval of the median; dashed: where lines \
    cross; shaded: 95 % confidence interval of that";

/// The chart of a study, if it has a CPU and a GPU at enough sizes.
pub fn figure(study: &Study) -> Option<Chart<LinePanel>> {
    let sweeps = break_even::sweeps(&study.with_stages());
    let x = super::with_ticks(&sizes(&sweeps)?);
    let lines = sweeps.iter().map(|sweep| (title(sweep), lines(sweep))).collect();
    let y = |low, high| Scale::new(low, high, Spread::Log);
    let mut panels = line_panels::panels_over(&x, Unit::Time("median time per item"), y, lines);
    for (panel, sweep) in panels.iter_mut().zip(&sweeps) {
        panel.change_markers = change_markers(sweep);
    }
    let headline = match sweeps.as_slice() {
        [sweep] => break_even::sentences(sweep).into_iter().next(),
        _ => None,
    };
    let chart = Chart::new(
        format!("{}: size from which a GPU is faster", study.algorithm),
        panels.len(),
        panels,
        caption(study, &sweeps),
    );
    Some(chart?.under(headline))
}

/// All sizes of all sweeps as an axis; `None` if there are none.
fn sizes(sweeps: &[Sweep]) -> Option<Axis> {
    let name = format!("{}s", sweeps.first()?.item);
    let curves = sweeps.iter().flat_map(|sweep| [&sweep.cpu, &sweep.end_to_end, &sweep.kernels]);
    let sizes = curves.flat_map(|curve| curve.points()).map(|(size, _)| size.to_string());
    Some(Axis::new(AxisName::count(&name), sizes))
}

fn lines(sweep: &Sweep) -> Vec<Line> {
    let curves = [(CPU, &sweep.cpu), (END_TO_END, &sweep.end_to_end), (KERNELS, &sweep.kernels)];
    let lines = curves.map(|(name, points)| line(name, points)).into_iter();
    lines.filter(|line| !line.points.is_empty()).collect()
}

fn line(name: &str, curve: &break_even::Curve) -> Line {
    let points = curve.points().map(|(size, row)| point(size as f64, row, size as f64));
    Line::curve(name, style(name), points.collect())
}

/// Crossings of the lines. Lines fall from left to right, and kernels break even first: their
/// labels fit at the bottom, those of the others at the top.
fn change_markers(sweep: &Sweep) -> Vec<ChangeMarker> {
    let mut change_markers = Vec::new();
    for comparison in sweep.comparisons() {
        let is_known = comparison.pairs.iter().all(MedianPair::has_intervals);
        for crossing in comparison.crossings() {
            // An end beyond the measured sizes becomes that of the plot.
            let ends = (crossing.low.unwrap_or(1.0), crossing.high.unwrap_or(f64::MAX));
            change_markers.push(ChangeMarker {
                at: crossing.size,
                interval: is_known.then_some(ends),
                words: units::count(crossing.size),
                is_low: comparison.gpu_time == GpuTime::Kernels,
                style: style_of(comparison.gpu_time),
            });
        }
    }
    change_markers
}

/// Style of a line, the same in all such charts.
fn style(name: &str) -> Style {
    Palette::new([CPU, END_TO_END, KERNELS].map(str::to_owned)).style(name)
}

fn style_of(way: GpuTime) -> Style {
    style(match way {
        GpuTime::EndToEnd => END_TO_END,
        GpuTime::Kernels => KERNELS,
    })
}

/// `order = random · device = cuda:0`.
fn title(sweep: &Sweep) -> String {
    study::title(sweep.setting.iter().map(|(name, value)| (name, value)))
}

/// Caption: the usual paragraphs, and the crossings of each panel.
fn caption(study: &Study, sweeps: &[Sweep]) -> Vec<String> {
    let mut paragraphs = caption::of_samples(study, READING);
    for sweep in sweeps {
        let panel = match title(sweep) {
            title if title.is_empty() => title,
            title => format!("{title}: "),
        };
        let phrases = break_even::sentences(sweep).join("; ");
        paragraphs.push(format!("{panel}{phrases}"));
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{break_even_rows, of_study};
    use super::*;
    use crate::record::SummaryRow;

    fn panels(rows: &[SummaryRow]) -> Vec<LinePanel> {
        of_study(rows, &[], figure).map_or_else(Vec::new, |figure| figure.panels)
    }

    #[test]
    fn both_gpu_times_have_distinct_markers() {
        let panels = panels(&break_even_rows(&["random", "time"]));
        assert_eq!(panels.len(), 2);
        assert_eq!(panels[0].title, "order = random");
        for panel in &panels {
            let [high, low] = &panel.change_markers[..] else {
                panic!("{:?}", panel.change_markers)
            };
            assert!(!high.is_low && low.is_low && high.style != low.style);
            assert!(high.interval.is_some() && low.interval.is_some());
        }
    }

    #[test]
    fn an_interval_without_an_end_reaches_beyond_the_sizes() {
        let mut rows = break_even_rows(&["random"]);
        // Not significant at 10 k, which is now the smallest size.
        rows.retain(|row| row.items >= 10_000);
        let change_markers = panels(&rows).remove(0).change_markers;
        let (low, high) = change_markers[0].interval.expect("known");
        assert!(change_markers.len() == 1 && low < 10_000.0 && high < 1e7, "{change_markers:?}");
    }

    #[test]
    fn missing_intervals_have_no_area() {
        let mut rows = break_even_rows(&["random"]);
        rows.iter_mut().for_each(|row| row.ci95_low_s = None);
        let change_markers = panels(&rows).remove(0).change_markers;
        assert!(
            change_markers.len() == 2 && change_markers.iter().all(|cut| cut.interval.is_none())
        );
    }
}
