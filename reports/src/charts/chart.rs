//! A chart: rows of panels between a title and a caption, on one or more images.
//!
//! Sizes follow from the content: long texts are wrapped or get more space.

use std::io;
use std::path::{Path, PathBuf};

use plotters::prelude::{IntoDrawingArea, SVGBackend};
use plotters::style::WHITE;
use text::Untrusted;

use super::canvas::{
    Area, INK, PaintResult, Position, QUIET, error_text, height, load_font, pixel, png, wrap,
    write_lines,
};
use super::line::{self, Line};

/// Maximum width of panels side by side.
const ACROSS: f64 = 1600.0;
/// Minimum width, for titles and captions.
const MIN_WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;
const TITLE: f64 = 23.0;
/// Font size of a title under a headline.
const SUBTITLE: f64 = 15.5;
/// Pixels below it.
const SUBTITLE_GAP: f64 = 8.0;
const CAPTION: f64 = 13.0;

/// A chart of panels of one kind.
#[derive(Clone, Debug)]
pub struct Chart<P> {
    /// Main result that the chart shows, if there is one.
    pub headline: Option<String>,
    /// Content of the chart.
    pub title: String,
    /// The panels, in reading order.
    pub panels: Vec<P>,
    /// Panels of a full row.
    pub columns: usize,
    /// Paragraphs under the panels.
    pub caption: Vec<String>,
}

/// Kind of panel that a chart consists of.
pub trait Panel: Clone {
    /// Common layout of the panels of an image.
    type Layout;
    /// Pixels between panels side by side.
    const BETWEEN: f64 = 0.0;
    /// Pixels of panels below each other.
    const DOWN: f64 = 1500.0;

    /// Computes the common layout of panels.
    fn layout(panels: &[Self]) -> Self::Layout;

    /// Width and height in pixels, including the gap to the panel below.
    fn size(&self, layout: &Self::Layout) -> Position;

    /// Paints the panel into an area of its size.
    fn paint(&self, area: &Area<'_>, layout: &Self::Layout) -> PaintResult;

    /// Note on the marks of some panels, for the caption.
    fn note(_panels: &[Self]) -> Option<&'static str> {
        None
    }

    /// The lines that the legend lists.
    fn legend(_panels: &[Self]) -> Vec<&Line> {
        Vec::new()
    }
}

/// An image of a chart with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSvg {
    /// The subcommand's name.
    pub algorithm: String,
    /// Name of the chart: `bars`.
    pub chart: String,
    /// Name of its file without extension: `bars`, `sort-bars-2`.
    pub name: String,
    /// Page of a chart that does not fit one image, from 1.
    pub page: usize,
    /// Main result that the chart shows, if there is one: `rdst is fastest, 1.52 × ahead of …`.
    pub headline: Option<String>,
    /// Content: `sort: time by variant`.
    pub title: String,
    /// The paragraphs under the chart, which are a part of the picture too.
    pub caption: Vec<String>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The picture: an `svg` element.
    pub svg: String,
}

/// Layout of the panels of an image.
struct Grid<P: Panel> {
    layout: P::Layout,
    columns: usize,
    /// Size of each panel.
    sizes: Vec<Position>,
    /// Width of the widest panel.
    width: f64,
}

impl<P: Panel> Grid<P> {
    fn new(chart: &Chart<P>) -> Self {
        let layout = P::layout(&chart.panels);
        let sizes: Vec<Position> = chart.panels.iter().map(|panel| panel.size(&layout)).collect();
        let width = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
        let fitting = ((ACROSS + P::BETWEEN) / (width + P::BETWEEN)) as usize;
        let columns = chart.columns.min(chart.panels.len()).min(fitting).max(1);
        Grid { layout, columns, sizes, width }
    }

    /// Height of each row in pixels.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let rows = self.sizes.chunks(self.columns);
        rows.map(|row| row.iter().map(|size| size.1).fold(0.0, f64::max))
    }

    /// Total size of the panels in pixels.
    fn size(&self) -> Position {
        let columns = self.columns as f64;
        (columns * self.width + (columns - 1.0) * P::BETWEEN, self.heights().sum())
    }

    fn paint(&self, area: &Area<'_>, panels: &[P]) -> PaintResult {
        let mut top = 0.0;
        let panels: Vec<(&P, &Position)> = panels.iter().zip(&self.sizes).collect();
        for (row, height) in panels.chunks(self.columns).zip(self.heights()) {
            for (column, (panel, size)) in row.iter().enumerate() {
                let left = column as f64 * (self.width + P::BETWEEN);
                let size = (size.0 as u32, size.1 as u32);
                panel.paint(&area.clone().shrink(pixel((left, top)), size), &self.layout)?;
            }
            top += height;
        }
        Ok(())
    }
}

impl<P: Panel> Chart<P> {
    /// Chart with up to `natural` panels in a row; `None` without panels.
    pub fn new(
        title: String,
        natural: usize,
        panels: Vec<P>,
        caption: Vec<String>,
    ) -> Option<Self> {
        let columns = columns(natural, panels.len());
        (!panels.is_empty()).then_some(Chart { headline: None, title, panels, columns, caption })
    }

    /// Adds a headline above the title.
    pub fn under(self, headline: Option<String>) -> Self {
        Chart { headline, ..self }
    }

    /// Images of the chart, named `bars`, `bars-2` and so on after the prefix.
    pub fn svgs(
        mut self,
        algorithm: &str,
        prefix: &str,
        chart: &str,
    ) -> Result<Vec<NamedSvg>, ChartError> {
        self.caption.extend(P::note(&self.panels).map(str::to_owned));
        let image = |(image, page): (Chart<P>, usize)| {
            let name = match page {
                1 => format!("{prefix}{chart}"),
                _ => format!("{prefix}{chart}-{page}"),
            };
            let (svg, (width, height)) = image.paint().map_err(|reason| {
                let path = PathBuf::from(format!("{name}.svg"));
                ChartError::Draw { path, reason }
            })?;
            Ok(NamedSvg {
                algorithm: algorithm.to_owned(),
                chart: chart.to_owned(),
                name,
                page,
                headline: image.headline,
                title: image.title,
                caption: image.caption,
                width,
                height,
                svg,
            })
        };
        self.pages().into_iter().zip(1..).map(image).collect()
    }

    /// Splits the chart into pages of full rows.
    fn pages(self) -> Vec<Self> {
        let grid = Grid::new(&self);
        let rows = self.panels.chunks(grid.columns).zip(grid.heights()).collect();
        let pages = packed(rows, P::DOWN, |(_, height)| *height);
        let count = pages.len();
        let page = |(rows, page): (Vec<(&[P], f64)>, usize)| Chart {
            headline: self.headline.clone(),
            title: match count {
                1 => self.title.clone(),
                _ => format!("{} ({page} of {count})", self.title),
            },
            panels: rows.into_iter().flat_map(|(row, _)| row.to_vec()).collect(),
            columns: grid.columns,
            caption: self.caption.clone(),
        };
        pages.into_iter().zip(1..).map(page).collect()
    }

    /// An `svg` element and its size in pixels.
    fn paint(&self) -> Result<(String, (u32, u32)), String> {
        if !load_font() {
            return Err("the built-in font is broken".to_owned());
        }
        let grid = Grid::new(self);
        let panels = grid.size();
        let page = (panels.0 + 2.0 * MARGIN).max(MIN_WIDTH);
        let across = page - 2.0 * MARGIN;
        let lines = |text: &str, size: f64| wrap(text, size, across);
        let (title, subtitle) = match &self.headline {
            Some(headline) => (lines(headline, TITLE), lines(&self.title, SUBTITLE)),
            None => (lines(&self.title, TITLE), Vec::new()),
        };
        let caption = self.caption.iter().flat_map(|text| lines(text, CAPTION));
        let caption: Vec<String> = caption.collect();
        let legend = P::legend(&self.panels);
        let below_title = MARGIN + height(&title, TITLE) + 4.0;
        let gap = if subtitle.is_empty() { 0.0 } else { SUBTITLE_GAP };
        let names = below_title + height(&subtitle, SUBTITLE) + gap;
        let top = names + line::height(&legend, across);
        let bottom = top + panels.1 + 6.0;
        let size = (page.ceil() as u32, (bottom + height(&caption, CAPTION) + MARGIN) as u32);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE).map_err(error_text)?;
            write_lines(&root, &title, (MARGIN, MARGIN), TITLE, INK)?;
            write_lines(&root, &subtitle, (MARGIN, below_title), SUBTITLE, QUIET)?;
            line::paint(&root, &legend, (MARGIN, names), across)?;
            let corner = (((page - panels.0) / 2.0) as i32, top as i32);
            let space = (panels.0.ceil() as u32, panels.1.ceil() as u32);
            grid.paint(&root.clone().shrink(corner, space), &self.panels)?;
            write_lines(&root, &caption, (MARGIN, bottom), CAPTION, QUIET)?;
            root.present().map_err(error_text)?;
        }
        Ok((::text::page(svg), size))
    }
}

impl NamedSvg {
    /// Writes the image into `dir` as SVG and PNG; returns both paths.
    ///
    /// Images are built in memory and written at once: the file backends of plotters write when
    /// they are dropped, where errors can't be reported.
    pub(super) fn write(&self, dir: &Path) -> Result<[PathBuf; 2], ChartError> {
        files::create_folder(dir)
            .map_err(|source| ChartError::Folder { path: dir.to_owned(), source })?;
        let write = |ending: &str, content: &[u8]| {
            let path = dir.join(format!("{}.{ending}", self.name));
            match files::write_own(&path, content) {
                Ok(()) => Ok(path),
                Err(source) => Err(ChartError::Write { path, source }),
            }
        };
        let svg = write("svg", self.svg.as_bytes())?;
        let pixels = png(&self.svg).map_err(|reason| {
            let path = dir.join(format!("{}.png", self.name));
            ChartError::Draw { path, reason }
        })?;
        Ok([svg, write("png", &pixels)?])
    }
}

/// Number of panels in a row for `count` panels, at most or about `natural`.
pub fn columns(natural: usize, count: usize) -> usize {
    match natural {
        2..=3 => natural,
        4 => 2,
        6 | 9 => 3,
        _ if count <= 3 => count,
        _ => (count as f64).sqrt().ceil().min(3.0) as usize,
    }
}

/// Splits items into pages of limited height, unless a single item is higher.
fn packed<T>(items: Vec<T>, page: f64, height: impl Fn(&T) -> f64) -> Vec<Vec<T>> {
    let mut pages: Vec<Vec<T>> = Vec::new();
    let mut space = 0.0;
    for item in items {
        let needed = height(&item);
        match pages.last_mut() {
            Some(last) if needed <= space => {
                last.push(item);
                space -= needed;
            }
            _ => {
                pages.push(vec![item]);
                space = page - needed;
            }
        }
    }
    pages
}

/// Reason why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The folder cannot be made.
    #[error(
        "cannot make the folder {} for the charts: {source}; choose another with --out, or draw \
         none with --no-charts", path.escaped()
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(
        "cannot write the chart {}: {source}; free some space or choose another folder with --out, \
         or draw none with --no-charts", path.escaped()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The picture cannot be made.
    #[error(
        "cannot draw the chart {}: {reason}; the numbers are in summary.csv, draw no charts with \
         --no-charts", path.escaped()
    )]
    Draw {
        /// File of the chart.
        path: PathBuf,
        /// Error of the drawing library.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_filled_and_nothing_is_lost() {
        let heights = vec![40.0, 50.0, 20.0, 300.0, 10.0];
        let pages = packed(heights, 100.0, |height| *height);
        assert_eq!(pages, [vec![40.0, 50.0], vec![20.0], vec![300.0], vec![10.0]]);
    }
}
