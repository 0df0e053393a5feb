//! Panels of horizontal bars, the best one first: who wins, and by how much.
//!
//! Names stand beside their bars and values behind them, so that no legend is needed. Where
//! values span more than a decade the scale is logarithmic, or the winners would be slivers. There
//! the length of a bar would mean nothing, as the axis has no zero: dots take the place of bars, in
//! all panels of an image.

mod paint;

use super::canvas::PANEL_TITLE;
use super::palette::Style;
use super::scale::{Scale, Spread};
use super::text::{width, wrap};
use super::unit::Unit;

const DOTS: &str = "dots take the place of bars, as an axis is logarithmic, and hollow dots that \
    of hatched bars";

/// From one bar to the next.
const PITCH: f64 = 24.0;
/// Of the labels of the ticks and of the name of the axis.
const AXIS_HEIGHT: f64 = 44.0;
/// Room for bars, alone and among others.
const BARS: [f64; 2] = [460.0, 250.0];
/// Longer names are cut off.
const LONGEST_NAME: f64 = 260.0;
/// Pixels an em.
const NAME: f64 = 13.5;
const VALUE: f64 = 12.5;
/// Between a bar and its value, and between a name and its bar.
const GAP: f64 = 8.0;
/// Pixels between panels below each other.
const BELOW: f64 = 20.0;

/// The bars of one setting, or of one quantity.
#[derive(Clone, Debug)]
pub struct BarPanel {
    /// What tells this panel from the others.
    pub title: String,
    /// What the bars are.
    pub unit: Unit,
    /// From above.
    pub bars: Vec<Bar>,
    /// Who has no bar, and why.
    pub refused: Vec<(String, String)>,
    /// A value that all are compared with.
    pub reference: Option<f64>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Whose it is.
    pub name: String,
    /// How long it is.
    pub value: f64,
    /// The ends of its whisker, where there is one.
    pub interval: Option<(f64, f64)>,
    /// What it is the middle of: these are shown instead of a bar, where there are any.
    pub dots: Vec<f64>,
    /// Whether it is of too few samples to be sure of.
    pub is_unsure: bool,
    /// What stands behind it.
    pub words: String,
    /// Its look.
    pub style: Style,
}

impl Bar {
    /// A plain bar without a whisker.
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
    /// A panel in which all have a bar.
    pub fn new(title: String, unit: Unit, bars: Vec<Bar>) -> Self {
        BarPanel { title, unit, bars, refused: Vec::new(), reference: None }
    }

    /// The same panel with a title that says what it shows.
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
        names.map(|name| width(name, NAME)).fold(0.0, f64::max).min(LONGEST_NAME)
    }

    fn words_width(&self) -> f64 {
        self.bars.iter().map(|bar| width(&bar.words, VALUE)).fold(0.0, f64::max)
    }

    /// Whether dots take the place of bars.
    fn has_dots(&self) -> bool {
        self.scale(1.0).spread == Spread::Log && self.bars.iter().any(|bar| bar.dots.is_empty())
    }

    /// The value at which the longest bar ends.
    fn longest(&self) -> f64 {
        self.bars.iter().map(Bar::end).fold(0.0, f64::max)
    }

    /// From zero, or from below the smallest value, with room behind the longest bar.
    fn scale(&self, room: f64) -> Scale {
        let high = self.reference.unwrap_or(0.0).max(self.longest());
        // Where nobody has a bar, or all are of nothing.
        let high = if high > 0.0 { high } else { 1.0 };
        let starts = self.bars.iter().map(Bar::start).chain(self.reference);
        let low = starts.fold(f64::INFINITY, f64::min);
        let from_zero = self.bars.iter().all(|bar| bar.dots.is_empty());
        match Spread::beyond(10.0, low, high) {
            Spread::Linear => {
                let margin = 0.05 * (high - low).max(0.1 * high);
                let low = if from_zero { 0.0 } else { low - margin };
                let high = low + (high - low) / room;
                Scale { low, high, spread: Spread::Linear }
            }
            Spread::Log => {
                let low = low / 2.0;
                let high = low * (high / low).powf(1.0 / room);
                Scale { low, high, spread: Spread::Log }
            }
        }
    }
}

/// What stands for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Bar,
    Dot,
}

/// What the panels of an image have in common; lengths are in pixels.
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
    fn a_scale_leaves_room_and_is_logarithmic_beyond_a_decade() {
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
