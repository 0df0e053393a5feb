//! Scenes onto plotters' backend for SVG.

use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{DrawingBackend, IntoFont, SVGBackend, TextStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBColor, ShapeStyle, WHITE};

use super::scene::{Anchor, At, Direction, Label, Mark, Scene};
use super::text::FAMILY;

/// Font size a pixel of em: the backend divides sizes by it.
const FONT_SIZE: f64 = 1.24;
/// From the top of a line, where the backend wants it, to its baseline, which a label names;
/// in ems.
const ASCENT: f64 = 0.76;

/// What painting ends in.
type Painted = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// Paints a scene and finishes the picture.
pub fn paint(scene: &Scene, backend: &mut SVGBackend<'_>) -> Painted {
    use DrawingAreaErrorKind::BackendError;
    backend.ensure_prepared().map_err(BackendError)?;
    let corner = (f64::from(scene.width), f64::from(scene.height));
    let white = ShapeStyle::from(&WHITE).filled();
    backend.draw_rect((0, 0), pixel(corner), &white, true).map_err(BackendError)?;
    for mark in &scene.marks {
        paint_mark(mark, backend)?;
    }
    backend.present().map_err(BackendError)
}

fn paint_mark(mark: &Mark, backend: &mut SVGBackend<'_>) -> Painted {
    let pixels = |points: &[At]| -> Vec<_> { points.iter().map(|at| pixel(*at)).collect() };
    let painted = match mark {
        Mark::Rect { from, to, color } => {
            let (from, to) = (pixel(*from), pixel(*to));
            backend.draw_rect(from, to, &stroke(*color, 1), true)
        }
        Mark::Path { points, color, width } => {
            backend.draw_path(pixels(points), &stroke(*color, *width))
        }
        Mark::Polygon { points, color } => backend.fill_polygon(pixels(points), &stroke(*color, 1)),
        Mark::Disc { at, radius, color } => {
            let radius = radius.round() as u32;
            backend.draw_circle(pixel(*at), radius, &stroke(*color, 1), true)
        }
        Mark::Text(label) => return paint_text(label, backend),
    };
    painted.map_err(DrawingAreaErrorKind::BackendError)
}

fn paint_text(label: &Label, backend: &mut SVGBackend<'_>) -> Painted {
    let ascent = ASCENT * label.size;
    let (top, transform) = match label.direction {
        Direction::Right => ((label.at.0, label.at.1 - ascent), FontTransform::None),
        Direction::Up => ((label.at.0 - ascent, label.at.1), FontTransform::Rotate270),
    };
    let h_pos = match label.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let size = label.size * FONT_SIZE;
    let font = (FAMILY, size).into_font().transform(transform);
    let style = TextStyle::from(font).color(&label.color).pos(Pos::new(h_pos, VPos::Top));
    let painted = backend.draw_text(&label.text, &style, pixel(top));
    painted.map_err(DrawingAreaErrorKind::BackendError)
}

fn pixel(at: At) -> (i32, i32) {
    (at.0.round() as i32, at.1.round() as i32)
}

fn stroke(color: RGBColor, width: u32) -> ShapeStyle {
    ShapeStyle::from(&color).stroke_width(width)
}
