//! Charts as SVG and PNG files.
//!
//! Pictures are made in memory and written in one go: the file backends of
//! plotters write when they are dropped, where an error has nowhere to go.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::ChartError;
use super::page::Page;
use super::raster::png;

/// Writes the page into `dir` as SVG and PNG; returns both paths.
pub fn write(dir: &Path, page: &Page) -> Result<[PathBuf; 2], ChartError> {
    let files = ["svg", "png"].map(|ending| dir.join(format!("{}.{ending}", page.name)));
    let picture = page.picture()?;
    write_file(&files[0], picture.svg.as_bytes())?;
    let image = png(&picture.svg).map_err(|reason| ChartError::draw(&files[1], reason))?;
    write_file(&files[1], &image)?;
    Ok(files)
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), ChartError> {
    fs::write(path, content).map_err(|source| ChartError::Write { path: path.to_owned(), source })
}
