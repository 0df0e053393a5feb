//! Style of the variants: colour, filling and marker.
//!
//! Variants of published charts have their style by their name, in every chart of every run; styles
//! of GPU variants are darker than those of CPU variants with the same name. All others take styles
//! that are free, in the order of their names.
//!
//! The colours are those of Okabe and Ito (2008), chosen so that readers with any colour vision can
//! distinguish them; their yellow, too pale for a line on white, is replaced by the wine of Paul
//! Tol's muted scheme, and their black, on which no whisker shows, by dark grey. Beyond eight the
//! colours repeat hollow, then darker; markers differ too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

use plotters::style::{BLACK, RGBColor, WHITE};

use super::canvas::{Area, PaintResult, Position, disc, polygon};

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

/// Styles of the variants in published charts.
static VARIANT_STYLES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let table = include_str!("../../assets/variant_styles.txt");
    let rows = table.lines().filter(|line| !line.starts_with('#')).enumerate();
    rows.flat_map(|(style, names)| names.split(' ').map(move |name| (name, style))).collect()
});
/// Number of styles before they get darker.
const LIGHT: usize = 2 * COLORS.len();

/// Colour of references that were not measured.
const REFERENCE: RGBColor = RGBColor(130, 130, 130);

/// Styles of the series of a run by their names.
#[derive(Clone, Debug)]
pub struct Palette(BTreeMap<String, Style>);

/// Style of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Colour of the line, or of the bar.
    pub color: RGBColor,
    filling: RGBColor,
    /// Shape of the markers.
    shape: Shape,
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle,
    /// Number of corners, and the angle of the first one.
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

/// Index of the style of a variant, if it has one in published charts.
pub fn style_index(variant: &str) -> Option<usize> {
    VARIANT_STYLES.get(variant).copied()
}

impl Palette {
    /// Assigns a style to each name.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Palette::for_variants(names.into_iter().map(|name| (name.clone(), name, false)))
    }

    /// Assigns a style to each series, by its variant and whether it is for a GPU.
    pub fn for_variants(series: impl IntoIterator<Item = (String, String, bool)>) -> Self {
        let series: BTreeSet<_> = series.into_iter().collect();
        let known = series.iter().filter_map(|(_, variant, _)| style_index(variant));
        let mut taken: BTreeSet<usize> = known.collect();
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        let mut styles = BTreeMap::new();
        for (name, variant, on_gpu) in &series {
            let style = style_index(variant).unwrap_or_else(|| {
                *others.entry(variant).or_insert_with(|| {
                    let free = (0..).find(|style| taken.insert(*style));
                    free.unwrap_or_default()
                })
            });
            let darker = if *on_gpu { LIGHT } else { 0 };
            styles.insert(name.clone(), Style::nth(style + darker));
        }
        Palette(styles)
    }

    /// Style of a series.
    pub fn style(&self, name: &str) -> Style {
        self.0.get(name).copied().unwrap_or(Style::nth(0))
    }
}

impl Style {
    fn nth(index: usize) -> Style {
        let base = COLORS[index % COLORS.len()];
        let turn = index / COLORS.len();
        let color = if turn % 4 < 2 { base } else { mixed(base, BLACK, 0.45) };
        let filling = if turn % 2 == 1 { mixed(color, WHITE, 0.8) } else { color };
        let shape = SHAPES[index % SHAPES.len()];
        Style { color, filling, shape }
    }

    /// Style of references.
    pub fn reference() -> Style {
        Style::plain(REFERENCE)
    }

    /// Style of a line of this colour.
    pub fn plain(color: RGBColor) -> Style {
        Style { color, filling: color, shape: Shape::Circle }
    }

    /// The colour of an area that belongs to the line and lies under others.
    pub fn shade(&self) -> RGBColor {
        mixed(self.color, WHITE, 0.8)
    }

    /// True if bars of this style are outlines.
    pub fn is_hollow(&self) -> bool {
        self.filling != self.color
    }

    /// Paints a marker.
    pub fn paint_marker(&self, area: &Area<'_>, at: Position, radius: f64) -> PaintResult {
        self.shape.paint(area, at, radius, self.color)?;
        match self.is_hollow() {
            true => self.shape.paint(area, at, radius * 0.55, self.filling),
            false => Ok(()),
        }
    }
}

impl Shape {
    fn paint(self, area: &Area<'_>, at: Position, radius: f64, color: RGBColor) -> PaintResult {
        let Shape::Polygon(corners, first) = self else {
            return disc(area, at, radius, color);
        };
        // Polygons look smaller than a circle of their radius.
        let radius = radius * 1.25;
        let corner = |i: usize| {
            let angle = first + TAU * i as f64 / corners as f64;
            (at.0 + radius * angle.cos(), at.1 + radius * angle.sin())
        };
        polygon(area, (0..corners).map(corner).collect(), color)
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
    fn a_variant_keeps_its_style_with_any_others() {
        let named = |names: &[&str]| Palette::new(names.iter().map(|&name| name.to_owned()));
        let few = named(&["channel-bucket"]);
        let many = named(&["channel-bucket", "a", "rdst", "voracious"]);
        assert_eq!(few.style("channel-bucket"), many.style("channel-bucket"));
        assert_ne!(many.style("a"), many.style("rdst"));
    }

    #[test]
    fn a_variant_for_gpus_is_darker() {
        let series = [("a (cpu)", false), ("a (cuda:0)", true)];
        let series = series.map(|(name, gpu)| (name.to_owned(), "rdst".to_owned(), gpu));
        let palette = Palette::for_variants(series);
        let [cpu, gpu] = ["a (cpu)", "a (cuda:0)"].map(|name| palette.style(name).color);
        assert!(gpu.0 < cpu.0 && gpu.1 < cpu.1 && gpu.2 < cpu.2);
    }

    #[test]
    fn the_order_of_the_names_does_not_matter() {
        let a = Palette::new(["b".to_owned(), "a".to_owned()]);
        let b = Palette::new(["a".to_owned(), "b".to_owned(), "a".to_owned()]);
        assert_eq!(a.style("b"), b.style("b"));
        assert_ne!(a.style("a"), a.style("b"));
    }
}
