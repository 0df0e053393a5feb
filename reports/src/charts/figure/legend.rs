//! The names of the series beside their looks, above the panels.

use super::super::palette::Style;
use super::super::scene::{At, Label, Mark};
use super::super::text::width;
use super::{INK, LEADING};

const SIZE: f64 = 15.0;
const TO_NAME: f64 = 8.0;
const TO_NEXT: f64 = 24.0;

/// What a legend shows of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swatch {
    /// A small bar.
    Bar,
    /// A marker on a line.
    Line,
}

/// Entries in columns across `limit` pixels, and their height.
pub fn draw(entries: &[(String, Style)], swatch: Swatch, limit: f64) -> (Vec<Mark>, f64) {
    let entry_width =
        |(name, _): &(String, Style)| swatch.width() + TO_NAME + width(name, SIZE) + TO_NEXT;
    let widths: Vec<f64> = entries.iter().map(entry_width).collect();
    let columns = columns(&widths, limit + TO_NEXT);
    let mut marks = Vec::new();
    for (i, (name, style)) in entries.iter().enumerate() {
        let x: f64 = columns[..i % columns.len()].iter().sum();
        let baseline = ((i / columns.len()) as f64 + 0.8) * SIZE * LEADING;
        marks.extend(swatch.marks(style, (x, baseline - SIZE * 0.36)));
        let at = (x + swatch.width() + TO_NAME, baseline);
        marks.push(Mark::Text(Label::new(name, at, SIZE, INK)));
    }
    let rows = entries.len().div_ceil(columns.len().max(1)) as f64;
    (marks, rows * SIZE * LEADING + 6.0)
}

/// The widths of as many columns as fit `limit` if entries fill them row by row.
fn columns(entries: &[f64], limit: f64) -> Vec<f64> {
    let of = |count: usize| -> Vec<f64> {
        let column = |first: usize| entries.iter().skip(first).step_by(count).copied();
        (0..count).map(|first| column(first).fold(0.0, f64::max)).collect()
    };
    let all = (2..=entries.len()).rev().map(of);
    let fits = |columns: &Vec<f64>| columns.iter().sum::<f64>() <= limit;
    all.into_iter().find(fits).unwrap_or_else(|| of(1))
}

impl Swatch {
    fn width(self) -> f64 {
        match self {
            Swatch::Bar => 14.0,
            Swatch::Line => 28.0,
        }
    }

    /// The swatch of a series, with the middle of its left side at `at`.
    fn marks(self, style: &Style, (x, y): At) -> Vec<Mark> {
        let (end, half) = (x + self.width(), self.width() / 2.0);
        match self {
            Swatch::Bar => style.bar((x, y - half), (end, y + half)),
            Swatch::Line => {
                let line = style.line(&[(x, y), (end, y)], 2);
                let marker = style.marker((x + half, y), 4.5);
                line.into_iter().chain(marker).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_columns_as_fit() {
        assert_eq!(columns(&[10.0, 20.0, 30.0], 60.0), [10.0, 20.0, 30.0]);
        assert_eq!(columns(&[10.0, 20.0, 30.0], 59.0), [30.0, 20.0]);
        assert_eq!(columns(&[10.0, 20.0, 30.0], 5.0), [30.0]);
    }
}
