//! Drawing primitives of all charts: texts, lines and areas at positions in pixels, the width of
//! lines and line breaks, and SVG as PNG.
//!
//! The font is built in because nodes of a cluster have none installed.

use std::sync::{Arc, OnceLock};

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::{
    Cartesian2d, Circle, DrawingArea, IntoFont, PathElement, Polygon, Rectangle, SVGBackend,
    TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, RGBColor, register_font};
use resvg::tiny_skia::{self, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use text::{SENTENCE, Untrusted};

/// A part of a picture, in its own pixels.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Pixels from the left and from the top.
pub type Position = (f64, f64);

/// Result of painting; errors of the backend as text.
pub type PaintResult = Result<(), String>;

/// Colour of main text.
pub const INK: RGBColor = RGBColor(30, 30, 30);
/// Colour of secondary text.
pub const QUIET: RGBColor = RGBColor(85, 85, 85);
/// Colour of grid lines.
pub const GRID: RGBColor = RGBColor(228, 228, 228);

/// Font size of the titles of panels.
pub const PANEL_TITLE: f64 = 15.0;
/// Line spacing in ems.
const LEADING: f64 = 1.4;
/// Font size per pixel of em: the backend divides sizes by it.
const FONT_SIZE: f64 = 1.24;

/// Height of lines below each other.
pub fn height(lines: &[String], size: f64) -> f64 {
    lines.len() as f64 * size * LEADING
}

/// Writes lines below each other.
pub fn write_lines(
    area: &Area<'_>,
    lines: &[String],
    (left, top): Position,
    size: f64,
    color: RGBColor,
) -> PaintResult {
    for (i, line) in lines.iter().enumerate() {
        write(area, line, (left, top + i as f64 * size * LEADING), &text(size, color))?;
    }
    Ok(())
}

/// Style of a text: its size in pixels per em, anchored at the upper left corner of its line.
pub fn text(size: f64, color: RGBColor) -> TextStyle<'static> {
    let font = (FAMILY, size * FONT_SIZE).into_font();
    TextStyle { color: color.to_backend_color(), ..TextStyle::from(font) }
}

/// Anchors a style at the vertical middle of a line, and horizontally at `at`.
pub fn anchored(style: TextStyle<'_>, at: HPos) -> TextStyle<'_> {
    style.pos(Pos::new(at, VPos::Center))
}

/// Writes a text.
pub fn write(area: &Area<'_>, text: &str, at: Position, style: &TextStyle<'_>) -> PaintResult {
    let shown = text.escaped().at_most(SENTENCE).to_string();
    area.draw_text(&shown, style, pixel(at)).map_err(error_text)
}

/// Shortens a text to a width in pixels by cutting off its end.
pub fn shortened(text: &str, size: f64, limit: f64) -> String {
    let text = text.escaped().to_string();
    if width(&text, size) <= limit {
        return text;
    }
    let ends = text.char_indices().rev().map(|(end, _)| end);
    let mut change_markers = ends.map(|end| format!("{}…", text[..end].trim_end()));
    change_markers.find(|cut| width(cut, size) <= limit).unwrap_or_default()
}

/// Fills a rectangle.
pub fn fill(area: &Area<'_>, from: Position, to: Position, color: RGBColor) -> PaintResult {
    area.draw(&Rectangle::new([pixel(from), pixel(to)], color.filled())).map_err(error_text)
}

/// Draws an open line.
pub fn line(area: &Area<'_>, points: &[Position], color: RGBColor, width: u32) -> PaintResult {
    let points: Vec<(i32, i32)> = points.iter().copied().map(pixel).collect();
    area.draw(&PathElement::new(points, color.stroke_width(width))).map_err(error_text)
}

/// Draws a dashed line.
pub fn dashed(area: &Area<'_>, points: &[Position], color: RGBColor) -> PaintResult {
    let points = points.iter().copied().map(pixel);
    area.draw(&DashedPathElement::new(points, 6, 4, color)).map_err(error_text)
}

/// Fills a circle.
pub fn disc(area: &Area<'_>, at: Position, radius: f64, color: RGBColor) -> PaintResult {
    area.draw(&Circle::new(pixel(at), radius.round() as i32, color.filled())).map_err(error_text)
}

/// Fills a polygon.
pub fn polygon(area: &Area<'_>, corners: Vec<Position>, color: RGBColor) -> PaintResult {
    let corners: Vec<(i32, i32)> = corners.into_iter().map(pixel).collect();
    area.draw(&Polygon::new(corners, color)).map_err(error_text)
}

/// The nearest pixel.
pub fn pixel(at: Position) -> (i32, i32) {
    (at.0.round() as i32, at.1.round() as i32)
}

/// Pixels of a point of a plot within the area.
pub fn to_pixels<X, Y>(
    area: &Area<'_>,
    plot: &ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    point: Position,
) -> Position
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let (x, y) = plot.plotting_area().map_coordinate(&point);
    let (left, top) = area.get_base_pixel();
    (f64::from(x - left), f64::from(y - top))
}

/// Text of an error of plotters.
pub fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The name that the font is registered under. In an SVG it is a CSS keyword,
/// so that any viewer has a font for it.
const FAMILY: &str = "sans-serif";

/// Ascent plus descent of DejaVu Sans in ems: `ab_glyph` scales to that height.
const HEIGHT_OF_EM: f64 = 1.164;

/// The font of all text.
const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans.ttf");

/// Registers the font with plotters; returns false on failure.
pub fn load_font() -> bool {
    static LOADED: OnceLock<bool> = OnceLock::new();
    *LOADED.get_or_init(|| register_font(FAMILY, FontStyle::Normal, FONT).is_ok())
}

/// The width of a line in pixels at `size` pixels an em.
pub fn width(text: &str, size: f64) -> f64 {
    // Measured at a large size because plotters rounds widths to whole pixels.
    const LARGE: f64 = 100.0;
    load_font();
    let text = text.escaped().at_most(SENTENCE).to_string();
    let font = (FAMILY, LARGE * HEIGHT_OF_EM).into_font();
    match font.box_size(&text) {
        Ok((pixels, _)) => f64::from(pixels) * size / LARGE,
        Err(_) => text.chars().count() as f64 * size * 0.6,
    }
}

/// Breaks a text between words so that each line fits `limit` pixels; a word that is wider is
/// split.
pub fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let text = text.escaped().at_most(SENTENCE).to_string();
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').flat_map(|word| cut(word, size, limit)) {
        let longer = if line.is_empty() { word.clone() } else { format!("{line} {word}") };
        if width(&longer, size) <= limit {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, word));
        }
    }
    lines.push(line);
    lines.retain(|line| !line.is_empty());
    lines
}

/// The pieces of a word that fit `limit`.
fn cut(word: &str, size: f64, limit: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        let last = pieces.len() - 1;
        let longer = format!("{}{letter}", pieces[last]);
        if pieces[last].is_empty() || width(&longer, size) <= limit {
            pieces[last] = longer;
        } else {
            pieces.push(letter.to_string());
        }
    }
    pieces
}

/// Rasterises a picture to a PNG of the same size, on white.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: fonts(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| format!("{} × {} pixels are too many", size.width(), size.height()))?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

/// The built-in font, by the name that pictures use.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(FONT)));
        let name = fonts.faces().next().and_then(|face| face.families.first());
        if let Some((name, _)) = name.cloned() {
            fonts.set_sans_serif_family(name);
        }
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_texts_are_wider() {
        assert!(width("median time", 16.0) > width("median", 16.0));
        let ratio = width("median", 32.0) / width("median", 16.0);
        assert!((ratio - 2.0).abs() < 0.01);
    }

    #[test]
    fn lines_fit_and_lose_no_word() {
        let text = "a caption of several words that is too long for one line";
        let lines = wrap(text, 14.0, 120.0);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| width(line, 14.0) <= 120.0));
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn a_word_without_spaces_is_cut() {
        let lines = wrap(&"x".repeat(100), 14.0, 120.0);
        assert!(lines.iter().all(|line| width(line, 14.0) <= 120.0));
        assert_eq!(lines.concat().len(), 100);
    }

    fn picture(content: &str) -> String {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'>{content}</svg>")
    }

    #[test]
    fn letters_are_painted() {
        let text = "<text x='2' y='15' font-family='sans-serif' font-size='14'>ns</text>";
        let [empty, written] = ["", text].map(|content| png(&picture(content)).expect("a picture"));
        assert!(empty.starts_with(b"\x89PNG"));
        assert_ne!(empty, written);
    }

    #[test]
    fn invalid_pictures_are_errors() {
        assert!(png("<svg").is_err());
    }
}
