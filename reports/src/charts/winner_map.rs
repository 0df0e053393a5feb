//! A map of the winners: who is the fastest, over two axes.

use plotters::style::text_anchor::HPos;

use super::axes::Axis;
use super::canvas::{
    Area, At, Canvas, GRID, INK, PANEL_TITLE, Painted, Picture, QUIET, anchored, fill, height,
    pixel, shortened, text, write, write_lines,
};
use super::caption;
use super::page::{numbered, packed};
use super::palette::Style;
use super::study::Study;
use super::text::{width, wrap};
use crate::grouped::grouped;
use crate::winners::{self, Evidence, Race};
use crate::{shape, units};

const READING: &str = "in each field: the fastest, how far it is ahead of the next, and of whom; \
    white: the intervals of the two overlap, or there are too few samples to say";
/// Pixels of a field: the narrowest, the widest, and down.
const FIELD: [f64; 3] = [110.0, 260.0, 52.0];
/// Pixels between fields, and of the winner's stripe.
const GAP: f64 = 3.0;
const STRIPE: f64 = 6.0;
/// Before and behind the text of a field.
const PADDING: f64 = 8.0;
/// Fields beside each other are narrower than they need beyond this width.
const ACROSS: f64 = 1500.0;
/// Pixels an em.
const NAME: f64 = 13.5;
const QUIET_TEXT: f64 = 12.0;
/// Around the fields of a panel: below their columns' names, and to the next one.
const HEADER: f64 = 44.0;
const BETWEEN: f64 = 22.0;
/// Pixels of a page's fields, down.
const PAGE: f64 = 1400.0;

/// Maps of one task, a panel for each value of the axes that have no room in it.
#[derive(Clone, Debug)]
pub struct WinnerMap {
    /// What is shown.
    pub title: String,
    /// The maps.
    pub panels: Vec<Panel>,
    /// Paragraphs under them.
    pub caption: Vec<String>,
}

/// One map.
#[derive(Clone, Debug)]
pub struct Panel {
    title: String,
    /// Names of the axes: across, and down.
    axes: [String; 2],
    columns: Vec<String>,
    /// What each row is called, with its fields.
    rows: Vec<(String, Vec<Option<Field>>)>,
}

/// Who wins at one setting.
#[derive(Clone, Debug)]
pub struct Field {
    name: String,
    beside: String,
    style: Style,
    is_clear: bool,
}

/// The maps of a study over the axes of these names, or over those with the most values; none
/// without at least two settings.
pub fn figure(study: &Study, over: &[String]) -> Option<WinnerMap> {
    let races = winners::races_of(&study.rows);
    let varying = winners::varying(&races);
    let asked = over.iter().filter(|axis| varying.contains(axis));
    let rest = varying.iter().filter(|axis| !over.contains(axis));
    let mut names = asked.chain(rest).cloned();
    let across = names.next()?;
    let down = names.next().unwrap_or_default();
    let others: Vec<String> = names.collect();
    let setting = |race: &Race| others.iter().map(|axis| value(race, axis)).collect::<Vec<_>>();
    let panels = grouped(races.iter(), |race| setting(race)).into_iter();
    let panels = panels.map(|(values, races)| {
        let pairs = others.iter().zip(&values);
        let pairs = pairs.map(|(axis, value)| format!("{axis} = {}", shape::value(axis, value)));
        Panel {
            title: pairs.collect::<Vec<_>>().join(shape::SEPARATOR),
            ..panel(study, &races, [&across, &down])
        }
    });
    Some(WinnerMap {
        title: format!("{}: who is the fastest", study.algorithm),
        panels: panels.collect(),
        caption: caption::of_samples(study, READING),
    })
}

fn value(race: &Race, axis: &str) -> String {
    race.value(axis).unwrap_or_default().to_owned()
}

fn panel(study: &Study, races: &[&Race], [across, down]: [&str; 2]) -> Panel {
    let values = |axis: &str| {
        let mut values: Vec<String> = races.iter().map(|race| value(race, axis)).collect();
        values.sort_by(|a, b| shape::order(a, b));
        values.dedup();
        Axis { name: axis.to_owned(), values }
    };
    let (columns, rows) = (values(across), values(down));
    let field = |x: &String, y: &String| {
        let mut at = races.iter().filter(|race| value(race, across) == *x);
        at.find(|race| value(race, down) == *y).map(|race| field(study, race))
    };
    let fields = |y: &String| columns.values.iter().map(|x| field(x, y)).collect();
    Panel {
        title: String::new(),
        axes: [across.to_owned(), down.to_owned()],
        rows: rows.labels().into_iter().zip(rows.values.iter().map(fields)).collect(),
        columns: columns.labels(),
    }
}

fn field(study: &Study, race: &Race) -> Field {
    let evidence = race.evidence();
    let next = race.second.map(|second| study.series(second));
    let lead = race.lead().map(units::times);
    let beside = match (evidence, next.zip(lead)) {
        (_, None) => "of one".to_owned(),
        (Evidence::Clear, Some((next, lead))) => format!("{lead} ahead of {next}"),
        (Evidence::Overlap, Some((next, _))) => format!("or {next}"),
        (Evidence::TooFew, Some(_)) => "too few samples to say".to_owned(),
    };
    let name = study.series(race.first);
    Field { style: study.style(&name), name, beside, is_clear: evidence == Evidence::Clear }
}

impl Panel {
    /// Pixels before the fields: the values of the axis that runs down.
    fn left(&self) -> f64 {
        let names = self.rows.iter().map(|(name, _)| width(name, NAME));
        names.fold(width(&self.axes[1], QUIET_TEXT), f64::max) + 12.0
    }

    /// Pixels across a field.
    fn field(&self) -> f64 {
        let fields = self.rows.iter().flat_map(|(_, fields)| fields.iter().flatten());
        let needed = fields.map(Field::width).fold(0.0, f64::max);
        let room = ACROSS / self.columns.len() as f64;
        needed.min(FIELD[1]).min(room).max(FIELD[0])
    }

    fn size(&self) -> At {
        let across = self.left() + self.columns.len() as f64 * (self.field() + GAP);
        let title = height(&wrap(&self.title, PANEL_TITLE, across), PANEL_TITLE);
        (across, title + HEADER + self.rows.len() as f64 * (FIELD[2] + GAP) + BETWEEN)
    }

    fn paint(&self, area: &Area<'_>) -> Painted {
        let title = wrap(&self.title, PANEL_TITLE, self.size().0);
        write_lines(area, &title, (0.0, 0.0), PANEL_TITLE, INK)?;
        let top = height(&title, PANEL_TITLE);
        let (left, across) = (self.left(), self.field());
        write(area, &self.axes[0], (left, top + 2.0), &text(QUIET_TEXT, QUIET))?;
        write(area, &self.axes[1], (0.0, top + 22.0), &text(QUIET_TEXT, QUIET))?;
        for (i, column) in self.columns.iter().enumerate() {
            let x = left + i as f64 * (across + GAP) + across / 2.0;
            write(area, column, (x, top + 30.0), &anchored(text(NAME, INK), HPos::Center))?;
        }
        for (j, (row, fields)) in self.rows.iter().enumerate() {
            let y = top + HEADER + j as f64 * (FIELD[2] + GAP);
            let middle = (left - 10.0, y + FIELD[2] / 2.0);
            write(area, row, middle, &anchored(text(NAME, INK), HPos::Right))?;
            for (i, field) in fields.iter().enumerate() {
                let corner = (left + i as f64 * (across + GAP), y);
                let end = (corner.0 + across, y + FIELD[2]);
                match field {
                    Some(field) => field.paint(area, corner, end)?,
                    None => fill(area, corner, end, GRID)?,
                }
            }
        }
        Ok(())
    }
}

impl Field {
    /// Pixels that it needs.
    fn width(&self) -> f64 {
        let text = width(&self.name, NAME).max(width(&self.beside, QUIET_TEXT));
        STRIPE + text.ceil() + 2.0 * PADDING
    }

    /// A stripe of the winner's colour on a lighter ground, on white where nobody clearly wins.
    fn paint(&self, area: &Area<'_>, from: At, to: At) -> Painted {
        if self.is_clear {
            fill(area, from, to, self.style.shade())?;
        }
        fill(area, from, (from.0 + STRIPE, to.1), self.style.color)?;
        let left = from.0 + STRIPE + PADDING;
        let lines = [(&self.name, NAME, INK, 17.0), (&self.beside, QUIET_TEXT, QUIET, 36.0)];
        for (line, size, color, down) in lines {
            let line = shortened(line, size, to.0 - left);
            let style = anchored(text(size, color), HPos::Left);
            write(area, &line, (left, from.1 + down), &style)?;
        }
        Ok(())
    }
}

impl WinnerMap {
    /// The maps in pieces that fit a page.
    pub fn pages(self) -> Vec<WinnerMap> {
        let pages = packed(self.panels, PAGE, |panel| panel.size().1);
        let count = pages.len();
        let page = |(i, panels)| WinnerMap {
            title: numbered(&self.title, i, count),
            panels,
            caption: self.caption.clone(),
        };
        pages.into_iter().enumerate().map(page).collect()
    }

    /// The picture of the maps.
    pub fn picture(&self) -> Result<Picture, String> {
        let sizes: Vec<At> = self.panels.iter().map(Panel::size).collect();
        let across = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
        let panels = (across, sizes.iter().map(|size| size.1).sum());
        let canvas = Canvas { title: &self.title, legend: &[], caption: &self.caption, panels };
        canvas.paint(|area| {
            let mut top = 0.0;
            for (panel, size) in self.panels.iter().zip(&sizes) {
                let corner = pixel((0.0, top));
                panel.paint(&area.clone().shrink(corner, (size.0 as u32, size.1 as u32)))?;
                top += size.1;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow], over: &[&str]) -> Option<WinnerMap> {
        let (run, names) = (run(), SeriesNames::new(rows));
        let over: Vec<String> = over.iter().map(|&axis| axis.to_owned()).collect();
        figure(&Study::new(&run, "sort", rows, &[], &names), &over)
    }

    fn rows() -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        for (n, order) in [(1, "a"), (2, "a"), (3, "a"), (1, "b"), (2, "b")] {
            let params = format!("n={n};order={order}");
            rows.push(row("slow", &params, 1e-3 * f64::from(n)));
            rows.push(row("fast", &params, 0.5e-3 * f64::from(n * n)));
        }
        rows
    }

    fn said(panel: &Panel) -> Vec<Vec<Option<&str>>> {
        let rows = panel.rows.iter().map(|(_, fields)| fields.iter());
        let names = rows.map(|fields| fields.map(|field| Some(field.as_ref()?.name.as_str())));
        names.map(Iterator::collect).collect()
    }

    #[test]
    fn each_setting_has_its_winner() {
        let panel = of(&rows(), &[]).expect("a map").panels.remove(0);
        assert_eq!(panel.columns, ["1", "2", "3"]);
        let (fast, slow) = (Some("fast"), Some("slow"));
        let found = said(&panel);
        assert_eq!((found[0][0], found[0][2]), (fast, slow));
        assert_eq!(found[1][2], None, "not measured");
        let field = panel.rows[0].1[0].as_ref().expect("measured");
        assert!(field.is_clear && field.beside == "2.00 × ahead of slow", "{field:?}");
        let tie = panel.rows[0].1[1].as_ref().expect("measured");
        assert!(!tie.is_clear && tie.beside.starts_with("or "), "{tie:?}");
    }

    #[test]
    fn the_axes_can_be_chosen() {
        let panel = of(&rows(), &["order"]).expect("a map").panels.remove(0);
        assert_eq!((panel.axes, panel.columns.len()), (["order".into(), "n".into()], 2));
        assert!(of(&rows()[..2], &[]).is_none(), "one setting is no map");
    }
}
