//! A run as charts: times and memory of the variants, time and speed-up over
//! an axis.
//!
//! From data to file, each step without knowledge of the later ones:
//!
//! | module | does |
//! |---|---|
//! | `study`, `placement` | pick the rows of an algorithm and name its series |
//! | `axes` | finds the axes that vary and parts rows into panels |
//! | `depends` | finds the axes that a quantity depends on |
//! | `bars`, `stages`, `quality`, `memory`, `lines`, `distribution`, `rounds` | turn rows into panels |
//! | `link` | turns measured links to GPUs into panels |
//! | `published` | turns published figures beside measured ones into panels |
//! | `trend` | turns points over many runs into panels |
//! | `scale`, `unit` | axes and their labels |
//! | `bar_panels`, `line_panels` | what panels hold, and how they are painted |
//! | `canvas`, `legend`, `text`, `palette` | what surrounds panels, and what all paint with |
//! | `page`, `raster`, `files` | an image each, as SVG and the PNG of that |

mod axes;
mod bar_panels;
mod bars;
mod canvas;
mod caption;
mod depends;
mod distribution;
mod error;
mod files;
#[cfg(test)]
pub(crate) mod fixture;
mod legend;
mod line_panels;
mod lines;
mod link;
mod memory;
mod page;
mod page_times;
mod palette;
mod placement;
mod published;
mod quality;
mod raster;
mod roofline;
mod rounds;
mod scale;
mod stages;
mod study;
mod text;
mod trend;
mod unit;
mod winner_map;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::ChartError;
pub use page::NamedSvg;
pub use palette::look_of;

use crate::grouped::grouped;
use crate::published::Reproduction;
use crate::rank::Rank;
use crate::record::{CeilingsRecord, RunRecord, SampleRow, SummaryRow};
use crate::trend::Trend;
use axes::Axis;
use line_panels::LinePanels;
use page::{Drawing, Page};
use study::{SeriesNames, Study};

/// The name of the chart of stages.
const STAGES: &str = "stages";

/// Which charts there are to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What variants are ranked by.
    pub rank: Rank,
    /// What a reader who doubts is shown.
    pub diagnostics: Diagnostics,
}

/// Charts of single samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagnostics {
    /// No such charts.
    #[default]
    None,
    /// How samples are distributed.
    Distributions,
    /// And how they follow each other.
    All,
}

/// Draws the charts of a run into `dir` as SVG and PNG; returns the paths written.
///
/// Every algorithm of the run gets these, as far as its rows allow:
///
/// | file | shows | drawn if |
/// |---|---|---|
/// | `winners` | who is the fastest, over two axes | several settings |
/// | `bars` | times of the variants, by what `rank` says | always |
/// | `bars-kernel`, or `bars-total` | the same by the other one of whole and kernels | a variant has kernels |
/// | `time-and-page` | total time beside the time a page | the task has pages |
/// | `stages` | the times of the variants at each stage | a variant has several |
/// | `quality` | how good outputs are, beside the time | it is known |
/// | `time-over-<axis>` | lines over the numeric axis with the most values, over `threads` and over `segments` | the axis varies |
/// | `distribution` | all samples beside each other | asked for |
/// | `time-over-round` | all samples, in their order | all diagnostics are asked for |
/// | `speedup-over-threads` | how many times faster each line is than at its fewest threads, beside the ideal | threads vary |
/// | `break-even` | time an item of the fastest on CPU and GPU over the size of the input, and where they cross | both have three sizes in common |
/// | `memory` | memory of the variants as multiples of their input | it is known |
///
/// The lines are variants, and what else varies makes panels. Over `threads`
/// the lines are placements, with a panel a variant, if a run has several.
/// Where variants have kernels, bars and lines are the fastest first, and title and caption
/// say which of both times they show.
/// `memory` is shown over those axes only that it depends on by more than 1 %.
///
/// With several algorithms the names begin with the algorithm's. What does not
/// fit one image goes on in `-2`, `-3` and so on. Rows that are not valid are
/// counted in the caption; a run without any valid row has no charts.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw(
    dir: &Path,
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    wanted: Wanted,
) -> Result<Vec<PathBuf>, ChartError> {
    let mut paths = Vec::new();
    for page in pages(run, rows, samples, wanted, |_| true) {
        paths.extend(write(dir, &page)?);
    }
    Ok(paths)
}

/// Draws `link-bandwidth` into `dir` as SVG and PNG, if a link was measured;
/// returns the paths written.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw_links(dir: &Path, record: &CeilingsRecord) -> Result<Vec<PathBuf>, ChartError> {
    let figures = link::figure(record).into_iter();
    let pages = figures.flat_map(|figure| Page::all("devices", "link-bandwidth", figure));
    let written = pages.map(|page| write(dir, &page));
    Ok(written.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Draws `history-<task>` into `dir` as SVG and PNG, a panel for each trend; returns the
/// paths written.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw_trends(dir: &Path, trends: &[&Trend]) -> Result<Vec<PathBuf>, ChartError> {
    let tasks = grouped(trends.iter().copied(), |trend| trend.track.point.algorithm.clone());
    let mut paths = Vec::new();
    for (task, trends) in tasks {
        let figures = trend::figure(&task, &trends).into_iter();
        let name = format!("history-{task}");
        for page in figures.flat_map(|figure| Page::all(&task, &name, figure)) {
            paths.extend(write(dir, &page)?);
        }
    }
    Ok(paths)
}

/// Draws `winners` into `dir` as SVG and PNG, or `<task>-winners` of several tasks, over the axes
/// of these names; returns the paths written.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw_winners(
    dir: &Path,
    run: &RunRecord,
    rows: &[SummaryRow],
    rank: Rank,
    over: &[String],
) -> Result<Vec<PathBuf>, ChartError> {
    let maps = |study: &Study| {
        let by_kernels = study.by_kernels().filter(|_| rank == Rank::Kernel);
        let map = winner_map::figure(by_kernels.as_ref().unwrap_or(study), over);
        map.map(|map| ("winners".to_owned(), map.into())).into_iter().collect()
    };
    let pages = pages_of(run, rows, &[], maps);
    let written = pages.iter().map(|page| write(dir, page));
    Ok(written.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Draws `published-<id>` into `dir` as SVG and PNG, for each figure; returns the paths
/// written.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw_published(dir: &Path, figures: &[Reproduction]) -> Result<Vec<PathBuf>, ChartError> {
    let pages = figures.iter().flat_map(published_pages);
    let written = pages.map(|page| write(dir, &page));
    Ok(written.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The charts that [`draw_published`] writes for a figure, as texts.
///
/// # Errors
///
/// If a chart cannot be drawn.
pub(crate) fn published_svgs(figure: &Reproduction) -> Result<Vec<NamedSvg>, ChartError> {
    published_pages(figure).into_iter().map(Page::svg).collect()
}

fn published_pages(figure: &Reproduction) -> Vec<Page> {
    let id = &figure.figure.id;
    let figures = published::figure(figure).into_iter();
    figures.flat_map(|figure| Page::all(id, &format!("published-{id}"), figure)).collect()
}

fn write(dir: &Path, page: &Page) -> Result<[PathBuf; 2], ChartError> {
    fs::create_dir_all(dir)
        .map_err(|source| ChartError::Folder { path: dir.to_owned(), source })?;
    files::write(dir, page)
}

/// The charts that [`draw`] writes, as texts, but for `stages`: a page has a picture of
/// them that can be asked for numbers.
///
/// # Errors
///
/// If a chart cannot be drawn.
pub fn svgs(
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    wanted: Wanted,
) -> Result<Vec<NamedSvg>, ChartError> {
    let pages = pages(run, rows, samples, wanted, |name| name != STAGES);
    pages.into_iter().map(Page::svg).collect()
}

/// The charts of a run that are wanted, in reading order.
fn pages(
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    wanted: Wanted,
    is_wanted: fn(&str) -> bool,
) -> Vec<Page> {
    pages_of(run, rows, samples, |study| {
        let figures = figures(study, wanted).into_iter();
        figures.filter(|(name, _)| is_wanted(name)).collect()
    })
}

/// Charts of each algorithm, with their names.
fn pages_of(
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
    figures: impl Fn(&Study) -> Vec<(String, Drawing)>,
) -> Vec<Page> {
    let names = SeriesNames::new(rows);
    let algorithms = algorithms(rows);
    let mut pages = Vec::new();
    for algorithm in &algorithms {
        let study = Study::new(run, algorithm, rows, samples, &names);
        let prefix = match algorithms.len() {
            1 => String::new(),
            _ => format!("{algorithm}-"),
        };
        for (name, figure) in figures(&study) {
            pages.extend(Page::all(algorithm, &format!("{prefix}{name}"), figure));
        }
    }
    pages
}

/// The charts of one algorithm with their file names.
fn figures(study: &Study, wanted: Wanted) -> Vec<(String, Drawing)> {
    if study.rows.is_empty() {
        return Vec::new();
    }
    let by_kernels = study.by_kernels();
    // What charts of single times show; the other one has bars only.
    let (shown, other) = match (wanted.rank, &by_kernels) {
        (Rank::Kernel, Some(by_kernels)) => (by_kernels, Some(study)),
        _ => (study, by_kernels.as_ref()),
    };
    let map = winner_map::figure(shown, &[]).into_iter();
    let mut figures: Vec<_> = map.map(|map| ("winners".to_owned(), map.into())).collect();
    figures.push(("bars".to_owned(), bars::times(shown).into()));
    figures.extend(other.map(bars_of_other));
    let mut add = |name: &str, drawing: Option<Drawing>| {
        figures.extend(drawing.map(|drawing| (name.to_owned(), drawing)));
    };
    add("time-and-page", page_times::figure(study).map(Drawing::from));
    add(STAGES, stages::figure(study).map(Drawing::from));
    add("quality", quality::figure(study).map(Drawing::from));
    for (name, figure) in times(shown) {
        add(&name, Some(figure.into()));
    }
    add("speedup-over-threads", lines::speedup::figure(shown));
    add("break-even", lines::break_even::figure(study).map(Drawing::from));
    add("memory", memory::figure(study).map(Drawing::from));
    add("bandwidth", bars::bandwidth(by_kernels.as_ref().unwrap_or(study)).map(Drawing::from));
    add("roofline", roofline::figure(study).map(Drawing::from));
    if wanted.diagnostics != Diagnostics::None {
        add("distribution", distribution::figure(study).map(Drawing::from));
    }
    if wanted.diagnostics == Diagnostics::All {
        add("time-over-round", rounds::figure(study).map(Drawing::from));
    }
    figures
}

/// The bars of what does not rank: `bars-kernel`, or `bars-total`.
fn bars_of_other(study: &Study) -> (String, Drawing) {
    let rank = study.ranked_by.unwrap_or_default();
    (format!("bars-{}", rank.name()), bars::times(study).into())
}

/// Times over the axes that are worth it.
fn times(study: &Study) -> Vec<(String, LinePanels)> {
    let axes = lines::axes(study);
    let over = |axis: &Axis| {
        let name = format!("time-over-{}", axis.name);
        (name, lines::time::figure(study, axis))
    };
    axes.into_iter().map(over).collect()
}

/// The colour of the `index`-th series as red, green and blue, for pictures
/// beside the charts.
pub(crate) fn series_color(index: usize) -> (u8, u8, u8) {
    palette::color(index)
}

/// Names of the algorithms in the order of the run.
fn algorithms(rows: &[SummaryRow]) -> Vec<&str> {
    let mut names = Vec::new();
    for row in rows {
        if !names.contains(&row.algorithm.as_str()) {
            names.push(row.algorithm.as_str());
        }
    }
    names
}

/// Panels a row for `count` panels, preferring `natural`.
fn columns(natural: usize, count: usize) -> usize {
    match natural {
        2..=3 => natural,
        4 => 2,
        6 | 9 => 3,
        _ if count <= 3 => count,
        _ => (count as f64).sqrt().ceil().min(3.0) as usize,
    }
}
