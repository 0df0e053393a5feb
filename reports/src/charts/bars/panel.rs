//! One panel of bars.

use super::super::figure::{INK, Plot, Ruler, TICK, Tick};
use super::super::marks::whisker;
use super::super::scale::Scale;
use super::super::scene::{Anchor, Label, Mark};
use super::super::study::{Study, extent, interval, median};
use super::super::text::width;
use super::super::time_axis;
use crate::record::SummaryRow;
use crate::units;

/// The gap between groups, in bars.
const GAP: f64 = 0.8;
/// Pixels an em of the times above bars.
const VALUE: f64 = 12.0;

/// Bars that share a label.
#[derive(Clone, Debug)]
pub struct Slot<'a> {
    /// The group's value, or the variant.
    pub label: String,
    /// One place a series, empty if the series lacks this point.
    pub bars: Vec<Option<&'a SummaryRow>>,
}

/// Pixels for a panel, by whether it has company.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The width that bars share, as long as they stay readable.
    target: f64,
    least: f64,
    height: f64,
    /// Wider is only for the bars' sake, not for that of their labels.
    widest_for_labels: f64,
}

/// The only panel of a figure.
pub const ALONE: Room = Room {
    target: 760.0,
    least: 520.0,
    height: 400.0,
    widest_for_labels: 900.0,
};

/// One of several.
pub const AMONG_OTHERS: Room = Room {
    target: 420.0,
    least: 330.0,
    height: 250.0,
    widest_for_labels: 480.0,
};

/// The places of the bars of a panel.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// The width of a bar.
    bar: f64,
    /// From one slot to the next.
    pitch: f64,
    width: f64,
    bars_a_slot: usize,
}

impl Places {
    /// Places for `count` slots, even if the panel has fewer, so that panels match.
    fn new(slots: &[Slot], count: usize, room: &Room) -> Places {
        let bars_a_slot = slots.first().map_or(1, |slot| slot.bars.len());
        let count = count as f64;
        let in_bars = count * (bars_a_slot as f64 + GAP);
        let bar = (room.target / in_bars).clamp(9.0, 64.0);
        let label = slots.iter().map(|slot| width(&slot.label, TICK) + 14.0);
        let labels = label.fold(0.0, f64::max) * count;
        let labels = if labels <= room.widest_for_labels {
            labels
        } else {
            0.0
        };
        let width = (in_bars * bar).max(room.least).max(labels);
        Places {
            bar,
            pitch: width / count,
            width,
            bars_a_slot,
        }
    }

    fn middle(&self, slot: usize) -> f64 {
        (slot as f64 + 0.5) * self.pitch
    }

    fn left(&self, slot: usize, bar: usize) -> f64 {
        self.middle(slot) + (bar as f64 - self.bars_a_slot as f64 / 2.0) * self.bar
    }

    /// Whether a text above a bar keeps clear of the neighbours'.
    fn has_room_for(&self, text: &str) -> bool {
        let room = if self.bars_a_slot == 1 {
            self.pitch
        } else {
            self.bar
        };
        width(text, VALUE) + 4.0 <= room
    }
}

/// The panel of `slots`, as wide as one of `count` slots.
pub fn plot(study: &Study, slots: &[Slot], count: usize, scale: &Scale, room: &Room) -> Plot {
    let places = Places::new(slots, count, room);
    let mut rows = slots.iter().flat_map(|slot| slot.bars.iter().flatten());
    let with_times = rows.all(|row| places.has_room_for(&time(row)));
    let tick = |(i, slot): (usize, &Slot)| Tick {
        at: places.middle(i),
        label: slot.label.clone(),
    };
    let mut marks = Vec::new();
    for (i, slot) in slots.iter().enumerate() {
        for (j, row) in slot.bars.iter().enumerate() {
            let Some(row) = row else { continue };
            let left = places.left(i, j);
            marks.extend(bar(study, row, (left, places.bar), scale, room.height));
            if with_times {
                marks.push(time_label(row, left + places.bar / 2.0, scale, room.height));
            }
        }
    }
    Plot {
        title: String::new(),
        width: places.width,
        height: room.height,
        x: Ruler {
            ticks: slots.iter().enumerate().map(tick).collect(),
            ..Ruler::default()
        },
        y: time_axis::ruler(scale, room.height, "median time"),
        marks,
    }
}

/// A bar with its whisker.
fn bar(
    study: &Study,
    row: &SummaryRow,
    (left, width): (f64, f64),
    scale: &Scale,
    height: f64,
) -> Vec<Mark> {
    // Neighbours keep apart by a pixel or more.
    let inset = (width * 0.06).max(0.5);
    let pixel = |seconds: f64| height * (1.0 - scale.position(seconds));
    let style = study.style(&study.series(row));
    let top = (left + inset, pixel(median(row)));
    let mut marks = style.bar(top, (left + width - inset, height));
    if let Some((low, high)) = interval(row) {
        let cap = (width * 0.22).clamp(2.0, 7.0);
        let middle = left + width / 2.0;
        marks.extend(whisker(middle, pixel(low), pixel(high), cap, INK));
    }
    marks
}

fn time(row: &SummaryRow) -> String {
    units::seconds(median(row), 3)
}

/// The time in words, above the bar and its whisker.
fn time_label(row: &SummaryRow, x: f64, scale: &Scale, height: f64) -> Mark {
    let y = height * (1.0 - scale.position(extent(row).1)) - 5.0;
    Mark::Text(Label::new(time(row), (x, y), VALUE, INK).anchored(Anchor::Middle))
}
