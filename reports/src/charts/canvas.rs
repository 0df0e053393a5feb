//! Drawing primitives of all charts: texts, lines and areas at positions in pixels.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::{
    Cartesian2d, Circle, DrawingArea, IntoFont, PathElement, Polygon, Rectangle, SVGBackend,
    TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor};
use text::{SENTENCE, Untrusted};

use super::text::{FAMILY, width};

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
