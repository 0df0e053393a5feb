//! Slots of events in device memory, and the memory that the search needs.

use std::ops::Range;

use generators_lhcb::BankKind;
use generators_lhcb::geometry::MODULE_PAIRS;

use crate::kernels::velo_cuda_layers_h::{LAYER_BINS, LIST_MARGIN};
use crate::kernels::velo_cuda_pair_banks_h::PAIR_THREADS;
use crate::kernels::velo_cuda_pair_list_h::PHI_BINS;
use crate::velo::model::Hits;
use crate::velo::{Stage, VeloInput};

/// Hits of a pair of modules in shared memory: a block has several such lists.
const MAX_LIST_CAPACITY: usize = 1024;

/// Hits of a pair of modules in shared memory of the search of most events, of which it leaves enough for as
/// many blocks as there are registers.
const MAX_LAYER: usize = 1024;

/// Entries of an event's lists in addition to a share of its slots, as in `tracks.cu`.
const MIN_ENTRIES: usize = 64;

/// Slots of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// First slot of each event, and the end of the last one.
    pub(super) bases: Vec<u32>,
    /// Maximum of the slots of a pair of modules.
    pub(super) max_pair: usize,
    /// Maximum of the slots of an event.
    pub(super) max_event: usize,
    /// Maximum of the words, or hits, of a pair of modules.
    pub(super) max_words: usize,
    /// Words, or hits, of a pair of modules, of which most have fewer.
    pub(super) usual_words: usize,
    /// Pairs of modules that have more than usual, the smaller ones first.
    pub(super) large_pairs: Vec<LargePairs>,
}

/// Pairs of modules of a similar size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LargePairs {
    /// Hits, and words, of each in shared memory.
    pub(super) capacity: usize,
    /// Their indices among the pairs of modules of all events, event after event.
    pub(super) pairs: Vec<u32>,
}

impl LargePairs {
    /// Those of some events, as a range of the list.
    pub(super) fn of_events(&self, events: &Range<usize>) -> Range<usize> {
        let before = |event: usize| {
            self.pairs.partition_point(|pair| (*pair as usize) < MODULE_PAIRS * event)
        };
        before(events.start)..before(events.end)
    }
}

/// Memory of the search, which may turn out to be too little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capacity {
    /// Lists of an event have its slots divided by two to the power of this.
    pub(super) shift: u32,
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
        let mut layout = Layout { bases: vec![0], ..Layout::default() };
        let mut words_of_pairs = Vec::with_capacity(input.events.len() * MODULE_PAIRS);
        let mut end = 0;
        for event in input.events.iter() {
            let first = words_of_pairs.len();
            let pairs = event.banks_by_pair();
            words_of_pairs.extend(
                pairs.map(|banks| banks.iter().map(|bank| usize::from(bank.words)).sum::<usize>()),
            );
            let pairs = &words_of_pairs[first..];
            let slots = match event.format.kind {
                BankKind::SuperPixel => 2,
                BankKind::Retina => 1,
            };
            let words: usize = pairs.iter().sum();
            end += 2 * words;
            layout.bases.push(end as u32);
            layout.max_event = layout.max_event.max(slots * words);
            let max_words = pairs.iter().copied().max().unwrap_or(0);
            layout.max_pair = layout.max_pair.max(slots * max_words);
        }
        layout.with_words(&words_of_pairs)
    }

    fn for_hits(hits: &Hits) -> Self {
        let counts: Vec<usize> = hits.pairs.iter().map(|pair| pair.count as usize).collect();
        let max_pair = counts.iter().copied().max().unwrap_or(0);
        let of_events = counts.chunks(MODULE_PAIRS).map(|pairs| pairs.iter().sum());
        let max_event = of_events.max().unwrap_or(0);
        let bases = hits.offsets.clone();
        Layout { bases, max_pair, max_event, ..Layout::default() }.with_words(&counts)
    }

    /// Sets what follows from the numbers of words, or hits, of all pairs of modules.
    fn with_words(mut self, of_pairs: &[usize]) -> Self {
        let mean = of_pairs.iter().sum::<usize>() / of_pairs.len().max(1);
        self.max_words = of_pairs.iter().copied().max().unwrap_or(0);
        self.usual_words = in_steps(mean + mean / 2);
        let mut above = self.usual_words;
        for capacity in [in_steps(3 * mean), in_steps(self.max_words)] {
            let is_last = capacity >= in_steps(self.max_words);
            let belongs = |words: usize| words > above && (is_last || words <= capacity);
            let pairs = of_pairs.iter().enumerate().filter(|(_, words)| belongs(**words));
            let pairs: Vec<u32> = pairs.map(|(pair, _)| pair as u32).collect();
            if !pairs.is_empty() {
                self.large_pairs.push(LargePairs { capacity, pairs });
            }
            if is_last {
                break;
            }
            above = capacity;
        }
        self
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

    /// Launches of the search: of most events, then of those with large pairs of modules, if there may be any.
    pub(super) fn layers(&self) -> Vec<LayerRange> {
        let max = self.max_layer();
        let of_most = LayerRange { capacity: max.min(MAX_LAYER), min_hits: 0 };
        let of_others = LayerRange { capacity: max, min_hits: MAX_LAYER + 1 };
        if max > MAX_LAYER { vec![of_most, of_others] } else { vec![of_most] }
    }

    /// Hits that a pair of modules may have.
    fn max_layer(&self) -> usize {
        self.max_pair.next_multiple_of(32).max(32)
    }

    /// Bytes of shared memory of the search of an event in any case.
    pub(super) fn max_shared_bytes(&self) -> usize {
        LayerRange { capacity: self.max_layer(), min_hits: 0 }.shared_bytes()
    }

    /// Memory that is usually enough: few words make two hits, and few hits are on several tracks.
    pub(super) fn usual_capacity(&self) -> Capacity {
        Capacity { shift: 2, track_hits: 1 }
    }

    /// Memory that is enough for the search in any case.
    pub(super) fn max_capacity(&self, track_hits: usize) -> Capacity {
        Capacity { shift: 0, track_hits }
    }
}

/// Events of a launch of the search, by the largest number of hits of their pairs of modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LayerRange {
    /// Hits of a pair of modules in shared memory.
    pub(super) capacity: usize,
    /// Events with fewer are left out.
    pub(super) min_hits: usize,
}

/// Capacity of a list in shared memory for a number of hits or words: in steps, so that few are tried, and
/// limited.
fn in_steps(words: usize) -> usize {
    words.next_multiple_of(32).clamp(32, MAX_LIST_CAPACITY)
}

/// Bytes of shared memory of a block whose warps have a pair of modules each, as in `pair_list.h`.
pub(super) fn pair_shared_bytes(list_capacity: usize, lanes: u32) -> usize {
    let list = 24 * list_capacity + 4 * (PHI_BINS as usize + 4);
    (PAIR_THREADS / lanes) as usize * list
}

impl LayerRange {
    /// Bytes of shared memory of the search of an event, as in `layers.h` and `tracks.cu`.
    pub(super) fn shared_bytes(&self) -> usize {
        let words = self.capacity / 32;
        let bits = 8 * (words + 1) + 4;
        let bins = 2 * (LAYER_BINS as usize + 2);
        let layer = bits + bins + 4 * self.capacity + 4 * LIST_MARGIN as usize;
        let used = 4 * MODULE_PAIRS * words;
        3 * layer.next_multiple_of(16) + used.next_multiple_of(16)
    }
}
