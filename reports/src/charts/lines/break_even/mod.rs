//! The fastest on the CPU and on the GPU over the size of the input, and where
//! they cross.
//!
//! Times grow with the size, and on an axis of four decades all lines would look
//! alike. The time an item shows what matters: what a start costs falls with the
//! size, and what an item costs is what remains.

mod crossings;

use super::super::axes::Axis;
use super::super::caption;
use super::super::figure::Figure;
use super::super::palette::{Palette, Style};
use super::super::scale::{Scale, Spread};
use super::super::study::{Study, interval};
use super::super::time_axis;
use super::curves::{self, Chart, Curve, Panel, Point, YAxis};
use crate::break_even::{self, Sweep, Way};
use crate::record::SummaryRow;
use crate::shape;

/// The names in the legend.
const CPU: &str = "fastest on the CPU";
const END_TO_END: &str = "fastest on the GPU, end to end";
const KERNELS: &str = "fastest on the GPU, kernels only";

const READING: &str = "markers: median of the fastest variant, on the CPU with the best of the \
    measured numbers of threads and placements; whiskers: 95 % confidence interval of the median; \
    dashed: where lines cross; shaded: 95 % confidence interval of that";

/// The chart of a study, if it has a CPU and a GPU at enough sizes.
pub fn figure(study: &Study) -> Option<Figure> {
    let rows: Vec<&SummaryRow> = study.rows.iter().chain(&study.stages).copied().collect();
    let sweeps = break_even::sweeps(&rows);
    let axis = sizes(&sweeps)?;
    let panels: Vec<Panel> = sweeps.iter().map(panel).collect();
    let (low, high) = curves::extent(&panels);
    let item = &sweeps.first()?.item;
    let chart = Chart {
        title: format!("{}: from which size on a GPU is worth it", study.algorithm),
        axis: &axis,
        y: YAxis {
            name: format!("median time a {item}"),
            scale: Scale::new(low, high, Spread::Log),
            ruler: time_axis::ruler,
        },
        row: panels.len(),
        panels,
        caption: caption(study, &sweeps),
    };
    let mut figure = chart.figure();
    for (plot, sweep) in figure.plots.iter_mut().zip(&sweeps) {
        crossings::mark(plot, &axis, sweep);
    }
    Some(figure)
}

/// All sizes of all sweeps as an axis; `None` without any.
fn sizes(sweeps: &[Sweep]) -> Option<Axis> {
    let name = format!("{}s", sweeps.first()?.item);
    let curves = sweeps.iter().flat_map(|sweep| [&sweep.cpu, &sweep.end_to_end, &sweep.kernels]);
    let mut sizes: Vec<u64> =
        curves.flat_map(|curve| curve.points()).map(|(size, _)| size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let values = sizes.iter().map(u64::to_string).collect();
    Some(Axis { name, values })
}

fn panel(sweep: &Sweep) -> Panel {
    let curves = [(CPU, &sweep.cpu), (END_TO_END, &sweep.end_to_end), (KERNELS, &sweep.kernels)];
    let curves = curves.map(|(name, points)| curve(name, points));
    let is_drawn = |curve: &Curve| !curve.points.is_empty();
    Panel { title: title(sweep), curves: curves.into_iter().filter(is_drawn).collect() }
}

fn curve(name: &str, curve: &break_even::Curve) -> Curve {
    let point = |(size, row): (u64, &SummaryRow)| {
        let an_item = |seconds: f64| seconds / size as f64;
        Point {
            x: size as f64,
            y: an_item(super::super::study::median(row)),
            interval: interval(row).map(|(low, high)| (an_item(low), an_item(high))),
        }
    };
    Curve { name: name.to_owned(), style: style(name), points: curve.points().map(point).collect() }
}

/// The look of a line, the same in all such charts.
fn style(name: &str) -> Style {
    Palette::new([CPU, END_TO_END, KERNELS].map(str::to_owned)).style(name)
}

fn style_of(way: Way) -> Style {
    style(match way {
        Way::EndToEnd => END_TO_END,
        Way::Kernels => KERNELS,
    })
}

/// `order = random · device = cuda:0`.
fn title(sweep: &Sweep) -> String {
    let pair = |(name, value): &(String, String)| format!("{name} = {}", shape::value(name, value));
    let pairs: Vec<String> = sweep.setting.iter().map(pair).collect();
    pairs.join(shape::SEPARATOR)
}

/// What any chart says, and for each panel from where on who wins.
fn caption(study: &Study, sweeps: &[Sweep]) -> Vec<String> {
    let mut paragraphs = caption::of_samples(study, READING);
    for sweep in sweeps {
        let panel = match title(sweep) {
            title if title.is_empty() => title,
            title => format!("{title}: "),
        };
        let said = break_even::sentences(sweep).join("; ");
        paragraphs.push(format!("{panel}{said} ({})", break_even::entrants(sweep)));
    }
    paragraphs
}
