//! A picture as a list of marks.
//!
//! Layout fills a scene without knowing of any file format, so that SVG and
//! PNG are the same picture by construction and a layout is tested as data.

use plotters::style::RGBColor;

/// Pixels from the left and from the top.
pub type At = (f64, f64);

/// A picture: marks on white, in the order in which they are painted.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// What is painted.
    pub marks: Vec<Mark>,
}

/// One thing to paint.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A filled rectangle.
    Rect {
        /// Upper left corner.
        from: At,
        /// Lower right corner.
        to: At,
        /// The filling.
        color: RGBColor,
    },
    /// An open line.
    Path {
        /// The corners.
        points: Vec<At>,
        /// The stroke.
        color: RGBColor,
        /// Stroke width in pixels.
        width: u32,
    },
    /// A filled polygon.
    Polygon {
        /// The corners.
        points: Vec<At>,
        /// The filling.
        color: RGBColor,
    },
    /// A filled circle.
    Disc {
        /// The middle.
        at: At,
        /// In pixels.
        radius: f64,
        /// The filling.
        color: RGBColor,
    },
    /// A line of text.
    Text(Label),
}

/// A line of text at its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What is written.
    pub text: String,
    /// The point of the baseline that `anchor` names.
    pub at: At,
    /// Pixels an em.
    pub size: f64,
    /// The letters' colour.
    pub color: RGBColor,
    /// Which point of the baseline is at `at`.
    pub anchor: Anchor,
    /// Along which way it reads.
    pub direction: Direction,
}

/// A point of a text's baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Where the text begins.
    Start,
    /// Its middle.
    Middle,
    /// Where it ends.
    End,
}

/// The way a text reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From bottom to top.
    Up,
}

impl Label {
    /// A text that begins at `at` and reads to the right.
    pub fn new(text: impl Into<String>, at: At, size: f64, color: RGBColor) -> Self {
        Label {
            text: text.into(),
            at,
            size,
            color,
            anchor: Anchor::Start,
            direction: Direction::Right,
        }
    }

    /// The same text with another anchor.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Label { anchor, ..self }
    }

    /// The same text from bottom to top.
    pub fn upwards(self) -> Self {
        let direction = Direction::Up;
        Label { direction, ..self }
    }
}

impl Mark {
    /// A straight line.
    pub fn line(from: At, to: At, color: RGBColor, width: u32) -> Mark {
        let points = vec![from, to];
        Mark::Path { points, color, width }
    }

    /// The same mark, moved.
    pub fn shifted(mut self, by: At) -> Mark {
        let shift = |at: &mut At| *at = (at.0 + by.0, at.1 + by.1);
        match &mut self {
            Mark::Rect { from, to, .. } => [from, to].into_iter().for_each(shift),
            Mark::Path { points, .. } | Mark::Polygon { points, .. } => {
                points.iter_mut().for_each(shift);
            }
            Mark::Disc { at, .. } => shift(at),
            Mark::Text(label) => shift(&mut label.at),
        }
        self
    }
}
