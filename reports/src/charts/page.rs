//! Charts in pieces that fit an image, with their names.

use std::path::Path;

use super::bar_panels::BarPanels;
use super::canvas::Picture;
use super::error::ChartError;
use super::line_panels::LinePanels;
use super::winner_map::WinnerMap;

/// A chart as a text, with what it shows in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSvg {
    /// The subcommand's name.
    pub algorithm: String,
    /// The name of its file without the ending: `bars`, `sort-bars-2`.
    pub name: String,
    /// Which image of a chart that does not fit one, from 1.
    pub page: usize,
    /// What is shown: `sort: time by variant`.
    pub title: String,
    /// The paragraphs under the chart, which are a part of the picture too.
    pub caption: Vec<String>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The picture: an `svg` element.
    pub svg: String,
}

/// What is drawn.
pub enum Drawing {
    /// Panels of bars.
    Bars(BarPanels),
    /// Panels of lines.
    Lines(LinePanels),
    /// Maps of winners.
    Winners(WinnerMap),
}

impl From<BarPanels> for Drawing {
    fn from(chart: BarPanels) -> Self {
        Drawing::Bars(chart)
    }
}

impl From<LinePanels> for Drawing {
    fn from(chart: LinePanels) -> Self {
        Drawing::Lines(chart)
    }
}

impl From<WinnerMap> for Drawing {
    fn from(map: WinnerMap) -> Self {
        Drawing::Winners(map)
    }
}

impl Drawing {
    fn pages(self) -> Vec<Drawing> {
        match self {
            Drawing::Bars(chart) => chart.pages().into_iter().map(Drawing::Bars).collect(),
            Drawing::Lines(chart) => chart.pages().into_iter().map(Drawing::Lines).collect(),
            Drawing::Winners(map) => map.pages().into_iter().map(Drawing::Winners).collect(),
        }
    }

    fn picture(&self) -> Result<Picture, String> {
        match self {
            Drawing::Bars(chart) => chart.picture(),
            Drawing::Lines(chart) => chart.picture(),
            Drawing::Winners(map) => map.picture(),
        }
    }

    /// The title and the paragraphs under the chart.
    fn words(self) -> (String, Vec<String>) {
        match self {
            Drawing::Bars(chart) => (chart.title, chart.caption),
            Drawing::Lines(chart) => (chart.title, chart.caption),
            Drawing::Winners(map) => (map.title, map.caption),
        }
    }
}

/// Items in pieces that are no higher than a page, where none alone is.
pub fn packed<T>(items: Vec<T>, page: f64, height: impl Fn(&T) -> f64) -> Vec<Vec<T>> {
    let mut pages: Vec<Vec<T>> = Vec::new();
    let mut room = 0.0;
    for item in items {
        let needed = height(&item);
        match pages.last_mut() {
            Some(last) if needed <= room => {
                last.push(item);
                room -= needed;
            }
            _ => {
                pages.push(vec![item]);
                room = page - needed;
            }
        }
    }
    pages
}

/// The title of one of so many pieces: `sort: time by variant (2 of 3)`.
pub fn numbered(title: &str, piece: usize, of: usize) -> String {
    match of {
        1 => title.to_owned(),
        _ => format!("{title} ({} of {of})", piece + 1),
    }
}

/// A chart that fits one image.
pub struct Page {
    /// The subcommand's name.
    algorithm: String,
    /// The name of its file without the ending.
    pub name: String,
    number: usize,
    /// What is on it.
    drawing: Drawing,
}

impl Page {
    /// The pages of a figure, named `name`, `name-2` and so on.
    pub fn all(algorithm: &str, name: &str, drawing: impl Into<Drawing>) -> Vec<Page> {
        let page = |(i, drawing)| Page {
            algorithm: algorithm.to_owned(),
            name: match i {
                0 => name.to_owned(),
                _ => format!("{name}-{}", i + 1),
            },
            number: i + 1,
            drawing,
        };
        drawing.into().pages().into_iter().enumerate().map(page).collect()
    }

    /// The page as a picture.
    pub fn picture(&self) -> Result<Picture, ChartError> {
        let name = format!("{}.svg", self.name);
        self.drawing.picture().map_err(|reason| ChartError::draw(Path::new(&name), reason))
    }

    /// The page as a text.
    pub fn svg(self) -> Result<NamedSvg, ChartError> {
        let Picture { svg, width, height } = self.picture()?;
        let (title, caption) = self.drawing.words();
        let (algorithm, name, page) = (self.algorithm, self.name, self.number);
        Ok(NamedSvg { algorithm, name, page, title, caption, width, height, svg })
    }
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

    #[test]
    fn only_pieces_are_numbered() {
        assert_eq!(numbered("sort", 0, 1), "sort");
        assert_eq!(numbered("sort", 1, 2), "sort (2 of 2)");
    }
}
