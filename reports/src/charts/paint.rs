//! Scenes onto any backend of plotters.

use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{DrawingBackend, IntoFont, TextStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBColor, ShapeStyle, WHITE};

use super::scene::{Anchor, At, Direction, Label, Mark, Scene};
use super::text::{FAMILY, HEIGHT_OF_EM};

/// How a backend sees sizes. The backends of plotters disagree about what a
/// font size is and where a line of text begins; a label names its baseline.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    /// Backend pixels a pixel of the scene.
    pub scale: f64,
    /// Font size a pixel of em.
    pub font_size: f64,
    /// From the top of a line to its baseline, in ems.
    pub ascent: f64,
}

impl Metrics {
    /// The SVG backend: sizes are divided by 1.24 and lines begin 0.76 em up.
    pub const SVG: Metrics = Metrics { scale: 1.0, font_size: 1.24, ascent: 0.76 };

    /// The bitmap backend with `ab_glyph`: the baseline is half a size down.
    pub fn bitmap(scale: f64) -> Metrics {
        Metrics { scale, font_size: HEIGHT_OF_EM, ascent: HEIGHT_OF_EM / 2.0 }
    }

    fn pixel(&self, at: At) -> (i32, i32) {
        let round = |v: f64| (v * self.scale).round() as i32;
        (round(at.0), round(at.1))
    }

    fn stroke(&self, color: RGBColor, width: u32) -> ShapeStyle {
        let width = (f64::from(width) * self.scale).round() as u32;
        ShapeStyle::from(&color).stroke_width(width)
    }
}

/// What painting on a backend ends in.
pub type Painted<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Paints a scene and finishes the picture.
pub fn paint<B: DrawingBackend>(scene: &Scene, backend: &mut B, metrics: Metrics) -> Painted<B> {
    use DrawingAreaErrorKind::BackendError;
    backend.ensure_prepared().map_err(BackendError)?;
    let corner = (f64::from(scene.width), f64::from(scene.height));
    let white = ShapeStyle::from(&WHITE).filled();
    backend.draw_rect((0, 0), metrics.pixel(corner), &white, true).map_err(BackendError)?;
    for mark in &scene.marks {
        paint_mark(mark, backend, metrics)?;
    }
    backend.present().map_err(BackendError)
}

fn paint_mark<B: DrawingBackend>(mark: &Mark, backend: &mut B, metrics: Metrics) -> Painted<B> {
    let pixels = |points: &[At]| -> Vec<_> { points.iter().map(|at| metrics.pixel(*at)).collect() };
    let painted = match mark {
        Mark::Rect { from, to, color } => {
            let (from, to) = (metrics.pixel(*from), metrics.pixel(*to));
            backend.draw_rect(from, to, &metrics.stroke(*color, 1), true)
        }
        Mark::Path { points, color, width } => {
            backend.draw_path(pixels(points), &metrics.stroke(*color, *width))
        }
        Mark::Polygon { points, color } => {
            backend.fill_polygon(pixels(points), &metrics.stroke(*color, 1))
        }
        Mark::Disc { at, radius, color } => {
            let radius = (radius * metrics.scale).round() as u32;
            backend.draw_circle(metrics.pixel(*at), radius, &metrics.stroke(*color, 1), true)
        }
        Mark::Text(label) => return paint_text(label, backend, metrics),
    };
    painted.map_err(DrawingAreaErrorKind::BackendError)
}

fn paint_text<B: DrawingBackend>(label: &Label, backend: &mut B, metrics: Metrics) -> Painted<B> {
    let ascent = metrics.ascent * label.size;
    let (top, transform) = match label.direction {
        Direction::Right => ((label.at.0, label.at.1 - ascent), FontTransform::None),
        Direction::Up => ((label.at.0 - ascent, label.at.1), FontTransform::Rotate270),
    };
    let h_pos = match label.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let size = label.size * metrics.font_size * metrics.scale;
    let font = (FAMILY, size).into_font().transform(transform);
    let style = TextStyle::from(font).color(&label.color).pos(Pos::new(h_pos, VPos::Top));
    let painted = backend.draw_text(&label.text, &style, metrics.pixel(top));
    painted.map_err(DrawingAreaErrorKind::BackendError)
}
