//! Positions of hits as numbers of 32 bits, or of 16 as the experiment keeps them on a GPU.

use bytemuck::Pod;
use half::f16;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use crate::kernels::velo_clusters::{
    FindClusters, FindHalfClusters, Pattern, VELO_FIND_CLUSTERS, VELO_FIND_HALF_CLUSTERS,
    VELO_FIND_HALF_HITS, VELO_FIND_HITS,
};
use crate::kernels::velo_consolidate::{
    Consolidate, ConsolidateHalf, TrackOffsets, VELO_CONSOLIDATE, VELO_CONSOLIDATE_HALF,
};
use crate::kernels::velo_cuda_event_h::{Events, HalfArrays, HitArrays, PairHits};
use crate::kernels::velo_cuda_tracks_h::TrackCounts;
use crate::kernels::velo_decode::{
    DecodeClusters, DecodeHalfClusters, VELO_DECODE_CLUSTERS, VELO_DECODE_HALF_CLUSTERS,
};
use crate::kernels::velo_sort::{SortHalfHits, SortHits, VELO_SORT_HALF_HITS, VELO_SORT_HITS};
use crate::kernels::velo_tracks::{
    Entry, FindHalfTracks, FindTracks, VELO_FIND_HALF_TRACKS, VELO_FIND_HALF_TRACKS_OF_FEW,
    VELO_FIND_TRACKS, VELO_FIND_TRACKS_OF_FEW,
};
use tasks::device::Buffers;

/// Arrays of hits on the device.
pub(super) struct DeviceHits<N: Pod> {
    pub(super) ids: DeviceBuffer<u32>,
    pub(super) x: DeviceBuffer<N>,
    pub(super) y: DeviceBuffer<N>,
    pub(super) z: DeviceBuffer<N>,
    pub(super) phi: DeviceBuffer<i16>,
}

impl<N: Pod> DeviceHits<N> {
    pub(super) fn new(gpu: &Gpu, slots: usize) -> Result<Self, DeviceError> {
        Ok(DeviceHits {
            ids: gpu.buffer(slots)?,
            x: gpu.buffer(slots)?,
            y: gpu.buffer(slots)?,
            z: gpu.buffer(slots)?,
            phi: gpu.buffer(slots)?,
        })
    }
}

impl<N: Pod + Send> Buffers for DeviceHits<N> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.ids.poison()?;
        self.x.poison()?;
        self.y.poison()?;
        self.z.poison()?;
        self.phi.poison()
    }

    fn bytes(&self) -> u64 {
        self.ids.bytes() + self.x.bytes() + self.y.bytes() + self.z.bytes() + self.phi.bytes()
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
}

/// Arguments of the kernels that sort hits.
pub(super) struct SortArguments<A> {
    pub(super) from: A,
    pub(super) to: A,
    pub(super) pairs: Ptr<PairHits>,
    pub(super) first_event: u32,
    pub(super) events: u32,
}

/// Blocks of the search.
pub(super) enum SearchGrid {
    /// A warp for each event.
    Warps(LaunchConfig),
    /// A block for each event.
    Blocks(LaunchConfig),
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
    pub(super) layer_capacity: u32,
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
pub(super) trait Precision: Send + Sync + 'static {
    /// A coordinate.
    type Number: Pod + Default + Send + Sync;
    /// Pointers to arrays of hits, as kernels take them.
    type Arrays: Copy;

    fn arrays(hits: &DeviceHits<Self::Number>) -> Self::Arrays;
    fn to_f32(number: Self::Number) -> f32;
    fn from_f32(number: f32) -> Self::Number;
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
        grid: SearchGrid,
        arguments: SearchArguments<Self::Arrays>,
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
        $precision:ident, $number:ty, $arrays:ident, $to_f32:expr, $from_f32:expr,
        clusters: $find_clusters:ident by $find_clusters_kernel:ident, $find_hits_kernel:ident,
        decode: $decode:ident by $decode_kernel:ident,
        sort: $sort:ident by $sort_kernel:ident,
        tracks: $tracks:ident by $tracks_kernel:ident, $few_kernel:ident,
        consolidate: $consolidate:ident by $consolidate_kernel:ident,
    ) => {
        impl Precision for $precision {
            type Number = $number;
            type Arrays = $arrays;

            fn arrays(hits: &DeviceHits<$number>) -> $arrays {
                $arrays {
                    ids: hits.ids.ptr(),
                    x: hits.x.ptr(),
                    y: hits.y.ptr(),
                    z: hits.z.ptr(),
                    phi: hits.phi.ptr(),
                }
            }

            fn to_f32(number: $number) -> f32 {
                $to_f32(number)
            }

            fn from_f32(number: f32) -> $number {
                $from_f32(number)
            }

            unsafe fn find_clusters(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = $find_clusters {
                    events: arguments.events,
                    patterns: arguments.patterns,
                    unsorted: arguments.unsorted,
                    sorted: arguments.sorted,
                    pairs: arguments.pairs,
                    list_capacity: arguments.list_capacity,
                };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$find_clusters_kernel, grid, arguments) }
            }

            unsafe fn find_hits(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = $find_clusters {
                    events: arguments.events,
                    patterns: arguments.patterns,
                    unsorted: arguments.unsorted,
                    sorted: arguments.sorted,
                    pairs: arguments.pairs,
                    list_capacity: arguments.list_capacity,
                };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$find_hits_kernel, grid, arguments) }
            }

            unsafe fn decode(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: RawArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let RawArguments { events, unsorted, sorted, pairs, list_capacity, .. } = arguments;
                let arguments = $decode { events, unsorted, sorted, pairs, list_capacity };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$decode_kernel, grid, arguments) }
            }

            unsafe fn sort(
                gpu: &Gpu,
                grid: LaunchConfig,
                arguments: SortArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let SortArguments { from, to, pairs, first_event, events } = arguments;
                let arguments = $sort { from, to, pairs, first_event, events };
                // SAFETY: the caller's.
                unsafe { gpu.launch(&$sort_kernel, grid, arguments) }
            }

            unsafe fn find_tracks(
                gpu: &Gpu,
                grid: SearchGrid,
                arguments: SearchArguments<$arrays>,
            ) -> Result<(), DeviceError> {
                let arguments = $tracks {
                    events: arguments.events,
                    pairs: arguments.pairs,
                    hits: arguments.hits,
                    entries: arguments.entries,
                    tracks: arguments.tracks,
                    lengths: arguments.lengths,
                    three_hit: arguments.three_hit,
                    counts: arguments.counts,
                    shift: arguments.shift,
                    layer_capacity: arguments.layer_capacity,
                };
                // SAFETY: the caller's.
                unsafe {
                    match grid {
                        SearchGrid::Warps(grid) => gpu.launch(&$tracks_kernel, grid, arguments),
                        SearchGrid::Blocks(grid) => gpu.launch(&$few_kernel, grid, arguments),
                    }
                }
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
    Single, f32, HitArrays, |number| number, |number| number,
    clusters: FindClusters by VELO_FIND_CLUSTERS, VELO_FIND_HITS,
    decode: DecodeClusters by VELO_DECODE_CLUSTERS,
    sort: SortHits by VELO_SORT_HITS,
    tracks: FindTracks by VELO_FIND_TRACKS, VELO_FIND_TRACKS_OF_FEW,
    consolidate: Consolidate by VELO_CONSOLIDATE,
}

precision! {
    Half, u16, HalfArrays, |bits| f16::from_bits(bits).to_f32(), |number| f16::from_f32(number).to_bits(),
    clusters: FindHalfClusters by VELO_FIND_HALF_CLUSTERS, VELO_FIND_HALF_HITS,
    decode: DecodeHalfClusters by VELO_DECODE_HALF_CLUSTERS,
    sort: SortHalfHits by VELO_SORT_HALF_HITS,
    tracks: FindHalfTracks by VELO_FIND_HALF_TRACKS, VELO_FIND_HALF_TRACKS_OF_FEW,
    consolidate: ConsolidateHalf by VELO_CONSOLIDATE_HALF,
}
