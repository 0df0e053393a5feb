//! The tables of boards in plain arrays, and lookups in them.
//!
//! Lookups for every message use the index of a board and an e-link, or a table of all values that
//! follow from a hit's own bits.

use std::ops::Range;

use bytemuck::Zeroable;
use generators_sts::MAX_TIME_NS;
use generators_sts::raw::clock::{EPOCH_NS, TICKS_PER_EPOCH, ns_of};
use generators_sts::raw::{ASIC_CHANNELS, ELINKS, Readout, Rules};

use super::exact::{ADC_VALUES, Link};

/// The tables of all boards by some rules.
pub(crate) struct Tables {
    /// Equipment ids in ascending order.
    boards: Vec<u16>,
    /// [`ELINKS`] for each board; those after a board's last one are unused.
    links: Vec<Link>,
    /// Number of e-links of each board.
    counts: Vec<u32>,
    lookup: Lookup,
}

/// The tables of one board.
#[derive(Clone, Copy)]
pub(crate) struct Board<'t> {
    /// Its e-links.
    pub(crate) links: &'t [Link],
    /// Epochs in which lookups are exact.
    pub(crate) window: Window,
    /// Correction of times in ns, by e-link and charge.
    pub(crate) times: &'t [i32; ELINKS * ADC_VALUES],
    /// Upper halves of digis without charge, by e-link and channel.
    pub(crate) channels: &'t [u32; ELINKS * ASIC_CHANNELS as usize],
}

impl Tables {
    pub(crate) fn new(readout: &Readout, rules: Rules) -> Self {
        let known = |&board: &u16| Some((board, readout.links(rules, board)?));
        let known: Vec<_> = readout.boards().keys().filter_map(known).collect();
        let mut tables = Tables {
            boards: known.iter().map(|(board, _)| *board).collect(),
            links: Vec::with_capacity(known.len() * ELINKS),
            counts: known.iter().map(|(_, links)| links.len() as u32).collect(),
            lookup: Lookup::default(),
        };
        for (_, links) in &known {
            let first = tables.links.len();
            tables.links.extend(links.iter().map(|link| Link::new(link, rules)));
            tables.lookup.push(&tables.links[first..]);
            tables.links.resize(first + ELINKS, Link::zeroed());
        }
        tables
    }

    /// Index of the board with this equipment identifier.
    pub(crate) fn board_index(&self, equipment: u16) -> Option<u32> {
        self.boards.binary_search(&equipment).ok().map(|index| index as u32)
    }

    /// The tables of all boards, by index.
    pub(crate) fn all(&self) -> impl Iterator<Item = Board<'_>> {
        (0..self.boards.len() as u32).map(|board| self.board(board))
    }

    /// The tables of a board.
    pub(crate) fn board(&self, board: u32) -> Board<'_> {
        let board = board as usize;
        let links = &self.links[board * ELINKS..][..self.counts[board] as usize];
        let (window, times, channels) = self.lookup.board(board);
        Board { links, window, times, channels }
    }
}

// For nearly all hits the time is a sum of three numbers of 32 bits: the begin of the epoch, the
// ticks, and a correction that depends only on e-link and charge. This holds
//
// - in epochs whose hits are all in the range of digis, whatever their correction is,
// - if a correction that is not an integer is never rounded up to the next one by the sum,
// - if charges are ADC values.
//
// The others are computed by [`exact`](super::exact).

/// Instead of a time: the hit is dropped without a word.
pub(crate) const UNWANTED: i32 = i32::MIN;
/// Marks an unknown e-link instead of a correction. Greater values are corrections.
pub(crate) const UNKNOWN_ELINK: i32 = i32::MIN + 1;

/// In the upper half of a digi, where charges go: the channel is masked.
pub(crate) const MASKED: u32 = 1 << 1;
/// Also there: the highest bit of the address, which becomes the top bit of the lower half.
pub(crate) const ADDRESS_HIGH: u32 = 1;

/// Bound of the absolute value of corrections, so that sums do not wrap.
const MAX_CORRECTION: f64 = (1 << 30) as f64;
/// Fractions up to 1 minus this are not rounded up: sums are below 2³¹, with 53 bits.
const HALF_STEP: f64 = 1.0 / (1 << 23) as f64;

/// Epochs in which all hits are in range, by the times in ns at which they begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    begin: u64,
    end: u64,
}

impl Window {
    /// True if all hits of an epoch are in range.
    #[inline]
    pub(crate) fn has(self, begin_of_epoch: u64) -> bool {
        (self.begin..self.end).contains(&begin_of_epoch)
    }

    /// The range in epochs counted from that in which the timeslice starts, as long as nothing
    /// wraps.
    pub(crate) fn epochs(self) -> Range<u32> {
        let [begin, end] = [self.begin, self.end].map(|ns| ns.div_ceil(EPOCH_NS) as u32);
        begin..end
    }
}

/// The tables of all boards.
#[derive(Default)]
pub(super) struct Lookup {
    windows: Vec<Window>,
    times: Vec<[i32; ELINKS * ADC_VALUES]>,
    channels: Vec<[u32; ELINKS * ASIC_CHANNELS as usize]>,
}

impl Lookup {
    /// Adds the tables of a board with these e-links.
    pub(super) fn push(&mut self, links: &[Link]) {
        let mut times = [UNKNOWN_ELINK; ELINKS * ADC_VALUES];
        let mut channels = [0; ELINKS * ASIC_CHANNELS as usize];
        for (elink, link) in links.iter().enumerate() {
            for adc in 0..ADC_VALUES {
                let correction = correction(link, adc).unwrap_or(0);
                let is_wanted = adc > link.cut as usize;
                times[elink * ADC_VALUES + adc] = if is_wanted { correction } else { UNWANTED };
            }
            for channel in 0..ASIC_CHANNELS {
                let index = elink * usize::from(ASIC_CHANNELS) + usize::from(channel);
                channels[index] = upper_half(link, channel);
            }
        }
        self.windows.push(window(links).unwrap_or_default());
        self.times.push(times);
        self.channels.push(channels);
    }

    pub(super) fn board(
        &self,
        board: usize,
    ) -> (Window, &[i32; ELINKS * ADC_VALUES], &[u32; ELINKS * ASIC_CHANNELS as usize]) {
        (self.windows[board], &self.times[board], &self.channels[board])
    }
}

/// Correction of the time of a hit, in ns, if it can be looked up.
fn correction(link: &Link, adc: usize) -> Option<i32> {
    let walk = if (1..=link.walks as usize).contains(&adc) { link.walk_ns[adc - 1] } else { 0.0 };
    let correction = walk.floor() - link.time_offset as i64 as f64;
    let is_exact = walk - walk.floor() < 1.0 - HALF_STEP;
    (is_exact && correction.abs() < MAX_CORRECTION).then_some(correction as i32)
}

fn upper_half(link: &Link, channel: u8) -> u32 {
    let channel_bits = u32::from(link.channels[usize::from(channel)]) << 5;
    let low = (link.address >> 32) as u32;
    let high = if link.address as u32 >> 31 == 1 { ADDRESS_HIGH } else { 0 };
    let masked = if link.is_masked(channel) { MASKED } else { 0 };
    low | channel_bits | high | masked
}

/// When epochs begin of which all hits can be looked up, if there are any.
fn window(links: &[Link]) -> Option<Window> {
    let mut min = 0;
    let mut max = 0;
    for link in links {
        for adc in link.cut as usize + 1..ADC_VALUES {
            let correction = i64::from(correction(link, adc)?);
            (min, max) = (correction.min(min), correction.max(max));
            if usize::from(link.charges[adc]) != adc {
                return None;
            }
        }
    }
    let last_tick = ns_of(TICKS_PER_EPOCH - 1) as i64;
    let end = i64::from(MAX_TIME_NS) + 1 - last_tick - max;
    Some(Window { begin: (-min) as u64, end: end as u64 })
}
