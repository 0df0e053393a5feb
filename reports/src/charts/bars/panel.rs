//! One panel of bars.

use super::super::figure::{INK, Plot, Ruler, TICK, Tick};
use super::super::marks::{dashes, whisker};
use super::super::scale::Scale;
use super::super::scene::{Anchor, Label, Mark};
use super::super::study::Study;
use super::super::text::width;
use super::quantity::Quantity;
use crate::record::SummaryRow;

/// The gap between groups, in bars.
const GAP: f64 = 0.8;
/// Pixels an em of the values above bars.
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
pub const ALONE: Room =
    Room { target: 760.0, least: 520.0, height: 400.0, widest_for_labels: 900.0 };

/// One of several.
pub const AMONG_OTHERS: Room =
    Room { target: 420.0, least: 330.0, height: 250.0, widest_for_labels: 480.0 };

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
        let labels = if labels <= room.widest_for_labels { labels } else { 0.0 };
        let width = (in_bars * bar).max(room.least).max(labels);
        Places { bar, pitch: width / count, width, bars_a_slot }
    }

    fn middle(&self, slot: usize) -> f64 {
        (slot as f64 + 0.5) * self.pitch
    }

    fn left(&self, slot: usize, bar: usize) -> f64 {
        self.middle(slot) + (bar as f64 - self.bars_a_slot as f64 / 2.0) * self.bar
    }

    /// Whether a text above a bar keeps clear of the neighbours'.
    fn has_room_for(&self, text: &str) -> bool {
        let room = if self.bars_a_slot == 1 { self.pitch } else { self.bar };
        width(text, VALUE) + 4.0 <= room
    }
}

/// How the bars of a panel are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// What the looks are from.
    pub study: &'a Study<'a>,
    /// What the heights are.
    pub quantity: Quantity,
    /// Of the heights.
    pub scale: Scale,
    /// For the panel.
    pub room: Room,
}

impl Drawing<'_> {
    /// The panel of `slots`, as wide as one of `count` slots.
    pub fn plot(&self, slots: &[Slot], count: usize) -> Plot {
        let places = Places::new(slots, count, &self.room);
        let tick =
            |(i, slot): (usize, &Slot)| Tick { at: places.middle(i), label: slot.label.clone() };
        Plot {
            title: String::new(),
            width: places.width,
            height: self.room.height,
            x: Ruler { ticks: slots.iter().enumerate().map(tick).collect(), ..Ruler::default() },
            y: self.quantity.ruler(&self.scale, self.room.height),
            marks: self.marks(slots, &places),
        }
    }

    /// The bars with what is said above them, and what they are compared with.
    fn marks(&self, slots: &[Slot], places: &Places) -> Vec<Mark> {
        let words = |row: &SummaryRow| self.quantity.words(row);
        let mut rows = slots.iter().flat_map(|slot| slot.bars.iter().flatten());
        let with_values = rows.all(|row| places.has_room_for(&words(row)));
        let mut marks = Vec::new();
        for (i, slot) in slots.iter().enumerate() {
            for (j, row) in slot.bars.iter().enumerate() {
                let Some(row) = row else { continue };
                let left = places.left(i, j);
                marks.extend(self.bar(row, left, places.bar));
                if with_values {
                    marks.push(self.value_label(row, left + places.bar / 2.0));
                }
            }
        }
        marks.extend(self.reference(places.width));
        marks
    }

    /// A bar with its whisker.
    fn bar(&self, row: &SummaryRow, left: f64, width: f64) -> Vec<Mark> {
        // Neighbours keep apart by a pixel or more.
        let inset = (width * 0.06).max(0.5);
        let style = self.study.style(&self.study.series(row));
        let top = (left + inset, self.pixel(self.quantity.value(row)));
        let mut marks = style.bar(top, (left + width - inset, self.room.height));
        if let Some((low, high)) = self.quantity.interval(row) {
            let cap = (width * 0.22).clamp(2.0, 7.0);
            let middle = left + width / 2.0;
            let (low, high) = (self.pixel(low), self.pixel(high));
            marks.extend(whisker(middle, low, high, cap, INK));
        }
        marks
    }

    /// The value in words, above the bar and its whisker.
    fn value_label(&self, row: &SummaryRow, x: f64) -> Mark {
        let y = self.pixel(self.quantity.top(row)) - 5.0;
        let label = Label::new(self.quantity.words(row), (x, y), VALUE, INK);
        Mark::Text(label.anchored(Anchor::Middle))
    }

    /// A line across all bars, over them.
    fn reference(&self, width: f64) -> Vec<Mark> {
        let Some(value) = self.quantity.reference() else {
            return Vec::new();
        };
        let y = self.pixel(value);
        dashes(&[(0.0, y), (width, y)], INK, 1)
    }

    fn pixel(&self, value: f64) -> f64 {
        self.room.height * (1.0 - self.scale.position(value))
    }
}
