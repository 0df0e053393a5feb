//! The tables of boards in plain arrays.
//!
//! Lookups for every message use the index of a board and an e-link, or a table of all values that
//! follow from a hit's own bits: see `lookup`.

use std::iter::zip;

use bytemuck::{Pod, Zeroable};
use generators::sts::raw::{ASIC_CHANNELS, ELINKS, Readout, Rules};
use generators::sts::{Address, Digi, MAX_ADC};

use super::lookup::{Lookup, Window};

/// ADC values: five bits.
pub(crate) const ADC_VALUES: usize = MAX_ADC as usize + 1;

/// Readout of an e-link.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Link {
    /// Its digis have these bits.
    pub(crate) address: u64,
    /// Subtracted from times, in ns; it wraps.
    pub(crate) time_offset: u64,
    /// Added to times, in ns, from ADC value 1 on.
    pub(crate) walk_ns: [f64; ADC_VALUES],
    /// Number of ADC values with a correction of the time.
    pub(crate) walks: u32,
    /// Charges up to this are dropped.
    pub(crate) cut: u32,
    /// A bit for each channel, set if its hits are dropped.
    pub(crate) masked: [u32; 4],
    /// Charges of ADC values.
    pub(crate) charges: [u16; ADC_VALUES],
    /// Channels in the module.
    pub(crate) channels: [u16; ASIC_CHANNELS as usize],
}

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

impl Link {
    fn new(link: &generators::sts::raw::Link<'_>, rules: Rules) -> Self {
        let generators::sts::raw::Link { elink, walk_ns } = link;
        let walks = walk_ns.len().min(ADC_VALUES - 1);
        let mut all = Link {
            address: Digi::new(Address::of_full(elink.address), 0, 0, 0).bits(),
            time_offset: i64::from(elink.time_offset_ns) as u64,
            walks: walks as u32,
            cut: elink.adc_min_cut.into(),
            masked: [0, 1, 2, 3].map(|word| (elink.masked >> (32 * word)) as u32),
            ..Link::zeroed()
        };
        all.walk_ns[..walks].copy_from_slice(&walk_ns[..walks]);
        for (adc, charge) in (1..).zip(&mut all.charges[1..]) {
            *charge = elink.charge(adc);
        }
        for (channel, index) in zip(0.., &mut all.channels) {
            *index = rules.channel(elink.asic, channel);
        }
        all
    }

    /// True if hits of a channel are dropped.
    #[inline]
    pub(crate) fn is_masked(&self, channel: u8) -> bool {
        self.masked[usize::from(channel / 32)] >> (channel % 32) & 1 == 1
    }
}
