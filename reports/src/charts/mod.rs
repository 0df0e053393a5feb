//! A run as charts: bars of the variants, and time over an axis.
//!
//! From data to file, each step without knowledge of the later ones:
//!
//! | module | does |
//! |---|---|
//! | `study` | picks the rows of an algorithm and names its series |
//! | `axes` | finds the axes that vary and parts rows into panels |
//! | `bars`, `lines`, `rounds` | turn rows into plots |
//! | `figure` | lays out plots, legend and caption as a scene |
//! | `paint`, `files` | paint a scene as SVG and as PNG |

mod axes;
mod bars;
mod caption;
mod error;
mod figure;
mod files;
#[cfg(test)]
mod fixture;
mod lines;
mod marks;
mod paint;
mod palette;
mod rounds;
mod scale;
mod scene;
mod study;
mod text;
mod time_axis;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::ChartError;

use crate::record::{RunRecord, SampleRow, SummaryRow};
use figure::Figure;
use study::{SeriesNames, Study};

/// Draws the charts of a run into `dir` as SVG and PNG; returns the paths written.
///
/// Every algorithm of the run gets `bars` and `time-over-<axis>`, the latter
/// over `round` if no numeric axis varies; with several algorithms the names
/// begin with the algorithm's. What does not fit one image goes on in `-2`,
/// `-3` and so on. Rows that are not valid are counted in the caption; a run
/// without any valid row has no charts.
///
/// # Errors
///
/// If `dir` cannot be made, or a file cannot be drawn or written.
pub fn draw(
    dir: &Path,
    run: &RunRecord,
    rows: &[SummaryRow],
    samples: &[SampleRow],
) -> Result<Vec<PathBuf>, ChartError> {
    let names = SeriesNames::new(rows);
    let algorithms = algorithms(rows);
    let mut paths = Vec::new();
    for algorithm in &algorithms {
        let study = Study::new(run, algorithm, rows, samples, &names);
        let prefix = match algorithms.len() {
            1 => String::new(),
            _ => format!("{algorithm}-"),
        };
        for (name, figure) in figures(&study) {
            paths.extend(write_pages(dir, &format!("{prefix}{name}"), figure)?);
        }
    }
    Ok(paths)
}

/// The charts of one algorithm with their file names.
fn figures(study: &Study) -> Vec<(String, Figure)> {
    if study.rows.is_empty() {
        return Vec::new();
    }
    let over = match lines::axis(study) {
        Some(axis) => Some((
            format!("time-over-{}", axis.name),
            lines::figure(study, axis),
        )),
        None => rounds::figure(study).map(|figure| ("time-over-round".to_owned(), figure)),
    };
    let bars = ("bars".to_owned(), bars::figure(study));
    std::iter::once(bars).chain(over).collect()
}

fn write_pages(dir: &Path, name: &str, figure: Figure) -> Result<Vec<PathBuf>, ChartError> {
    fs::create_dir_all(dir).map_err(|source| ChartError::Folder {
        path: dir.to_owned(),
        source,
    })?;
    let mut paths = Vec::new();
    for (i, page) in figure.pages().into_iter().enumerate() {
        let name = if i == 0 {
            name.to_owned()
        } else {
            format!("{name}-{}", i + 1)
        };
        paths.extend(files::write(dir, &name, &page.scene())?);
    }
    Ok(paths)
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

/// The size of a plot that is one of `count`, in pixels.
fn panel_size(count: usize) -> (f64, f64) {
    if count > 1 {
        (390.0, 260.0)
    } else {
        (780.0, 460.0)
    }
}
