//! Where the panels of a page are, and the room that their labels need.

use super::super::scene::At;
use super::plot::{AXIS_LABEL, Plot, TICK};

/// Panels stand side by side up to this width.
const PAGE_WIDTH: f64 = 1600.0;

/// Equal cells in rows, each a plot with the room around it.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Cells a row.
    pub columns: usize,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Under the labels of the ticks, for the name of the axis.
    name: f64,
    upright: bool,
    plot: (f64, f64),
}

/// How a plot's axes are labelled, by its place in the grid.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Where the name of the vertical axis goes, unless the left neighbour has it.
    pub y_name: Option<f64>,
    /// Where the name of the horizontal axis goes, unless a plot below has it.
    pub x_name: Option<f64>,
    /// Whether labels of horizontal ticks are turned.
    pub upright: bool,
}

impl Grid {
    /// A grid for `plots` of `columns`, or fewer if the page is too narrow.
    pub fn new(plots: &[Plot], columns: usize) -> Grid {
        let largest = |of: &dyn Fn(&Plot) -> f64| plots.iter().map(of).fold(0.0, f64::max);
        let upright = !plots.iter().all(|plot| plot.x.fits());
        let is_named = plots.iter().any(|plot| !plot.x.label.is_empty());
        let labels = if upright { largest(&|plot| plot.x.label_width()) } else { TICK };
        let overhang = largest(&|plot| plot.x.overhang(plot.width));
        let mut grid = Grid {
            columns: 1,
            left: AXIS_LABEL * 1.8 + largest(&|plot| plot.y.label_width()) + 12.0,
            right: if upright { 20.0 } else { overhang.max(12.0) + 8.0 },
            top: largest(&|plot| plot.title_height()),
            bottom: labels + 18.0,
            name: if is_named { AXIS_LABEL * 1.6 } else { 0.0 },
            upright,
            plot: (largest(&|plot| plot.width), largest(&|plot| plot.height)),
        };
        let fitting = (PAGE_WIDTH / grid.cell().0).floor().max(1.0) as usize;
        grid.columns = columns.min(plots.len()).clamp(1, fitting);
        grid
    }

    /// The size of `count` plots with all that surrounds them.
    pub fn size(&self, count: usize) -> (f64, f64) {
        let (width, height) = self.cell();
        let rows = count.div_ceil(self.columns) as f64;
        (self.columns as f64 * width, rows * height + self.name + 6.0)
    }

    /// The upper left corner of the `i`-th plot, from that of the grid.
    pub fn origin(&self, i: usize) -> At {
        let (width, height) = self.cell();
        let (column, row) = (i % self.columns, i / self.columns);
        let (x, y) = (column as f64 * width, row as f64 * height);
        (x + self.left, y + self.top)
    }

    /// What the `i`-th of `plots` has to label.
    pub fn surroundings(&self, i: usize, plots: &[Plot]) -> Surroundings {
        let is_first = i.is_multiple_of(self.columns);
        let y_named = is_first || plots[i - 1].y.label != plots[i].y.label;
        let x_named = i + self.columns >= plots.len();
        let below = plots[i].height + self.bottom + self.name - AXIS_LABEL * 0.9;
        Surroundings {
            y_name: y_named.then_some(AXIS_LABEL - self.left),
            x_name: x_named.then_some(below),
            upright: self.upright,
        }
    }

    fn cell(&self) -> (f64, f64) {
        let (width, height) = self.plot;
        (self.left + width + self.right, self.top + height + self.bottom)
    }
}

#[cfg(test)]
mod tests {
    use super::super::plot::tests::plot;
    use super::*;

    #[test]
    fn cells_do_not_overlap() {
        let grid = Grid::new(&vec![plot(); 6], 3);
        let (plot, next) = (grid.origin(0), grid.origin(1));
        assert!(next.0 - plot.0 > 300.0);
        assert!(grid.origin(3).1 - plot.1 > 200.0);
        assert_eq!(grid.origin(3).0, plot.0);
    }

    #[test]
    fn wide_plots_stand_below_each_other() {
        let wide = Plot { width: 1000.0, ..plot() };
        assert_eq!(Grid::new(&vec![wide; 4], 2).columns, 1);
    }

    #[test]
    fn only_the_outer_plots_name_their_axes() {
        let plots = vec![plot(); 4];
        let grid = Grid::new(&plots, 2);
        let named = |i: usize| {
            let around = grid.surroundings(i, &plots);
            (around.y_name.is_some(), around.x_name.is_some())
        };
        assert_eq!(
            [0, 1, 2, 3].map(named),
            [(true, false), (false, false), (true, true), (false, true)]
        );
    }
}
