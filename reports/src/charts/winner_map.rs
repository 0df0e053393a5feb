//! Map of the fastest variants over two axes.

use plotters::style::text_anchor::HPos;

use super::canvas::{
    Area, GRID, INK, PANEL_TITLE, PaintResult, Position, QUIET, anchored, fill, height, shortened,
    text, width, wrap, write, write_lines,
};
use super::caption;
use super::chart::{Chart, Panel};
use super::palette::Style;
use super::study::{self, Axis, Study};
use crate::grouped::grouped;
use crate::shape::AxisName;
use crate::units;
use crate::winners::{self, Evidence, Ranking};

const READING: &str = "in each field: the fastest variant, its lead, and the next one; white: \
    their intervals overlap, or there are too few samples";
/// Size of a field in pixels: minimum width, maximum width, and height.
const FIELD: [f64; 3] = [110.0, 260.0, 52.0];
/// Pixels between fields, and width of the winner's stripe.
const GAP: f64 = 3.0;
const STRIPE: f64 = 6.0;
/// Margin left and right of the text of a field.
const PADDING: f64 = 8.0;
/// Maximum width of a map; fields get narrower than their text beyond it.
const ACROSS: f64 = 1500.0;
/// Font size in pixels per em.
const NAME: f64 = 13.5;
const QUIET_TEXT: f64 = 12.0;
/// Margins around the fields of a panel: the names of columns, and the gap to the next panel.
const HEADER: f64 = 44.0;
const BELOW: f64 = 22.0;

/// One map.
#[derive(Clone, Debug)]
pub struct WinnerMap {
    title: String,
    /// Names of the horizontal and the vertical axis.
    axes: [String; 2],
    columns: Vec<String>,
    /// Labels of the rows with their fields.
    rows: Vec<(String, Vec<Option<Field>>)>,
}

/// The winner at one setting.
#[derive(Clone, Debug)]
pub struct Field {
    name: String,
    margin: String,
    style: Style,
    is_clear: bool,
}

/// The maps of a study over the axes of these names, or over those with the most values; `None`
/// with fewer than two settings.
pub fn figure(study: &Study, over: &[String]) -> Option<Chart<WinnerMap>> {
    let rankings = winners::rankings_of(&study.rows);
    let varying = winners::varying(&rankings);
    let asked = over.iter().filter_map(|name| varying.iter().find(|axis| **axis == **name));
    let rest = varying.iter().filter(|axis| !over.iter().any(|name| **axis == **name));
    let mut names = asked.chain(rest).cloned();
    let across = names.next()?;
    let down = names.next().unwrap_or_else(|| "".into());
    let others: Vec<AxisName> = names.collect();
    let setting =
        |ranking: &Ranking| others.iter().map(|axis| value(ranking, axis)).collect::<Vec<_>>();
    let panels = grouped(rankings.iter(), |ranking| setting(ranking)).into_iter();
    let panels = panels.map(|(values, rankings)| {
        let title = study::title(others.iter().zip(&values));
        map(study, title, &rankings, [&across, &down])
    });
    Some(Chart {
        headline: winners::headline(&rankings, |row| study.series(row)),
        title: format!("{}: fastest variant", study.algorithm),
        panels: panels.collect(),
        columns: 1,
        caption: caption::of_samples(study, READING),
    })
}

fn value(ranking: &Ranking, axis: &str) -> String {
    ranking.value(axis).unwrap_or_default().to_owned()
}

fn map(
    study: &Study,
    title: String,
    rankings: &[&Ranking],
    [across, down]: [&AxisName; 2],
) -> WinnerMap {
    let axis = |name: &AxisName| {
        Axis::new(name.clone(), rankings.iter().map(|ranking| value(ranking, name)))
    };
    let columns = axis(across);
    let rows = axis(down);
    let field = |x: &String, y: &String| {
        let mut at = rankings.iter().filter(|ranking| value(ranking, across) == *x);
        at.find(|ranking| value(ranking, down) == *y).map(|ranking| field(study, ranking))
    };
    let fields = |y: &String| columns.values.iter().map(|x| field(x, y)).collect();
    WinnerMap {
        title,
        axes: [across.label().to_owned(), down.label().to_owned()],
        rows: rows.labels().into_iter().zip(rows.values.iter().map(fields)).collect(),
        columns: columns.labels(),
    }
}

fn field(study: &Study, ranking: &Ranking) -> Field {
    let evidence = ranking.evidence();
    let next = ranking.second.map(|second| study.series(second));
    let lead = ranking.lead().map(units::times);
    let margin = match (evidence, next.zip(lead)) {
        (_, None) => "of one".to_owned(),
        (Evidence::Clear, Some((next, lead))) => format!("{lead} ahead of {next}"),
        (Evidence::Overlap, Some((next, _))) => format!("or {next}"),
        (Evidence::TooFew, Some(_)) => "too few samples".to_owned(),
    };
    let name = study.series(ranking.first);
    Field { style: study.style(&name), name, margin, is_clear: evidence == Evidence::Clear }
}

impl WinnerMap {
    /// Width of the labels of the vertical axis, left of the fields.
    fn left(&self) -> f64 {
        let names = self.rows.iter().map(|(name, _)| width(name, NAME));
        names.fold(width(&self.axes[1], QUIET_TEXT), f64::max) + 12.0
    }

    /// Width of a field in pixels.
    fn field(&self) -> f64 {
        let fields = self.rows.iter().flat_map(|(_, fields)| fields.iter().flatten());
        let needed = fields.map(Field::width).fold(0.0, f64::max);
        let room = ACROSS / self.columns.len() as f64;
        needed.min(FIELD[1]).min(room).max(FIELD[0])
    }
}

impl Panel for WinnerMap {
    type Layout = ();
    const DOWN: f64 = 1400.0;

    fn layout(_: &[WinnerMap]) {}

    fn size(&self, (): &()) -> Position {
        let across = self.left() + self.columns.len() as f64 * (self.field() + GAP);
        let title = height(&wrap(&self.title, PANEL_TITLE, across), PANEL_TITLE);
        (across, title + HEADER + self.rows.len() as f64 * (FIELD[2] + GAP) + BELOW)
    }

    fn paint(&self, area: &Area<'_>, (): &()) -> PaintResult {
        let title = wrap(&self.title, PANEL_TITLE, self.size(&()).0);
        write_lines(area, &title, (0.0, 0.0), PANEL_TITLE, INK)?;
        let top = height(&title, PANEL_TITLE);
        let left = self.left();
        let across = self.field();
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
    /// Required width in pixels.
    fn width(&self) -> f64 {
        let text = width(&self.name, NAME).max(width(&self.margin, QUIET_TEXT));
        STRIPE + text.ceil() + 2.0 * PADDING
    }

    /// A stripe of the winner's colour on a lighter background, on white without a clear winner.
    fn paint(&self, area: &Area<'_>, from: Position, to: Position) -> PaintResult {
        if self.is_clear {
            fill(area, from, to, self.style.shade())?;
        }
        fill(area, from, (from.0 + STRIPE, to.1), self.style.color)?;
        let left = from.0 + STRIPE + PADDING;
        let lines = [(&self.name, NAME, INK, 17.0), (&self.margin, QUIET_TEXT, QUIET, 36.0)];
        for (line, size, color, down) in lines {
            let line = shortened(line, size, to.0 - left);
            let style = anchored(text(size, color), HPos::Left);
            write(area, &line, (left, from.1 + down), &style)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;
    use crate::record::SummaryRow;

    fn winner_chart(rows: &[SummaryRow], over: &[&str]) -> Option<Chart<WinnerMap>> {
        let over: Vec<String> = over.iter().map(|&axis| axis.to_owned()).collect();
        of_study(rows, &[], |study| figure(study, &over))
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

    #[test]
    fn each_setting_has_its_winner() {
        let panel = winner_chart(&rows(), &[]).expect("a map").panels.remove(0);
        assert_eq!(panel.columns, ["1", "2", "3"]);
        let field = |row: usize, column: usize| panel.rows[row].1[column].as_ref();
        let first = field(0, 0).expect("measured");
        let last = field(0, 2).expect("measured");
        assert_eq!((first.name.as_str(), last.name.as_str()), ("fast", "slow"));
        assert!(field(1, 2).is_none(), "not measured");
        assert!(first.is_clear && first.margin == "2.00 × ahead of slow", "{first:?}");
        let tie = field(0, 1).expect("measured");
        assert!(!tie.is_clear && tie.margin.starts_with("or "), "{tie:?}");
    }

    #[test]
    fn the_axes_can_be_chosen() {
        let panel = winner_chart(&rows(), &["order"]).expect("a map").panels.remove(0);
        assert_eq!((panel.axes, panel.columns.len()), (["order".into(), "n".into()], 2));
        assert!(winner_chart(&rows()[..2], &[]).is_none(), "one setting is no map");
    }
}
