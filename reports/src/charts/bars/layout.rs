//! Which row is which bar of which slot.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::super::axes::{self, Axis, Panel};
use super::super::study::Study;
use super::panel::Slot;
use crate::record::SummaryRow;

/// The places of the bars of a study, the same in all panels: a slot for each
/// value of the group's axis with a bar for each series; without a group, a
/// slot for each series.
#[derive(Debug)]
pub struct Layout<'s> {
    study: &'s Study<'s>,
    group: Option<(&'s Axis, HashMap<&'s str, usize>)>,
    /// What stands under each slot.
    labels: Vec<String>,
    /// The places of series among each other, by their names.
    series: HashMap<String, usize>,
}

/// The rows of a panel by slot and bar.
pub type Bars<'a> = BTreeMap<(usize, usize), &'a SummaryRow>;

impl<'s> Layout<'s> {
    /// The places of a study's series, grouped by the values of an axis.
    pub fn new(study: &'s Study<'s>, group: Option<&'s Axis>) -> Self {
        let names: Vec<String> = study.legend().into_iter().map(|(name, _)| name).collect();
        Layout {
            study,
            group: group.map(|axis| (axis, axis.positions())),
            labels: group.map_or_else(|| names.clone(), Axis::labels),
            series: names.into_iter().zip(0..).collect(),
        }
    }

    /// The bars of a panel. Of rows with the same place the first one is shown.
    pub fn bars<'a>(&self, panel: &Panel<'a>) -> Bars<'a> {
        let mut bars = Bars::new();
        for row in &panel.rows {
            if let Some(place) = self.place(row) {
                bars.entry(place).or_insert(*row);
            }
        }
        bars
    }

    fn place(&self, row: &SummaryRow) -> Option<(usize, usize)> {
        let series = *self.series.get(&self.study.series(row))?;
        let Some((axis, positions)) = &self.group else {
            return Some((series, 0));
        };
        let slot = *positions.get(axes::value_of(row, &axis.name).as_str())?;
        Some((slot, series))
    }

    /// The slots of a band; `None` if it has no bars.
    pub fn slots<'a>(&self, bars: &Bars<'a>, band: Range<usize>) -> Option<Vec<Slot<'a>>> {
        bars.range((band.start, 0)..(band.end, 0)).next()?;
        let bars_a_slot = self.group.as_ref().map_or(1, |_| self.series.len());
        let slot = |slot: usize| Slot {
            label: self.labels[slot].clone(),
            bars: (0..bars_a_slot).map(|bar| bars.get(&(slot, bar)).copied()).collect(),
        };
        Some(band.map(slot).collect())
    }
}
