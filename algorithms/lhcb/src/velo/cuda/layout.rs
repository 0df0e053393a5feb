//! Slots of events in device memory, and the memory that the search needs.

use std::ops::Range;

use generators_lhcb::BankKind;
use generators_lhcb::geometry::MODULE_PAIRS;

use crate::kernels::velo_cuda_layers_h::{LAYER_BINS, LIST_MARGIN};
use crate::kernels::velo_cuda_pair_banks_h::PAIR_THREADS;
use crate::kernels::velo_cuda_pair_list_h::PHI_BINS;
use crate::kernels::velo_tracks::LargeEvent;
use crate::velo::model::Hits;
use crate::velo::{Stage, VeloInput};

/// Hits of a pair of modules in shared memory: a block has several such lists.
const MAX_LIST_CAPACITY: usize = 1024;

/// Hits of a pair of modules in shared memory of the search of most events, of which it leaves enough for as
/// many blocks as there are registers.
const MAX_LAYER: usize = 1024;

/// Hits of a pair of modules whose lists have indices of 16 bits: from minus their number up to twice that.
const MAX_SHORT_LAYER: usize = 1 << 14;

/// Entries of an event's lists in addition to a share of its slots, as in `tracks.cu`.
const MIN_ENTRIES: usize = 64;

/// Slots of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// First slot of each event, and the end of the last one.
    pub(super) bases: Vec<u32>,
    /// Of each event the maximum of the slots of a pair of modules.
    pub(super) max_pairs: Vec<usize>,
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
            layout.max_pairs.push(slots * max_words);
        }
        layout.with_words(&words_of_pairs)
    }

    fn for_hits(hits: &Hits) -> Self {
        let counts: Vec<usize> = hits.pairs.iter().map(|pair| pair.count as usize).collect();
        let events = || counts.chunks(MODULE_PAIRS);
        let max_pairs = events().map(|pairs| pairs.iter().copied().max().unwrap_or(0)).collect();
        let max_event = events().map(|pairs| pairs.iter().sum()).max().unwrap_or(0);
        let bases = hits.offsets.clone();
        Layout { bases, max_pairs, max_event, ..Layout::default() }.with_words(&counts)
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

    /// Memory that is usually enough: few words make two hits, and few hits are on several tracks.
    pub(super) fn usual_capacity(&self) -> Capacity {
        Capacity { shift: 2, track_hits: 1 }
    }

    /// Memory that is enough for the search in any case.
    pub(super) fn max_capacity(&self, track_hits: usize) -> Capacity {
        Capacity { shift: 0, track_hits }
    }
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

/// Launches of the search: each finds the tracks of events that the ones before it leave out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SearchPlan {
    /// With lists in shared memory: of most events, then of those with large pairs of modules.
    pub(super) shared: Vec<LayerRange>,
    /// Events that may have more hits in a pair of modules than shared memory holds.
    pub(super) large: LargeEvents,
}

/// Events of a launch with lists in shared memory, by the largest number of hits of their pairs of modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LayerRange {
    /// Hits of a pair of modules in shared memory.
    pub(super) capacity: usize,
    /// Events with fewer are left out.
    pub(super) min_hits: usize,
}

/// Events whose lists have memory on the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LargeEvents {
    /// By ascending index.
    pub(super) events: Vec<LargeEvent>,
    /// Events without a pair of modules of this number of hits are left out.
    pub(super) min_hits: usize,
    /// Memory of all of them.
    pub(super) bytes: usize,
}

impl SearchPlan {
    /// Launches for events of a layout, with this shared memory for each block.
    pub(super) fn new(layout: &Layout, shared_bytes: usize) -> Self {
        let max = layout.max_pairs.iter().copied().max().unwrap_or(0);
        let capacity = in_words(max).min(max_shared_capacity(shared_bytes));
        let of_most = LayerRange { capacity: capacity.min(MAX_LAYER), min_hits: 0 };
        let of_others = LayerRange { capacity, min_hits: MAX_LAYER + 1 };
        let launches = if capacity > MAX_LAYER { 2 } else { 1 };
        SearchPlan {
            shared: [of_most, of_others][..launches].to_vec(),
            large: LargeEvents::new(layout, capacity + 1),
        }
    }
}

impl LargeEvents {
    fn new(layout: &Layout, min_hits: usize) -> Self {
        let mut large = LargeEvents { min_hits, ..LargeEvents::default() };
        for (event, max_pair) in layout.max_pairs.iter().enumerate() {
            if *max_pair >= min_hits {
                let capacity = in_words(*max_pair);
                large.events.push(LargeEvent {
                    event: event as u32,
                    capacity: capacity as u32,
                    offset: (large.bytes / LISTS_ALIGNMENT) as u32,
                });
                large.bytes += search_bytes(capacity, size_of::<i32>());
            }
        }
        large
    }

    /// Those of a batch, as a range of the list.
    pub(super) fn of_batch(&self, batch: &Range<usize>) -> Range<usize> {
        let before =
            |event: usize| self.events.partition_point(|large| (large.event as usize) < event);
        before(batch.start)..before(batch.end)
    }
}

impl LayerRange {
    /// Bytes of shared memory of the search of an event.
    pub(super) fn shared_bytes(&self) -> usize {
        search_bytes(self.capacity, size_of::<i16>())
    }
}

/// Hits of a pair of modules for which shared memory is enough.
fn max_shared_capacity(shared_bytes: usize) -> usize {
    let fits = |capacity: &usize| search_bytes(*capacity, size_of::<i16>()) <= shared_bytes;
    (32..=MAX_SHORT_LAYER).step_by(32).take_while(fits).last().unwrap_or(32)
}

/// A number of hits rounded up to whole words of bits, at least one.
fn in_words(hits: usize) -> usize {
    hits.next_multiple_of(32).max(32)
}

/// Alignment of the lists of an event.
const LISTS_ALIGNMENT: usize = 16;

/// Bytes of the lists of the search of an event with indices of this size, as in `layers.h` and `tracks.cu`.
fn search_bytes(capacity: usize, index_bytes: usize) -> usize {
    let words = capacity / 32;
    let bits = 8 * (words + 1) + 4;
    let bins = index_bytes * (LAYER_BINS as usize + 2);
    let unused = index_bytes * (capacity + 2 * LIST_MARGIN as usize);
    let layer = bits + bins + 2 * capacity + unused;
    let used = 4 * MODULE_PAIRS * words;
    3 * layer.next_multiple_of(LISTS_ALIGNMENT) + used.next_multiple_of(LISTS_ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(max_pairs: &[usize]) -> SearchPlan {
        let layout = Layout { max_pairs: max_pairs.to_vec(), ..Layout::default() };
        SearchPlan::new(&layout, 225 << 10)
    }

    #[test]
    fn usual_events_need_one_launch() {
        let SearchPlan { shared, large } = plan(&[100, 30]);
        assert_eq!(shared, [LayerRange { capacity: 128, min_hits: 0 }]);
        assert_eq!((large.events.len(), large.bytes), (0, 0));
        assert_eq!(plan(&[]).shared, [LayerRange { capacity: 32, min_hits: 0 }]);
    }

    #[test]
    fn larger_pairs_have_more_shared_memory() {
        let SearchPlan { shared, large } = plan(&[100, 5000]);
        let of_most = LayerRange { capacity: MAX_LAYER, min_hits: 0 };
        assert_eq!(shared, [of_most, LayerRange { capacity: 5024, min_hits: MAX_LAYER + 1 }]);
        assert!(large.events.is_empty());
    }

    #[test]
    fn pairs_that_exceed_shared_memory_have_memory_of_their_own() {
        let SearchPlan { shared, large } = plan(&[20_000, 100, 70_000]);
        let max = shared[1].capacity;
        assert!((14_000..15_000).contains(&max), "{max}");
        assert!(shared[1].shared_bytes() <= 225 << 10);
        assert_eq!(large.min_hits, max + 1);
        let capacities: Vec<_> = large.events.iter().map(|of| (of.event, of.capacity)).collect();
        assert_eq!(capacities, [(0, 20_000), (2, 70_016)]);
        assert_eq!(large.events[1].offset as usize * LISTS_ALIGNMENT, search_bytes(20_000, 4));
        assert_eq!([large.of_batch(&(0..1)), large.of_batch(&(1..3))], [0..1, 1..2]);
    }

    #[test]
    fn indices_of_16_bits_limit_the_shared_memory() {
        assert_eq!(max_shared_capacity(1 << 20), MAX_SHORT_LAYER);
    }
}
