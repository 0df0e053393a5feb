//! Charts of a run: times and memory of the variants, time and speed-up over an axis.
//!
//! From data to file; no step depends on a later one:
//!
//! | module | does |
//! |---|---|
//! | `study` | selects the rows of an algorithm, names its series, and groups rows into panels |
//! | `bars`, `stages`, `quality`, `memory`, `lines`, `samples`, `winner_map` | turn rows into panels |
//! | `roofline` | turns rows, and measured links to GPUs, into panels |
//! | `published` | turns published figures and measured ones into panels |
//! | `throughput`, `throughput_gpus` | turn streams of events into panels |
//! | `stream` | turns open-loop runs of timeslices into panels |
//! | `plan` | turns farms into a panel of cost over power |
//! | `mixed` | turns loads alone and together into panels, and their slowdowns into a matrix |
//! | `machines` | turns ratios of machines into panels |
//! | `portability` | turns the cost of portable kernels into panels |
//! | `trend` | turns points over many runs into panels |
//! | `scale` | axes, their units and labels |
//! | `bar_panels`, `line_panels` | content of panels, and their painting |
//! | `line` | lines, and their legend |
//! | `chart` | panels with titles and captions, as SVG and PNG |
//! | `canvas`, `palette` | drawing primitives |

mod bar_panels;
mod bars;
mod canvas;
mod caption;
mod chart;
#[cfg(test)]
pub(crate) mod fixture;
mod line;
mod line_panels;
mod lines;
mod machines;
mod memory;
mod mixed;
mod palette;
mod pareto;
mod plan;
mod portability;
mod published;
mod quality;
mod roofline;
mod samples;
mod scale;
mod stages;
mod stream;
mod study;
mod throughput;
mod throughput_gpus;
mod trend;
mod winner_map;

use std::path::{Path, PathBuf};

pub use chart::{ChartError, NamedSvg};
pub(crate) use palette::color as series_color;
pub use palette::style_index;

use crate::grouped::{grouped, tasks_of};
use crate::machines::MachineComparison;
use crate::mixed::MixedResult;
use crate::pareto::ParetoTable;
use crate::plan::Plan;
use crate::portability::Comparison;
use crate::published::Reproduction;
use crate::rank::Rank;
use crate::record::{CeilingsRecord, RunRecord, SampleRow, SummaryRow};
use crate::stream::{StreamRow, TimesliceRow};
use crate::throughput::ThroughputRow;
use crate::trend::Trend;
use chart::{Chart, Panel};
use study::Study;

/// Selection of charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Time by which variants are ranked.
    pub rank: Rank,
    /// Charts of single samples.
    pub diagnostics: Diagnostics,
    /// Output of the times of stages.
    pub stages: Stages,
}

/// Output of the times of stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stages {
    /// In a chart.
    #[default]
    Chart,
    /// In an interactive picture of the HTML page.
    Page,
}

/// Charts of single samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagnostics {
    /// No such charts.
    #[default]
    None,
    /// Distributions of samples.
    Distributions,
    /// Distributions, and samples over rounds.
    All,
}

/// Writes images into `dir` as SVG and PNG; returns the paths written.
///
/// # Errors
/// If `dir` cannot be created, or a file cannot be written.
pub fn write(dir: &Path, images: &[NamedSvg]) -> Result<Vec<PathBuf>, ChartError> {
    let written = images.iter().map(|image| image.write(dir));
    Ok(written.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Draws the charts of a run, in reading order.
///
/// Each algorithm of the run gets these, as far as its rows allow:
///
/// | file | shows | drawn if |
/// |---|---|---|
/// | `winners` | the fastest variant over two axes | several settings |
/// | `bars` | times of the variants, by `rank` | always |
/// | `bars-kernel`, or `bars-total` | times by the other one of total and kernels | a variant has kernels |
/// | `time-and-page` | total time and time per page | the task has pages |
/// | `stages` | times of the variants at each stage | a variant has several |
/// | `quality` | quality of outputs, and the time | it is known |
/// | `quality-over-<axis>` | metrics of quality over the numeric axis of the data with the most values | such an axis varies |
/// | `time-over-<axis>` | lines over the numeric axis with the most values, over `threads` and over `segments` | the axis varies |
/// | `distribution` | all samples next to each other | requested |
/// | `time-over-round` | all samples, in their order | all diagnostics are requested |
/// | `speedup-over-threads` | speed-up of each line relative to its smallest number of threads, and the ideal | threads vary |
/// | `break-even` | time per item of the fastest on CPU and GPU over the size of the input, and their crossings | both have three sizes in common |
/// | `memory` | memory of the variants as multiples of their input | it is known |
/// | `bandwidth` | minimum bytes per second, and the measured bandwidth | it was measured |
/// | `roofline` | each device's roof, and the variants below it | it was measured |
///
/// The lines are variants, and other varying axes make panels. Over `threads` the lines are
/// placements, with a panel per variant, if a run has several. If variants have kernels, the
/// fastest bars and lines come first, and title and caption state which of both times they show.
/// `memory` is shown over those axes only that change it by more than 1 %.
///
/// With several algorithms the names begin with the algorithm's. Further images of a chart are
/// `-2`, `-3` and so on. Rows that are not valid are counted in the caption; a run without any
/// valid row has no charts.
///
/// # Errors
/// If a chart cannot be drawn; no charts are returned then.
pub fn draw(
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    wanted: Wanted,
) -> Result<Vec<NamedSvg>, ChartError> {
    of_tasks(run, rows, samples, |study, images| draw_study(study, wanted, images))
}

/// Draws `winners` of a run, or `<task>-winners` of several tasks, over the axes of these names.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_winners(
    run: &RunRecord,
    rows: &[SummaryRow],
    rank: Rank,
    over: &[String],
) -> Result<Vec<NamedSvg>, ChartError> {
    of_tasks(run, rows, &[], |study, images| {
        let by_kernels = study.by_kernels().filter(|_| rank == Rank::Kernel);
        images.add("winners", winner_map::figure(by_kernels.as_ref().unwrap_or(study), over))
    })
}

/// Draws `link-bandwidth`, if a link was measured.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_links(record: &CeilingsRecord) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task("devices");
    images.add("link-bandwidth", roofline::link_figure(record))?;
    Ok(images.all)
}

/// Draws `history-<task>` of each task, a panel for each trend.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_trends(trends: &[&Trend]) -> Result<Vec<NamedSvg>, ChartError> {
    let tasks = grouped(trends.iter().copied(), |trend| &trend.history.point.algorithm);
    let mut all = Vec::new();
    for (task, trends) in tasks {
        let mut images = Images::for_task(task);
        images.add(&format!("history-{task}"), trend::figure(task, &trends))?;
        all.extend(images.all);
    }
    Ok(all)
}

/// Draws `published-<id>` of a figure, if any of its values has a measured counterpart.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_published(figure: &Reproduction) -> Result<Vec<NamedSvg>, ChartError> {
    let id = &figure.figure.id;
    let mut images = Images::for_task(id);
    let name = format!("published-{id}");
    match &figure.streams {
        Some(streams) => images.add(&name, published::streams_figure(figure, streams))?,
        None => images.add(&name, published::figure(figure))?,
    }
    Ok(images.all)
}

/// Draws the charts of streams of events, as far as there are points for them:
///
/// | file | shows | drawn if |
/// |---|---|---|
/// | `throughput-over-streams` | items per second, the ideal, and where they saturate | streams vary |
/// | `latency-over-streams` | median and 99th percentile of the time of an event | streams vary |
/// | `throughput-over-threads` | items per second over the total threads of all streams | threads vary |
/// | `throughput-over-gpus` | maximum of one or several GPUs, and the ideal | their number varies |
///
/// # Errors
/// If one cannot be drawn; no charts are returned then.
pub fn draw_throughput(
    run: &RunRecord,
    rows: &[ThroughputRow],
) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task(rows.first().map_or("", |row| &row.algorithm));
    images.add("throughput-over-streams", throughput::over_streams(run, rows))?;
    images.add("latency-over-streams", throughput::latency(run, rows))?;
    images.add("throughput-over-threads", throughput::over_threads(run, rows))?;
    images.add("throughput-over-gpus", throughput_gpus::over_gpus(run, rows))?;
    Ok(images.all)
}

/// Draws the charts of open-loop runs of timeslices:
///
/// | file | shows | drawn if |
/// |---|---|---|
/// | `stream-over-time` | latency and rate over time | always |
/// | `stream-latency` | median and 99th percentile of the latency over the speed | the speed varies |
/// | `stream-kept-up` | completed and due rates over the speed | the speed varies |
///
/// # Errors
/// If one cannot be drawn; no charts are returned then.
pub fn draw_stream(
    run: &RunRecord,
    rows: &[StreamRow],
    timeslices: &[TimesliceRow],
) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task(rows.first().map_or("", |row| &row.algorithm));
    images.add("stream-over-time", stream::over_time(run, rows, timeslices))?;
    images.add("stream-latency", stream::latency(run, rows))?;
    images.add("stream-kept-up", stream::kept_up(run, rows))?;
    Ok(images.all)
}

/// Draws the cost of portable kernels relative to native ones.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_portability(
    run: &RunRecord,
    comparisons: &[Comparison],
) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task("portability");
    images.add("portability", portability::portability(run, comparisons))?;
    Ok(images.all)
}

/// Draws `plan`: the cost of farms over their power; no chart without farms.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_plan(plan: &Plan) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task("plan");
    images.add("plan", plan::figure(plan))?;
    Ok(images.all)
}

/// Draws the charts of a mix of loads:
///
/// | file | shows | drawn if |
/// |---|---|---|
/// | `mixed-matrix` | slowdown of each load by each neighbour | there are neighbours |
/// | `mixed-loads` | rates, or latencies of open loops, alone and together | always |
///
/// # Errors
/// If one cannot be drawn; no charts are returned then.
pub fn draw_mixed(result: &MixedResult) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task("mixed");
    images.add("mixed-matrix", mixed::matrix(result))?;
    images.add("mixed-loads", mixed::bars(result))?;
    Ok(images.all)
}

/// Draws `machines`: rates of machines over that of the reference, by task; no chart if no task was
/// measured on two.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_machines(comparison: &MachineComparison) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task("machines");
    images.add("machines", machines::machines(comparison))?;
    Ok(images.all)
}

/// Draws `pareto`: speed over quality of settings; no chart without settings.
///
/// # Errors
/// If it cannot be drawn.
pub fn draw_pareto(task: &str, sweep: &ParetoTable<'_>) -> Result<Vec<NamedSvg>, ChartError> {
    let mut images = Images::for_task(task);
    images.add("pareto", pareto::figure(task, sweep))?;
    Ok(images.all)
}

/// The images of a task, or of another subject.
struct Images<'a> {
    task: &'a str,
    /// Prefix of file names.
    prefix: String,
    all: Vec<NamedSvg>,
}

impl<'a> Images<'a> {
    fn for_task(task: &'a str) -> Self {
        Images { task, prefix: String::new(), all: Vec::new() }
    }

    /// Draws a chart, if there is one.
    fn add<P: Panel>(
        &mut self,
        name: &str,
        chart: impl Into<Option<Chart<P>>>,
    ) -> Result<(), ChartError> {
        if let Some(chart) = chart.into() {
            self.all.extend(chart.svgs(self.task, &self.prefix, name)?);
        }
        Ok(())
    }
}

/// The images that `draw` makes for each task of a run.
fn of_tasks(
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    draw: impl Fn(&Study, &mut Images) -> Result<(), ChartError>,
) -> Result<Vec<NamedSvg>, ChartError> {
    let tasks = tasks_of(rows);
    let mut all = Vec::new();
    for task in &tasks {
        let mut images = Images::for_task(task);
        if tasks.len() > 1 {
            images.prefix = format!("{task}-");
        }
        draw(&Study::new(run, task, rows, samples), &mut images)?;
        all.extend(images.all);
    }
    Ok(all)
}

/// Draws the charts of one task.
fn draw_study(study: &Study, wanted: Wanted, images: &mut Images) -> Result<(), ChartError> {
    if study.rows.is_empty() {
        return Ok(());
    }
    let by_kernels = study.by_kernels();
    // Time that charts of one time show; the other one has bars only.
    let (shown, other) = match (wanted.rank, &by_kernels) {
        (Rank::Kernel, Some(by_kernels)) => (by_kernels, Some(study)),
        _ => (study, by_kernels.as_ref()),
    };
    images.add("winners", winner_map::figure(shown, &[]))?;
    images.add("bars", bars::times(shown))?;
    if let Some(other) = other {
        let rank = other.ranked_by.unwrap_or_default();
        images.add(&format!("bars-{}", rank.name()), bars::times(other))?;
    }
    images.add("time-and-page", bars::times_and_pages(study))?;
    if wanted.stages == Stages::Chart {
        images.add("stages", stages::figure(study))?;
    }
    images.add("quality", quality::figure(study))?;
    if let Some((axis, chart)) = quality::over_axis(study) {
        images.add(&format!("quality-over-{axis}"), chart)?;
    }
    for axis in lines::axes(shown) {
        images.add(&format!("time-over-{}", axis.name), lines::time::figure(shown, axis))?;
    }
    // Either bars or lines: lines need three numbers of threads.
    images.add("speedup-over-threads", lines::time::speedup_bars(shown))?;
    images.add("speedup-over-threads", lines::time::speedup_lines(shown))?;
    images.add("break-even", lines::break_even::figure(study))?;
    images.add("memory", memory::figure(study))?;
    images.add("bandwidth", bars::bandwidth(by_kernels.as_ref().unwrap_or(study)))?;
    images.add("roofline", roofline::figure(study))?;
    if wanted.diagnostics != Diagnostics::None {
        images.add("distribution", samples::distribution(study))?;
    }
    if wanted.diagnostics == Diagnostics::All {
        images.add("time-over-round", samples::over_rounds(study))?;
    }
    Ok(())
}
