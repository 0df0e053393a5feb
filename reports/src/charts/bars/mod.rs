//! Bars of the variants, grouped by the axis with the most values.
//!
//! Bars start at zero, so that their heights compare as the values do. Where
//! values differ so much that most bars would vanish, panels keep to groups of
//! like size and each has a scale of its own, which the caption says.

mod bands;
mod layout;
mod panel;
mod quantity;

use super::axes::{self, Axis, Panel};
use super::figure::{Figure, Plot, Ruler, Swatch};
use super::scale::Scale;
use super::study::Study;
use bands::Bands;
use layout::Layout;
use panel::{ALONE, AMONG_OTHERS, Drawing, Room};
pub use quantity::{Quantity, page_time};

const READING: &str = "bars: median, whiskers: 95 % confidence interval of the median";

/// The times of a study.
pub fn times(study: &Study) -> Figure {
    let mut figure = figure(study, &study.varying, Quantity::Time, READING);
    if let Some(rank) = study.ranked_by {
        figure.title += &format!(" ({})", rank.words());
    }
    figure
}

/// The chart of a quantity that depends on `axes`; `reading` says what the
/// marks mean. Of rows that differ in other axes only, the first one is shown.
pub fn figure(study: &Study, axes: &[Axis], quantity: Quantity, reading: &str) -> Figure {
    figure_in(study, axes, quantity, reading, ALONE)
}

/// The same for plots that stand beside those of other quantities.
pub fn beside_others(study: &Study, axes: &[Axis], quantity: Quantity, reading: &str) -> Figure {
    figure_in(study, axes, quantity, reading, AMONG_OTHERS)
}

/// `room` is what the only panel has.
fn figure_in(
    study: &Study,
    axes: &[Axis],
    quantity: Quantity,
    reading: &str,
    room: Room,
) -> Figure {
    let group = longest(axes);
    let is_other = |axis: &&Axis| Some(*axis) != group;
    let others: Vec<&Axis> = axes.iter().filter(is_other).collect();
    let bands = Bands::new(study, group, quantity);
    let panels = axes::panels(&study.rows, &others);
    let is_alone = panels.len() * bands.ranges.len() == 1;
    let drawing = Drawing {
        study,
        quantity,
        scale: Scale::from_zero(quantity.top_of_all(&study.rows)),
        room: if is_alone { room } else { AMONG_OTHERS },
    };
    let plots = plots(drawing, group, &panels, &bands);
    Figure {
        title: format!("{}: {} by variant", study.algorithm, quantity.name()),
        legend: group.map_or_else(Vec::new, |_| study.legend()),
        swatch: Swatch::Bar,
        columns: columns(&others, &bands, plots.len()),
        plots,
        caption: quantity.caption(study, &with_scales(reading, &bands)),
    }
}

/// A plot for each panel and band that has bars.
fn plots(drawing: Drawing, group: Option<&Axis>, panels: &[Panel], bands: &Bands) -> Vec<Plot> {
    let quantity = drawing.quantity;
    let layout = Layout::new(drawing.study, group);
    let mut plots = Vec::new();
    for panel in panels {
        let bars = layout.bars(panel);
        let bands_with_bars = bands.ranges.iter();
        for slots in bands_with_bars.filter_map(|band| layout.slots(&bars, band.clone())) {
            let rows = slots.iter().flat_map(|slot| slot.bars.iter().flatten());
            let scale = match bands.own_scales {
                true => Scale::from_zero(quantity.top_of_all(rows)),
                false => drawing.scale,
            };
            let plot = Drawing { scale, ..drawing }.plot(&slots, bands.longest());
            plots.push(named(plot, panel, group));
        }
    }
    plots
}

fn named(plot: Plot, panel: &Panel, group: Option<&Axis>) -> Plot {
    let label = group.map_or_else(String::new, |axis| axis.name.clone());
    Plot { title: panel.title.clone(), x: Ruler { label, ..plot.x }, ..plot }
}

fn with_scales(reading: &str, bands: &Bands) -> String {
    match bands.own_scales {
        true => format!("{reading}; the panels have scales of their own"),
        false => reading.to_owned(),
    }
}

/// The axis with the most values, the first one of equals.
fn longest(axes: &[Axis]) -> Option<&Axis> {
    axes.iter().rev().max_by_key(|axis| axis.values.len())
}

/// Panels a row: the values of the last axis, so that rows mean something.
fn columns(others: &[&Axis], bands: &Bands, plots: usize) -> usize {
    let last = others.last().map_or(1, |axis| axis.values.len());
    match bands.ranges.len() {
        1 => super::columns(last, plots),
        bands => super::columns(bands, plots),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Figure {
        let (run, names) = (run(), SeriesNames::new(rows));
        times(&Study::new(&run, "sort", rows, &[], &names))
    }

    #[test]
    fn the_longest_axis_groups_and_the_others_make_panels() {
        let mut rows = Vec::new();
        for n in [1, 2, 3] {
            for order in ["random", "sorted"] {
                rows.push(row("a", &format!("n={n};order={order}"), 1e-3 * n as f64));
            }
        }
        let figure = of(&rows);
        let titles: Vec<_> = figure.plots.iter().map(|plot| plot.title.as_str()).collect();
        assert_eq!(titles, ["order = random", "order = sorted"]);
        assert!(figure.plots.iter().all(|plot| plot.x.ticks.len() == 3));
        assert_eq!(figure.plots[0].x.label, "n");
    }

    #[test]
    fn a_single_point_names_its_variants_at_the_ticks() {
        let figure = of(&[row("a", "n=1", 1e-3), row("b", "n=1", 2e-3)]);
        let labels: Vec<_> = figure.plots[0].x.ticks.iter().map(|t| t.label.as_str()).collect();
        assert_eq!(labels, ["a", "b"]);
        assert!(figure.legend.is_empty());
    }

    #[test]
    fn times_of_many_sizes_get_scales_of_their_own() {
        let rows: Vec<_> = (0..6)
            .map(|e| row("a", &format!("n=1{}", "0".repeat(e)), 10f64.powi(e as i32 - 6)))
            .collect();
        let figure = of(&rows);
        assert!(figure.plots.len() > 1);
        assert!(figure.caption[2].contains("scales of their own"));
        let groups: usize = figure.plots.iter().map(|plot| plot.x.ticks.len()).sum();
        assert_eq!(groups, 6);
    }
}
