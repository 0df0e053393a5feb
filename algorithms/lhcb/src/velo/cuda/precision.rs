//! Positions of hits as numbers of 32 bits, or of 16 as the experiment keeps them on a GPU.

use bytemuck::Pod;
use half::f16;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, Ptr};
use tasks::device::Buffers;

use crate::kernels::velo_clusters::{
    FindClusters, VELO_FIND_CLUSTERS, VELO_FIND_HALF_CLUSTERS, VELO_FIND_HALF_HITS, VELO_FIND_HITS,
};
use crate::kernels::velo_consolidate::{Consolidate, VELO_CONSOLIDATE, VELO_CONSOLIDATE_HALF};
use crate::kernels::velo_cuda_event_h::{self as event_h, AnyHits, HalfHit};
use crate::kernels::velo_decode::{
    DecodeClusters, VELO_DECODE_CLUSTERS, VELO_DECODE_HALF_CLUSTERS,
};
use crate::kernels::velo_sort::{SortHits, VELO_SORT_HALF_HITS, VELO_SORT_HITS};
use crate::kernels::velo_tracks::{
    FindTracks, FindTracksInMemory, VELO_FIND_HALF_TRACKS, VELO_FIND_HALF_TRACKS_IN_MEMORY,
    VELO_FIND_TRACKS, VELO_FIND_TRACKS_IN_MEMORY,
};
use crate::velo::model::Hit;

/// Arrays of hits on the device.
pub(super) struct DeviceHits<P: Precision> {
    pub(super) hits: DeviceBuffer<P::Hit>,
    pub(super) phi: DeviceBuffer<i16>,
}

impl<P: Precision> DeviceHits<P> {
    pub(super) fn new(gpu: &Gpu, slots: usize) -> Result<Self, DeviceError> {
        Ok(DeviceHits { hits: gpu.buffer(slots)?, phi: gpu.buffer(slots)? })
    }

    /// As kernels take them.
    pub(super) fn arrays(&self) -> AnyHits {
        P::arrays(self)
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

/// Kernels for hits of a precision.
pub(super) struct Kernels {
    pub(super) find_clusters: &'static Kernel<FindClusters>,
    pub(super) find_hits: &'static Kernel<FindClusters>,
    pub(super) decode: &'static Kernel<DecodeClusters>,
    pub(super) sort: &'static Kernel<SortHits>,
    pub(super) find_tracks: &'static Kernel<FindTracks>,
    pub(super) find_tracks_in_memory: &'static Kernel<FindTracksInMemory>,
    pub(super) consolidate: &'static Kernel<Consolidate>,
}

/// Type of the coordinates of hits, with the kernels for it.
pub(super) trait Precision: Sized + Send + Sync + 'static {
    /// A coordinate.
    type Number: Pod + Default + Send + Sync;
    /// A hit in device memory.
    type Hit: Pod + Default + Send + Sync;

    const KERNELS: Kernels;

    fn arrays(hits: &DeviceHits<Self>) -> AnyHits;
    fn to_f32(number: Self::Number) -> f32;
    /// A hit for the device; its angle is stored apart.
    fn to_device(hit: &Hit) -> Self::Hit;
    /// A hit of the device, with its angle.
    fn from_device(hit: &Self::Hit, phi: i16) -> Hit;
}

/// Positions of 32 bits.
pub(super) struct Single;

impl Precision for Single {
    type Number = f32;
    type Hit = event_h::Hit;

    const KERNELS: Kernels = Kernels {
        find_clusters: &VELO_FIND_CLUSTERS,
        find_hits: &VELO_FIND_HITS,
        decode: &VELO_DECODE_CLUSTERS,
        sort: &VELO_SORT_HITS,
        find_tracks: &VELO_FIND_TRACKS,
        find_tracks_in_memory: &VELO_FIND_TRACKS_IN_MEMORY,
        consolidate: &VELO_CONSOLIDATE,
    };

    fn arrays(DeviceHits { hits, phi }: &DeviceHits<Self>) -> AnyHits {
        AnyHits { hits: hits.ptr(), half_hits: Ptr::NONE, phi: phi.ptr() }
    }

    fn to_f32(number: f32) -> f32 {
        number
    }

    fn to_device(hit: &Hit) -> event_h::Hit {
        let [x, y, z] = hit.position;
        event_h::Hit { x, y, z, id: hit.id }
    }

    fn from_device(hit: &event_h::Hit, phi: i16) -> Hit {
        Hit { id: hit.id, position: [hit.x, hit.y, hit.z], phi }
    }
}

/// Positions of 16 bits.
pub(super) struct Half;

impl Precision for Half {
    type Number = u16;
    type Hit = HalfHit;

    const KERNELS: Kernels = Kernels {
        find_clusters: &VELO_FIND_HALF_CLUSTERS,
        find_hits: &VELO_FIND_HALF_HITS,
        decode: &VELO_DECODE_HALF_CLUSTERS,
        sort: &VELO_SORT_HALF_HITS,
        find_tracks: &VELO_FIND_HALF_TRACKS,
        find_tracks_in_memory: &VELO_FIND_HALF_TRACKS_IN_MEMORY,
        consolidate: &VELO_CONSOLIDATE_HALF,
    };

    fn arrays(DeviceHits { hits, phi }: &DeviceHits<Self>) -> AnyHits {
        AnyHits { hits: Ptr::NONE, half_hits: hits.ptr(), phi: phi.ptr() }
    }

    fn to_f32(bits: u16) -> f32 {
        f16::from_bits(bits).to_f32()
    }

    fn to_device(hit: &Hit) -> HalfHit {
        let [x, y, z] = hit.position.map(|number| f16::from_f32(number).to_bits());
        HalfHit { x, y, z, unused: 0, id: hit.id }
    }

    fn from_device(hit: &HalfHit, phi: i16) -> Hit {
        Hit { id: hit.id, position: [hit.x, hit.y, hit.z].map(Self::to_f32), phi }
    }
}
