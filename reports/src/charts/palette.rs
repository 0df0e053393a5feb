//! What tells the variants apart: colour, filling and marker.
//!
//! The colours are those of Okabe and Ito (2008), chosen so that readers with any
//! colour vision tell them apart; their yellow, too pale for a line on white,
//! gives way to the wine of Paul Tol's muted scheme, and their black, on which
//! no whisker shows, to dark grey. Beyond eight the colours repeat hollow, then
//! darker; markers differ too.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use plotters::style::{BLACK, RGBColor, WHITE};

use super::marks::{dashes, polyline};
use super::scene::{At, Mark};

const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),   // blue
    RGBColor(230, 159, 0),   // orange
    RGBColor(0, 158, 115),   // bluish green
    RGBColor(213, 94, 0),    // vermillion
    RGBColor(204, 121, 167), // reddish purple
    RGBColor(86, 180, 233),  // sky blue
    RGBColor(77, 77, 77),    // dark grey
    RGBColor(136, 34, 85),   // wine
];

/// What data are compared with, but was not measured.
const REFERENCE: RGBColor = RGBColor(130, 130, 130);

/// The looks of the series of a run by their names.
#[derive(Clone, Debug)]
pub struct Palette(BTreeMap<String, Style>);

/// The look of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Of the line, or of the bar.
    pub color: RGBColor,
    filling: RGBColor,
    /// Of the markers; without them the line is dashed.
    shape: Option<Shape>,
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle,
    /// Corners, and where the first one is.
    Polygon(usize, f64),
}

const SHAPES: [Shape; 5] = [
    Shape::Circle,
    Shape::Polygon(4, PI / 4.0),
    Shape::Polygon(3, -FRAC_PI_2),
    Shape::Polygon(4, 0.0),
    Shape::Polygon(3, FRAC_PI_2),
];

/// The colour of the `index`-th series: red, green, blue.
pub fn color(index: usize) -> (u8, u8, u8) {
    let RGBColor(red, green, blue) = Style::nth(index).color;
    (red, green, blue)
}

impl Palette {
    /// Gives each name its look, by its position among the sorted names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let names: std::collections::BTreeSet<String> = names.into_iter().collect();
        let styles = names.into_iter().enumerate();
        Palette(styles.map(|(i, name)| (name, Style::nth(i))).collect())
    }

    /// The look of a series.
    pub fn style(&self, name: &str) -> Style {
        self.0.get(name).copied().unwrap_or(Style::nth(0))
    }
}

impl Style {
    fn nth(index: usize) -> Style {
        let base = COLORS[index % COLORS.len()];
        let turn = index / COLORS.len();
        let color = if turn < 2 { base } else { mixed(base, BLACK, 0.45) };
        let filling = if turn % 2 == 1 { mixed(color, WHITE, 0.8) } else { color };
        let shape = SHAPES[index % SHAPES.len()];
        Style { color, filling, shape: Some(shape) }
    }

    /// The look of what data are compared with: dashed, without markers.
    pub fn reference() -> Style {
        Style { color: REFERENCE, filling: REFERENCE, shape: None }
    }

    /// The colour of an area that belongs to the line and lies under others.
    pub fn shade(&self) -> RGBColor {
        mixed(self.color, WHITE, 0.8)
    }

    /// Whether this is the look of what data are compared with.
    pub fn is_reference(&self) -> bool {
        self.shape.is_none()
    }

    /// The line through some points.
    pub fn line(&self, points: &[At], width: u32) -> Vec<Mark> {
        match self.shape {
            Some(_) => polyline(points, self.color, width).into_iter().collect(),
            None => dashes(points, self.color, width),
        }
    }

    /// A bar between two corners.
    pub fn bar(&self, from: At, to: At) -> Vec<Mark> {
        const BORDER: f64 = 2.0;
        let mut marks = vec![Mark::Rect { from, to, color: self.color }];
        let inner = ((from.0 + BORDER, from.1 + BORDER), (to.0 - BORDER, to.1 - BORDER));
        let has_inside = inner.0.0 < inner.1.0 && inner.0.1 < inner.1.1;
        if self.filling != self.color && has_inside {
            let (from, to) = inner;
            marks.push(Mark::Rect { from, to, color: self.filling });
        }
        marks
    }

    /// A marker.
    pub fn marker(&self, at: At, radius: f64) -> Vec<Mark> {
        let Some(shape) = self.shape else {
            return Vec::new();
        };
        let mut marks = vec![shape.mark(at, radius, self.color)];
        if self.filling != self.color {
            marks.push(shape.mark(at, radius * 0.55, self.filling));
        }
        marks
    }
}

impl Shape {
    fn mark(self, at: At, radius: f64, color: RGBColor) -> Mark {
        let Shape::Polygon(corners, first) = self else {
            return Mark::Disc { at, radius, color };
        };
        // Polygons look smaller than a circle of their radius.
        let radius = radius * 1.25;
        let corner = |i: usize| {
            let angle = first + TAU * i as f64 / corners as f64;
            (at.0 + radius * angle.cos(), at.1 + radius * angle.sin())
        };
        let points = (0..corners).map(corner).collect();
        Mark::Polygon { points, color }
    }
}

fn mixed(a: RGBColor, b: RGBColor, share: f64) -> RGBColor {
    let mix = |a: u8, b: u8| (f64::from(a) * (1.0 - share) + f64::from(b) * share).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dozen_series_all_look_different() {
        let styles: Vec<Style> = (0..24).map(Style::nth).collect();
        for (i, style) in styles.iter().enumerate() {
            let same_bar =
                |other: &Style| (other.color, other.filling) == (style.color, style.filling);
            assert!(!styles[..i].iter().any(same_bar), "series {i}");
        }
    }

    #[test]
    fn the_order_of_the_names_does_not_matter() {
        let a = Palette::new(["b".to_owned(), "a".to_owned()]);
        let b = Palette::new(["a".to_owned(), "b".to_owned(), "a".to_owned()]);
        assert_eq!(a.style("b"), b.style("b"));
        assert_ne!(a.style("a"), a.style("b"));
    }
}
