//! Scenes as SVG and PNG files.
//!
//! Pictures are made in memory and written in one go: the file backends of
//! plotters write when they are dropped, where an error has nowhere to go.

use std::fs;
use std::path::{Path, PathBuf};

use plotters::prelude::SVGBackend;

use super::error::ChartError;
use super::paint::paint;
use super::raster::png;
use super::scene::Scene;
use super::text::load_font;

/// Writes `name.svg` and `name.png` into `dir`; returns both paths.
pub fn write(dir: &Path, name: &str, scene: &Scene) -> Result<[PathBuf; 2], ChartError> {
    let files = ["svg", "png"].map(|ending| dir.join(format!("{name}.{ending}")));
    let picture = self::svg(name, scene)?;
    write_file(&files[0], picture.as_bytes())?;
    let image = png(&picture).map_err(|reason| ChartError::draw(&files[1], reason))?;
    write_file(&files[1], &image)?;
    Ok(files)
}

/// The text of `name.svg`.
pub fn svg(name: &str, scene: &Scene) -> Result<String, ChartError> {
    let failed = |reason: String| ChartError::draw(Path::new(&format!("{name}.svg")), reason);
    if !load_font() {
        return Err(failed("the built-in font is broken".to_owned()));
    }
    svg_text(scene).map_err(failed)
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), ChartError> {
    fs::write(path, content).map_err(|source| ChartError::Write { path: path.to_owned(), source })
}

fn svg_text(scene: &Scene) -> Result<String, String> {
    let mut text = String::new();
    let mut backend = SVGBackend::with_string(&mut text, (scene.width, scene.height));
    paint(scene, &mut backend).map_err(|error| error.to_string())?;
    drop(backend);
    Ok(text)
}
