//! Scenes as SVG and PNG files.
//!
//! Pictures are made in memory and written in one go: the file backends of
//! plotters write when they are dropped, where an error has nowhere to go.

use std::fs;
use std::path::{Path, PathBuf};

use plotters::prelude::{BitMapBackend, SVGBackend};

use super::error::ChartError;
use super::paint::{Metrics, paint};
use super::scene::Scene;
use super::text::load_font;

/// A PNG is painted this many times larger and averaged down: plotters
/// smooths neither polygons nor the position of letters.
const OVERSAMPLING: usize = 2;

const CHANNELS: usize = 3;

/// Writes `name.svg` and `name.png` into `dir`; returns both paths.
pub fn write(dir: &Path, name: &str, scene: &Scene) -> Result<[PathBuf; 2], ChartError> {
    let svg = dir.join(format!("{name}.svg"));
    let png = dir.join(format!("{name}.png"));
    write_file(&svg, self::svg(name, scene)?.as_bytes())?;
    let image = png_bytes(scene).map_err(|reason| ChartError::draw(&png, reason))?;
    write_file(&png, &image)?;
    Ok([svg, png])
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
    paint(scene, &mut backend, Metrics::SVG).map_err(|error| error.to_string())?;
    drop(backend);
    Ok(text)
}

fn png_bytes(scene: &Scene) -> Result<Vec<u8>, String> {
    let (width, height) = (scene.width as usize, scene.height as usize);
    let (large_width, large_height) = (width * OVERSAMPLING, height * OVERSAMPLING);
    let mut large = vec![255; large_width * large_height * CHANNELS];
    let size = (large_width as u32, large_height as u32);
    let mut backend = BitMapBackend::with_buffer(&mut large, size);
    let metrics = Metrics::bitmap(OVERSAMPLING as f64);
    paint(scene, &mut backend, metrics).map_err(|error| error.to_string())?;
    drop(backend);
    encode(scene, &averaged(&large, width, height)).map_err(|error| error.to_string())
}

/// Each pixel the mean of its `OVERSAMPLING`² pixels.
fn averaged(large: &[u8], width: usize, height: usize) -> Vec<u8> {
    let stride = width * OVERSAMPLING * CHANNELS;
    let mean = |x: usize, y: usize, channel: usize| {
        let first = y * OVERSAMPLING * stride + x * OVERSAMPLING * CHANNELS + channel;
        let block = (0..OVERSAMPLING * OVERSAMPLING)
            .map(|i| first + i / OVERSAMPLING * stride + i % OVERSAMPLING * CHANNELS);
        let sum: usize = block.map(|i| usize::from(large[i])).sum();
        (sum / (OVERSAMPLING * OVERSAMPLING)) as u8
    };
    let mut pixels = Vec::with_capacity(width * height * CHANNELS);
    for y in 0..height {
        for x in 0..width {
            pixels.extend((0..CHANNELS).map(|channel| mean(x, y, channel)));
        }
    }
    pixels
}

fn encode(scene: &Scene, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, scene.width, scene.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averaging_takes_the_mean_of_each_block() {
        let mut large = vec![0; 4 * 2 * CHANNELS];
        large[..2 * CHANNELS].fill(200);
        let small = averaged(&large, 2, 1);
        assert_eq!(small, [100, 100, 100, 0, 0, 0]);
    }
}
