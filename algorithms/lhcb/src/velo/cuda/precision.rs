//! Positions of hits as numbers of 32 bits, or of 16 as the experiment keeps them on a GPU.

use bytemuck::Pod;
use half::f16;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use super::layout::LayerRange;
use crate::kernels::velo_clusters::{
    FindClusters, FindHalfClusters, VELO_FIND_CLUSTERS, VELO_FIND_HALF_CLUSTERS,
    VELO_FIND_HALF_HITS, VELO_FIND_HITS,
};
use crate::kernels::velo_consolidate::{
    Consolidate, ConsolidateHalf, TrackOffsets, VELO_CONSOLIDATE, VELO_CONSOLIDATE_HALF,
};
use crate::kernels::velo_cuda_event_h::{self as event_h, Events, HalfArrays, HitArrays, PairHits};
use crate::kernels::velo_cuda_tracks_h::TrackCounts;
use crate::kernels::velo_cuda_window_h::Pattern;
use crate::kernels::velo_decode::{
    DecodeClusters, DecodeHalfClusters, VELO_DECODE_CLUSTERS, VELO_DECODE_HALF_CLUSTERS,
};
use crate::kernels::velo_sort::{SortHalfHits, SortHits, VELO_SORT_HALF_HITS, VELO_SORT_HITS};
use crate::kernels::velo_tracks::{
    Entry, FindHalfTracks, FindHalfTracksInMemory, FindTracks, FindTracksInMemory, LargeEvent,
    VELO_FIND_HALF_TRACKS, VELO_FIND_HALF_TRACKS_IN_MEMORY, VELO_FIND_TRACKS,
    VELO_FIND_TRACKS_IN_MEMORY,
};
use crate::velo::model::Hit;
use tasks::device::Buffers;

/// Arrays of hits on the device.
pub(super) struct DeviceHits<P: Precision> {
    pub(super) hits: DeviceBuffer<P::Hit>,
    pub(super) phi: DeviceBuffer<i16>,
}

impl<P: Precision> DeviceHits<P> {
    pub(super) fn new(gpu: &Gpu, slots: usize) -> Result<Self, DeviceError> {
        Ok(DeviceHits { hits: gpu.buffer(slots)?, phi: gpu.buffer(slots)? })
    }
}

impl<P: Precision> Buffers for DeviceHits<P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.hits.poison()?;
        self.phi.poison()
    }

    fn bytes(&self) -> u64 {
        Buffers::bytes(&self.hits) + Buffers::bytes(&self.phi)
    }
}

/// Arguments of the kernels that find hits in raw banks.
pub(super) struct RawArguments<A> {
    pub(super) events: Events,
    pub(super) patterns: Ptr<Pattern>,
    pub(super) unsorted: A,
    pub(super) sorted: A,
    pub(super) pairs: Ptr<PairHits>,
    pub(super) list_capacity: u32,
    pub(super) max_words: u32,
    pub(super) pair_count: u32,
    pub(super) selected: Ptr<u32>,
}

/// Arguments of the kernels that sort hits.
pub(super) struct SortArguments<A> {
    pub(super) from: A,
    pub(super) to: A,
    pub(super) pairs: Ptr<PairHits>,
    pub(super) first_event: u32,
    pub(super) list_capacity: u32,
    pub(super) max_hits: u32,
    pub(super) pair_count: u32,
    pub(super) selected: Ptr<u32>,
}

/// Arguments of the search.
pub(super) struct SearchArguments<A> {
    pub(super) events: Events,
    pub(super) pairs: Ptr<PairHits>,
    pub(super) hits: A,
    pub(super) entries: Ptr<Entry>,
    pub(super) tracks: Ptr<u32>,
    pub(super) lengths: Ptr<u32>,
    pub(super) three_hit: Ptr<u32>,
    pub(super) counts: Ptr<TrackCounts>,
    pub(super) shift: u32,
}

/// Memory of the search in events whose lists are too long for shared memory.
pub(super) struct LargeSearch {
    pub(super) events: Ptr<LargeEvent>,
    pub(super) layers: Ptr<u8>,
    /// Events without a pair of modules of this number of hits are left out.
    pub(super) min_hits: usize,
}

/// Arguments of the consolidation, with those of the search whose results it reads.
pub(super) struct ConsolidateArguments<A, N> {
    pub(super) search: SearchArguments<A>,
    pub(super) offsets: Ptr<TrackOffsets>,
    pub(super) track_lengths: Ptr<u8>,
    pub(super) ids: Ptr<u32>,
    pub(super) slots: Ptr<u32>,
    pub(super) x: Ptr<N>,
    pub(super) y: Ptr<N>,
    pub(super) z: Ptr<N>,
}

/// Type of the coordinates of hits, with the kernels for it.
///
/// # Safety of the launches
/// Arrays have an element for each slot of each event.
pub(super) trait Precision: Sized + Send + Sync + 'static {
    /// A coordinate.
    type Number: Pod + Default + Send + Sync;
    /// A hit in device memory.
    type Hit: Pod + Default + Send + Sync;
    /// Pointers to arrays of hits, as kernels take them.
    type Arrays: Copy;

    fn arrays(hits: &DeviceHits<Self>) -> Self::Arrays;
    fn to_f32(number: Self::Number) -> f32;
    /// A hit for the device; its angle is stored apart.
    fn to_device(hit: &Hit) -> Self::Hit;
    /// A hit of the device, with its angle.
    fn from_device(hit: &Self::Hit, phi: i16) -> Hit;
    unsafe fn find_clusters(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: RawArguments<Self::Arrays>,
    ) -> Result<(), DeviceError>;
    unsafe fn find_hits(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: RawArguments<Self::Arrays>,
    ) -> Result<(), DeviceError>;
    unsafe fn decode(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: RawArguments<Self::Arrays>,
    ) -> Result<(), DeviceError>;
    unsafe fn sort(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: SortArguments<Self::Arrays>,
    ) -> Result<(), DeviceError>;
    unsafe fn find_tracks(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: SearchArguments<Self::Arrays>,
        layers: LayerRange,
    ) -> Result<(), DeviceError>;
    unsafe fn find_tracks_in_memory(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: SearchArguments<Self::Arrays>,
        large: LargeSearch,
    ) -> Result<(), DeviceError>;
    unsafe fn consolidate(
        gpu: &Gpu,
        grid: LaunchConfig,
        arguments: ConsolidateArguments<Self::Arrays, Self::Number>,
    ) -> Result<(), DeviceError>;
}

/// Positions of 32 bits.
pub(super) struct Single;
/// Positions of 16 bits.
pub(super) struct Half;

macro_rules! precision {
    (
        $precision:ident, $number:ty, $hit:ident, $arrays:ident, $to_f32:expr, $to_device:expr,
        clusters: $find_clusters:ident by $find_clusters_kernel:ident, $find_hits_kernel:ident,
        decode: $decode:ident by $decode_kernel:ident,
        sort: $sort:ident by $sort_kernel:ident,
        tracks: $tracks:ident by $tracks_kernel:ident,
        in memory: $in_memory:ident by $in_memory_kernel:ident,
        consolidate: $consolidate:ident by $consolidate_kernel:ident,
    ) => {
        impl SearchArguments<$arrays> {
            fn with(self, layers: LayerRange) -> $tracks {
                $tracks {
                    events: self.events,
                    pairs: self.pairs,
                    hits: self.hits,
                    entries: self.entries,
                    tracks: self.tracks,
                    lengths: self.lengths,
                    three_hit: self.three_hit,
                    counts: self.counts,
                    shift: self.shift,
                    layer_capacity: layers.capacity as u32,
                    min_hits: layers.min_hits as u32,
                }
            }
        }

        impl RawArguments<$arrays> {
            fn of_super_pixels(self) -> $find_clusters {
                $find_clusters {
                    events: self.events,
                    patterns: self.patterns,
                    unsorted: self.unsorted,
                    sorted: self.sorted,
                    pairs: self.pairs,
                    list_capacity: self.list_capacity,
                    max_words: self.max_words,
                    pair_count: self.pair_count,
                    selected: self.selected,
                }
            }
        }

        impl Precision for $precision {
            type Number = $number;
            type Hit = event_h::$hit;
            type Arrays = $arrays;

            fn arrays(hits: &DeviceHits<Self>) -> $arrays {
                $arrays { hits: hits.hits.ptr(), phi: hits.phi.ptr() }
            }

            fn to_f32(number: $number) -> f32 {
                $to_f32(number)
            }

            fn to_device(hit: &Hit) -> Self::Hit {
                $to_device(hit)
            }

            fn from_device(hit: &Self::Hit, phi: i16) -> Hit {
                let position = [hit.x, hit.y, hit.z].map(Self::to_f32);
                Hit { id: hit.id, position, phi }
            }

            unsafe fn find_clusters(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = arguments.of_super_pixels();
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$find_clusters_kernel, grid, arguments) }
            }

            unsafe fn find_hits(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = arguments.of_super_pixels();
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$find_hits_kernel, grid, arguments) }
            }

            unsafe fn decode(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = $decode {
                    events: arguments.events,
                    unsorted: arguments.unsorted,
                    sorted: arguments.sorted,
                    pairs: arguments.pairs,
                    list_capacity: arguments.list_capacity,
                    max_words: arguments.max_words,
                    pair_count: arguments.pair_count,
                    selected: arguments.selected,
                };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$decode_kernel, grid, arguments) }
            }

            unsafe fn sort(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: SortArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = $sort {
                    from: arguments.from,
                    to: arguments.to,
                    pairs: arguments.pairs,
                    first_event: arguments.first_event,
                    list_capacity: arguments.list_capacity,
                    max_hits: arguments.max_hits,
                    pair_count: arguments.pair_count,
                    selected: arguments.selected,
                };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$sort_kernel, grid, arguments) }
            }

            unsafe fn find_tracks(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: SearchArguments<$arrays>,
                layers: LayerRange,
            ) -> Result<(), DeviceError> {
                let arguments = arguments.with(layers);
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$tracks_kernel, grid, arguments) }
            }

            unsafe fn find_tracks_in_memory(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: SearchArguments<$arrays>,
                large: LargeSearch,
            ) -> Result<(), DeviceError> {
                let LargeSearch { events, layers, min_hits } = large;
                let search = arguments.with(LayerRange { capacity: 0, min_hits });
                let arguments = $in_memory { search, large: events, layers };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$in_memory_kernel, grid, arguments) }
            }

            unsafe fn consolidate(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: ConsolidateArguments<$arrays, $number>,
            ) -> Result<(), DeviceError> {
                let search = arguments.search;
                let arguments = $consolidate {
                    events: search.events,
                    pairs: search.pairs,
                    hits: search.hits,
                    tracks: search.tracks,
                    lengths: search.lengths,
                    three_hit: search.three_hit,
                    counts: search.counts,
                    offsets: arguments.offsets,
                    track_lengths: arguments.track_lengths,
                    ids: arguments.ids,
                    slots: arguments.slots,
                    x: arguments.x,
                    y: arguments.y,
                    z: arguments.z,
                    shift: search.shift,
                };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$consolidate_kernel, grid, arguments) }
            }
        }
    };
}

precision! {
    Single, f32, Hit, HitArrays, |number| number, |hit: &Hit| {
        let [x, y, z] = hit.position;
        event_h::Hit { x, y, z, id: hit.id }
    },
    clusters: FindClusters by VELO_FIND_CLUSTERS, VELO_FIND_HITS,
    decode: DecodeClusters by VELO_DECODE_CLUSTERS,
    sort: SortHits by VELO_SORT_HITS,
    tracks: FindTracks by VELO_FIND_TRACKS,
    in memory: FindTracksInMemory by VELO_FIND_TRACKS_IN_MEMORY,
    consolidate: Consolidate by VELO_CONSOLIDATE,
}

precision! {
    Half, u16, HalfHit, HalfArrays, |bits| f16::from_bits(bits).to_f32(), |hit: &Hit| {
        let [x, y, z] = hit.position.map(|number| f16::from_f32(number).to_bits());
        event_h::HalfHit { x, y, z, unused: 0, id: hit.id }
    },
    clusters: FindHalfClusters by VELO_FIND_HALF_CLUSTERS, VELO_FIND_HALF_HITS,
    decode: DecodeHalfClusters by VELO_DECODE_HALF_CLUSTERS,
    sort: SortHalfHits by VELO_SORT_HALF_HITS,
    tracks: FindHalfTracks by VELO_FIND_HALF_TRACKS,
    in memory: FindHalfTracksInMemory by VELO_FIND_HALF_TRACKS_IN_MEMORY,
    consolidate: ConsolidateHalf by VELO_CONSOLIDATE_HALF,
}
