//! The tables of boards in plain arrays.
//!
//! Lookups for every message use the index of a board and an e-link, or a table of all values that
//! follow from a hit's own bits: see `lookup`.

use bytemuck::Zeroable;
use generators::sts::raw::{ASIC_CHANNELS, ELINKS, Readout, Rules};

use super::link::{ADC_VALUES, Link};
use super::lookup::{Lookup, Window};

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
