//! Slots of events in device memory, and the memory that the search needs.

use generators_lhcb::BankKind;
use generators_lhcb::geometry::MODULE_PAIRS;

use crate::velo::model::Hits;
use crate::velo::{Stage, VeloInput};

/// Entries of an event's lists in addition to a share of its slots, as in `tracks.cu`.
const MIN_ENTRIES: usize = 64;

/// Slots of events.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// First slot of each event, and the end of the last one.
    pub(super) bases: Vec<u32>,
    /// Maximum of the slots of a pair of modules.
    pub(super) max_pair: usize,
    /// Maximum of the slots of an event.
    pub(super) max_event: usize,
}

/// Memory of the search, which may turn out to be too little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capacity {
    /// Lists of an event have its slots divided by two to the power of this.
    pub(super) shift: u32,
    /// Hits of a pair of modules in shared memory.
    pub(super) layer: usize,
    /// Hits of tracks for each slot.
    pub(super) track_hits: usize,
}

impl Layout {
    /// Slots of the hits that a stage starts from: of raw banks two for each word.
    pub(super) fn new(input: &VeloInput, stage: Stage) -> Self {
        match stage {
            Stage::Sort => Layout::for_hits(input.unsorted()),
            Stage::Tracks => Layout::for_hits(input.sorted()),
            Stage::Clusters | Stage::Decode | Stage::Chain => Layout::for_banks(input),
        }
    }

    fn for_banks(input: &VeloInput) -> Self {
        let mut layout = Layout { bases: vec![0], max_pair: 0, max_event: 0 };
        let mut end = 0;
        for event in input.events.iter() {
            let pairs = event.banks_by_pair();
            let pairs: Vec<usize> =
                pairs.map(|banks| banks.iter().map(|bank| usize::from(bank.words)).sum()).collect();
            let words: usize = pairs.iter().sum();
            let slots = match event.format.kind {
                BankKind::SuperPixel => 2,
                BankKind::Retina => 1,
            };
            end += 2 * words;
            layout.bases.push(end as u32);
            let max_pair = pairs.iter().max().map_or(0, |words| slots * words);
            layout.max_pair = layout.max_pair.max(max_pair);
            layout.max_event = layout.max_event.max(slots * words);
        }
        layout
    }

    fn for_hits(hits: &Hits) -> Self {
        let counts = hits.pairs.iter().map(|pair| pair.count as usize);
        let events = hits.pairs.chunks(MODULE_PAIRS);
        let of_event = |pairs: &[crate::velo::model::PairRange]| {
            pairs.iter().map(|pair| pair.count as usize).sum()
        };
        Layout {
            bases: hits.offsets.clone(),
            max_pair: counts.max().unwrap_or(0),
            max_event: events.map(of_event).max().unwrap_or(0),
        }
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> usize {
        self.bases.last().map_or(0, |end| *end as usize)
    }

    /// Number of events.
    pub(super) fn events(&self) -> usize {
        self.bases.len() - 1
    }

    /// Entries of one list of all events.
    pub(super) fn entries(&self, capacity: &Capacity) -> usize {
        (self.slots() >> capacity.shift) + MIN_ENTRIES * (self.events() + 1)
    }

    /// Words of the bits of the used hits of an event.
    pub(super) fn used_words(&self) -> usize {
        self.max_event.div_ceil(32)
    }

    /// Bytes of shared memory of the search.
    pub(super) fn shared_bytes(&self, capacity: &Capacity) -> usize {
        3 * LAYER_BYTES * capacity.layer + 4 * self.used_words()
    }

    /// Memory that is usually enough: few words make two hits, and few hits are on several tracks.
    pub(super) fn usual_capacity(&self) -> Capacity {
        Capacity { shift: 2, layer: self.max_pair.div_ceil(2).next_multiple_of(8), track_hits: 1 }
    }

    /// Memory that is enough for the search in any case.
    pub(super) fn max_capacity(&self, track_hits: usize) -> Capacity {
        Capacity { shift: 0, layer: self.max_pair.next_multiple_of(8), track_hits }
    }
}

/// Bytes of a hit in shared memory.
const LAYER_BYTES: usize = 16;
