//! Slots of events in device memory, and the memory that the search needs.

use generators_lhcb::BankKind;
use generators_lhcb::geometry::MODULE_PAIRS;

use crate::kernels::velo_cuda_layers_h::{LAYER_BINS, LIST_MARGIN};
use crate::kernels::velo_cuda_pair_banks_h::PAIR_THREADS;
use crate::kernels::velo_cuda_pair_list_h::PHI_BINS;
use crate::velo::model::Hits;
use crate::velo::{Stage, VeloInput};

/// Hits of a pair of modules in shared memory: a block has several such lists.
const MAX_LIST_CAPACITY: usize = 1024;

/// Entries of an event's lists in addition to a share of its slots, as in `tracks.cu`.
const MIN_ENTRIES: usize = 64;

/// Slots of events.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// First slot of each event, and the end of the last one.
    pub(super) bases: Vec<u32>,
    /// Maximum of the slots of a pair of modules.
    pub(super) max_pair: usize,
    /// Maximum of the words, or hits, of a pair of modules.
    pub(super) max_words: usize,
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
        let mut layout = Layout { bases: vec![0], max_pair: 0, max_words: 0 };
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
            let max_words = pairs.into_iter().max().unwrap_or(0);
            layout.max_words = layout.max_words.max(max_words);
            layout.max_pair = layout.max_pair.max(slots * max_words);
        }
        layout
    }

    fn for_hits(hits: &Hits) -> Self {
        let counts = hits.pairs.iter().map(|pair| pair.count as usize);
        let max_pair = counts.max().unwrap_or(0);
        Layout { bases: hits.offsets.clone(), max_pair, max_words: max_pair }
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

    /// Hits, and words, of a pair of modules that kernels keep in shared memory.
    pub(super) fn list_capacity(&self) -> usize {
        self.max_words.next_multiple_of(32).clamp(32, MAX_LIST_CAPACITY)
    }

    /// Bytes of shared memory of a block whose warps have a pair of modules each, as in `pair_list.h` and
    /// `clusters.cu`.
    pub(super) fn pair_shared_bytes(&self, lanes: u32) -> usize {
        let list = 24 * self.list_capacity() + 4 * (PHI_BINS as usize + 4);
        let words = 4 * self.list_capacity();
        (PAIR_THREADS / lanes) as usize * (list + words)
    }

    /// Memory that is usually enough: few words make two hits, and few hits are on several tracks.
    pub(super) fn usual_capacity(&self) -> Capacity {
        Capacity { shift: 2, layer: self.max_words.next_multiple_of(32), track_hits: 1 }
    }

    /// Memory that is enough for the search in any case.
    pub(super) fn max_capacity(&self, track_hits: usize) -> Capacity {
        Capacity { shift: 0, layer: self.max_pair.next_multiple_of(32), track_hits }
    }
}

impl Capacity {
    /// Bytes of shared memory of the search of an event, as in `layers.h` and `tracks.cu`.
    pub(super) fn shared_bytes(&self) -> usize {
        let words = self.layer / 32;
        let bits = 8 * (words + 1) + 4;
        let bins = 2 * (LAYER_BINS as usize + 2);
        let layer = bits + bins + 4 * self.layer + 4 * LIST_MARGIN as usize;
        let used = 4 * MODULE_PAIRS * words;
        3 * layer.next_multiple_of(16) + used.next_multiple_of(16)
    }
}
