//! The page around the plots: title, legend, grid of panels, caption.
//!
//! Sizes follow from the content: nothing is squeezed into a fixed image, and
//! a text that does not fit is wrapped, turned or given room.

mod grid;
mod legend;
mod plot;

use plotters::style::RGBColor;

use super::palette::Style;
use super::scene::{Label, Mark, Scene};
use super::text::wrap;
use grid::Grid;
pub use legend::Swatch;
pub use plot::{Plot, Ruler, TICK, Tick};

/// More panels than this go to a further file.
const PANELS_A_PAGE: usize = 9;
/// Room for titles and captions, however small the plot.
const MIN_PAGE_WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;

const TITLE: f64 = 23.0;
const CAPTION: f64 = 13.0;
/// From baseline to baseline, in ems.
const LEADING: f64 = 1.4;

/// The colour of texts that are read.
pub const INK: RGBColor = RGBColor(30, 30, 30);
const QUIET: RGBColor = RGBColor(85, 85, 85);

/// Panels with what they have in common.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What is shown.
    pub title: String,
    /// Names and looks of the series; none where the ticks name them.
    pub legend: Vec<(String, Style)>,
    /// How the legend shows them.
    pub swatch: Swatch,
    /// Panels a row that suit the data; the page's width may allow fewer.
    pub columns: usize,
    /// The panels.
    pub plots: Vec<Plot>,
    /// Paragraphs under the panels.
    pub caption: Vec<String>,
}

impl Figure {
    /// The figure in pieces of a readable number of panels, in full rows.
    pub fn pages(self) -> Vec<Figure> {
        let columns = Grid::new(&self.plots, self.columns).columns;
        let panels = PANELS_A_PAGE / columns * columns;
        let count = self.plots.len().div_ceil(panels);
        let page = |(i, plots): (usize, &[Plot])| Figure {
            title: match count {
                1 => self.title.clone(),
                _ => format!("{} ({} of {count})", self.title, i + 1),
            },
            plots: plots.to_vec(),
            legend: self.legend.clone(),
            swatch: self.swatch,
            columns: self.columns,
            caption: self.caption.clone(),
        };
        self.plots.chunks(panels).enumerate().map(page).collect()
    }

    /// Lays everything out.
    pub fn scene(&self) -> Scene {
        let grid = Grid::new(&self.plots, self.columns);
        let panels = grid.size(self.plots.len());
        let page = (panels.0 + 2.0 * MARGIN).max(MIN_PAGE_WIDTH);
        let text_width = page - 2.0 * MARGIN;

        let mut marks = Vec::new();
        let title = wrap(&self.title, TITLE, text_width);
        let mut y = lines(&mut marks, &title, MARGIN, TITLE, INK) + 4.0;
        let (entries, height) = legend::draw(&self.legend, self.swatch, text_width);
        marks.extend(entries.into_iter().map(|mark| mark.shifted((MARGIN, y))));
        y += height;
        let left = (page - panels.0) / 2.0;
        for (i, plot) in self.plots.iter().enumerate() {
            let (x_in_grid, y_in_grid) = grid.origin(i);
            let origin = (left + x_in_grid, y + y_in_grid);
            let drawn = plot.draw(&grid.surroundings(i, &self.plots));
            marks.extend(drawn.into_iter().map(|mark| mark.shifted(origin)));
        }
        y += panels.1;
        for paragraph in &self.caption {
            let text = wrap(paragraph, CAPTION, text_width);
            y = lines(&mut marks, &text, y, CAPTION, QUIET);
        }
        Scene { width: page.ceil() as u32, height: (y + MARGIN * 0.6).ceil() as u32, marks }
    }
}

/// Writes lines under `top`; returns where they end.
fn lines(marks: &mut Vec<Mark>, lines: &[String], top: f64, size: f64, color: RGBColor) -> f64 {
    for (i, line) in lines.iter().enumerate() {
        let baseline = top + i as f64 * size * LEADING + size * 0.8;
        marks.push(Mark::Text(Label::new(line, (MARGIN, baseline), size, color)));
    }
    top + lines.len() as f64 * size * LEADING
}

#[cfg(test)]
mod tests {
    use super::plot::tests::plot;
    use super::*;

    fn figure(plots: usize) -> Figure {
        Figure {
            title: "title".into(),
            legend: vec![],
            swatch: Swatch::Bar,
            columns: 3,
            plots: vec![plot(); plots],
            caption: vec!["word ".repeat(100)],
        }
    }

    #[test]
    fn ten_panels_are_two_pages_and_none_is_lost() {
        let pages = figure(10).pages();
        assert_eq!(pages.len(), 2);
        assert_eq!(pages.iter().map(|page| page.plots.len()).sum::<usize>(), 10);
        assert_eq!(pages[1].title, "title (2 of 2)");
    }

    #[test]
    fn pages_end_with_a_full_row() {
        let pages = Figure { columns: 2, ..figure(10) }.pages();
        assert_eq!(pages[0].plots.len(), 8);
    }

    #[test]
    fn a_page_grows_with_its_panels() {
        let (one, nine) = (figure(1).scene(), figure(9).scene());
        assert!(nine.width > one.width && nine.height > one.height);
    }
}
