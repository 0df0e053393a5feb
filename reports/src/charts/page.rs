//! Charts in pieces that fit an image, with their names.

use super::error::ChartError;
use super::figure::Figure;
use super::files;

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

/// A figure that fits one image.
pub struct Page {
    /// The subcommand's name.
    algorithm: String,
    /// The name of its file without the ending.
    pub name: String,
    number: usize,
    /// What is on it.
    pub figure: Figure,
}

impl Page {
    /// The pages of a figure, named `name`, `name-2` and so on.
    pub fn all(algorithm: &str, name: &str, figure: Figure) -> Vec<Page> {
        let page = |(i, figure)| Page {
            algorithm: algorithm.to_owned(),
            name: match i {
                0 => name.to_owned(),
                _ => format!("{name}-{}", i + 1),
            },
            number: i + 1,
            figure,
        };
        figure.pages().into_iter().enumerate().map(page).collect()
    }

    /// The page as a text.
    pub fn svg(self) -> Result<NamedSvg, ChartError> {
        let scene = self.figure.scene();
        Ok(NamedSvg {
            algorithm: self.algorithm,
            svg: files::svg(&self.name, &scene)?,
            name: self.name,
            page: self.number,
            title: self.figure.title,
            caption: self.figure.caption,
            width: scene.width,
            height: scene.height,
        })
    }
}
