//! Panels of horizontal bars, the best one first.
//!
//! Names are written to the left of their bars and values to the right, so that no legend is
//! needed. Where values span more than a decade the scale is logarithmic, or the best bars would be
//! invisible. The length of a bar means nothing there, as the axis has no zero: dots replace bars
//! in all panels of an image.

mod paint;

use super::canvas::{PANEL_TITLE, width, wrap};
use super::palette::Style;
use super::scale::{Scale, Spread, Unit};

const DOTS: &str = "dots replace bars, because an axis is logarithmic; hollow dots replace hatched \
    bars";

/// Distance between bars in pixels.
const PITCH: f64 = 24.0;
/// Height of the tick labels and of the name of the axis.
const AXIS_HEIGHT: f64 = 44.0;
/// Width of the bars in a single panel and in one of several.
const BARS: [f64; 2] = [460.0, 250.0];
/// Maximum width of names; longer ones are cut off.
const MAX_NAME_WIDTH: f64 = 260.0;
/// Font size in pixels per em.
const NAME: f64 = 13.5;
const VALUE: f64 = 12.5;
/// Gap between a bar and its value, and between a name and its bar.
const GAP: f64 = 8.0;
/// Pixels between panels below each other.
const BELOW: f64 = 20.0;

/// Bars of one setting, or of one quantity.
#[derive(Clone, Debug)]
pub struct BarPanel {
    /// Values that distinguish this panel from the others.
    pub title: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Bars from top to bottom.
    pub bars: Vec<Bar>,
    /// Names without a bar, with the reasons.
    pub refused: Vec<(String, String)>,
    /// Reference value, drawn as a line.
    pub reference: Option<f64>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Name of the variant or row.
    pub name: String,
    /// Length of the bar.
    pub value: f64,
    /// Ends of its whisker, if it has one.
    pub interval: Option<(f64, f64)>,
    /// Samples around the value, which are drawn instead of a bar if there are any.
    pub dots: Vec<f64>,
    /// True if it has too few samples to be reliable.
    pub is_unsure: bool,
    /// Text after the bar.
    pub words: String,
    /// Colour and filling.
    pub style: Style,
}

impl Bar {
    /// Plain bar without a whisker.
    pub fn new(name: &str, value: f64, words: String, style: Style) -> Self {
        Bar {
            name: name.to_owned(),
            value,
            interval: None,
            dots: Vec::new(),
            is_unsure: false,
            words,
            style,
        }
    }

    fn end(&self) -> f64 {
        let whisker = self.interval.map_or(self.value, |(_, high)| high);
        self.dots.iter().copied().fold(self.value.max(whisker), f64::max)
    }

    fn start(&self) -> f64 {
        self.dots.iter().copied().fold(self.value, f64::min)
    }
}

impl BarPanel {
    /// Panel in which every name has a bar.
    pub fn new(title: String, unit: Unit, bars: Vec<Bar>) -> Self {
        BarPanel { title, unit, bars, refused: Vec::new(), reference: None }
    }

    /// Adds the displayed quantity to the title.
    pub fn showing(self, what: &str) -> Self {
        let title = match self.title.as_str() {
            "" => what.to_owned(),
            title => format!("{what}, {title}"),
        };
        BarPanel { title, ..self }
    }

    fn rows(&self) -> usize {
        self.bars.len() + self.refused.len()
    }

    fn names_width(&self) -> f64 {
        let names = self.bars.iter().map(|bar| &bar.name);
        let names = names.chain(self.refused.iter().map(|(name, _)| name));
        names.map(|name| width(name, NAME)).fold(0.0, f64::max).min(MAX_NAME_WIDTH)
    }

    fn words_width(&self) -> f64 {
        self.bars.iter().map(|bar| width(&bar.words, VALUE)).fold(0.0, f64::max)
    }

    /// True if dots replace bars.
    fn has_dots(&self) -> bool {
        self.scale(1.0).spread == Spread::Log && self.bars.iter().any(|bar| bar.dots.is_empty())
    }

    /// Value at which the longest bar ends.
    fn longest(&self) -> f64 {
        self.bars.iter().map(Bar::end).fold(0.0, f64::max)
    }

    /// Scale from zero, or from below the smallest value, with a margin after the longest bar.
    fn scale(&self, space: f64) -> Scale {
        let high = self.reference.unwrap_or(0.0).max(self.longest());
        // No bars, or all values are zero.
        let high = if high > 0.0 { high } else { 1.0 };
        let starts = self.bars.iter().map(Bar::start).chain(self.reference);
        let low = starts.fold(f64::INFINITY, f64::min);
        let from_zero = self.bars.iter().all(|bar| bar.dots.is_empty());
        match Spread::beyond(10.0, low, high) {
            Spread::Linear => {
                let margin = 0.05 * (high - low).max(0.1 * high);
                let low = if from_zero { 0.0 } else { low - margin };
                let high = low + (high - low) / space;
                Scale { low, high, spread: Spread::Linear }
            }
            Spread::Log => {
                let low = low / 2.0;
                let high = low * (high / low).powf(1.0 / space);
                Scale { low, high, spread: Spread::Log }
            }
        }
    }
}

/// Mark that represents a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Bar,
    Dot,
}

/// Common layout of the panels of an image; lengths are in pixels.
pub struct Layout {
    mark: Mark,
    title: f64,
    names: f64,
    bars: f64,
    words: f64,
}

impl Layout {
    fn width(&self) -> f64 {
        self.names + self.bars + self.words
    }

    fn title(&self, panel: &BarPanel) -> Vec<String> {
        wrap(&panel.title, PANEL_TITLE, self.width())
    }
}

#[cfg(test)]
mod tests {
    use plotters::style::RGBColor;

    use super::super::chart::Chart;
    use super::super::palette::Palette;
    use super::*;

    #[test]
    fn a_scale_has_margins_and_is_logarithmic_beyond_a_decade() {
        let panel = |values: &[f64]| {
            let bar = |value: &f64| Bar::new("a", *value, String::new(), Style::reference());
            BarPanel::new(String::new(), Unit::Time("time"), values.iter().map(bar).collect())
        };
        let near = panel(&[1e-3, 5e-3]).scale(0.5);
        assert_eq!((near.spread, near.position(5e-3)), (Spread::Linear, 0.5));
        assert_eq!(near.position(0.0), 0.0);
        let far = panel(&[1e-6, 1e-3]).scale(0.5);
        assert_eq!(far.spread, Spread::Log);
        assert!((far.position(1e-3) - 0.5).abs() < 1e-9 && far.position(1e-6) > 0.0);
    }

    #[test]
    fn no_bar_stands_on_a_logarithmic_axis() {
        for (values, are_bars) in [([1e-3, 5e-3], true), ([1e-3, 20e-3], false)] {
            let style = Palette::new(["a".to_owned(), "b".to_owned()]).style("a");
            let bar = |value: f64| Bar::new("a", value, String::new(), style);
            let panel = BarPanel::new(String::new(), Unit::Time("time"), values.map(bar).to_vec());
            let chart = Chart::new("sort".into(), 1, vec![panel], vec!["caption".to_owned()]);
            let image =
                chart.expect("a panel").svgs("sort", "", "bars").expect("painted").remove(0);
            // All that is filled with the variant's colour.
            let RGBColor(r, g, b) = style.color;
            let color = format!("#{r:02X}{g:02X}{b:02X}");
            let filled = image.svg.lines().filter(|line| line.contains(&color));
            let rectangles = filled.filter(|line| line.contains("<rect")).count();
            assert_eq!(rectangles, if are_bars { 2 } else { 0 }, "{}", image.svg);
            assert_eq!(image.caption.iter().any(|line| line == DOTS), !are_bars);
        }
    }

    #[test]
    fn a_panel_without_bars_has_a_picture() {
        let refused = vec![("concat".to_owned(), "digis must be in order".to_owned())];
        let panel = BarPanel::new(String::new(), Unit::Time("time"), vec![]);
        let panels = vec![BarPanel { refused, ..panel }];
        let chart = Chart::new("sort".into(), 1, panels, vec!["caption".to_owned()]);
        let images = chart.expect("a panel").svgs("sort", "", "bars").expect("painted");
        assert!(images[0].svg.contains("digis must be in order"));
    }
}
