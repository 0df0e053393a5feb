//! Slice tracks on the device.

use generators::tpc::slice_tracks::SliceTracks;
use rayon::prelude::*;

use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr, Shape};

/// Kinematics, or relations, in the order of the host's fields.
pub(super) type Quad = [u32; 4];
/// What kernels take.
pub(super) type Quads = Ptr<Quad>;
pub(super) type Words = Ptr<u32>;

/// Threads of a block of most kernels.
pub(super) const THREADS: u32 = 256;
/// Slice tracks that are copied at a time when fresh input is provided.
const PIECE: usize = 1 << 15;

/// Slice tracks in memory that the GPU copies from and to.
pub(super) struct HostTracks {
    pub(super) tracks: PinnedBuffer<Quad>,
    /// Before merging, and after.
    pub(super) relations: PinnedBuffer<Quad>,
    pub(super) links: PinnedBuffer<u32>,
}

impl HostTracks {
    pub(super) fn new(gpu: &Gpu, tracks: usize) -> Result<Self, DeviceError> {
        Ok(HostTracks {
            tracks: gpu.pinned(tracks)?,
            relations: gpu.pinned(tracks)?,
            links: gpu.pinned(tracks)?,
        })
    }

    pub(super) fn refresh(&mut self, input: &SliceTracks) {
        fill(&mut self.tracks, input.tracks(), |track| {
            [
                track.q_over_pt.to_bits(),
                track.zt_min.to_bits(),
                track.zt_max.to_bits(),
                track.n_clusters,
            ]
        });
        fill(&mut self.relations, input.relations(), |related| {
            let [lower, upper] = related.neighbours;
            [related.segment_prev, related.segment_next, lower, upper]
        });
        fill(&mut self.links, input.links(), |&link| link);
    }
}

fn fill<T: Send, S: Sync>(to: &mut [T], from: &[S], make: impl Fn(&S) -> T + Sync) {
    let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
    pieces.for_each(|(to, from)| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = make(from);
        }
    });
}

/// Slice tracks where kernels find them.
pub(super) struct DeviceTracks {
    pub(super) tracks: DeviceBuffer<Quad>,
    pub(super) relations: DeviceBuffer<Quad>,
    pub(super) links: DeviceBuffer<u32>,
}

impl DeviceTracks {
    pub(super) fn new(gpu: &Gpu, tracks: usize) -> Result<Self, DeviceError> {
        Ok(DeviceTracks {
            tracks: gpu.buffer(tracks)?,
            relations: gpu.buffer(tracks)?,
            links: gpu.buffer(tracks)?,
        })
    }

    pub(super) fn upload(&self, gpu: &Gpu, host: &HostTracks) -> Result<(), DeviceError> {
        gpu.upload(&self.tracks, &host.tracks)?;
        gpu.upload(&self.relations, &host.relations)?;
        gpu.upload(&self.links, &host.links)
    }

    pub(super) fn count(&self) -> u32 {
        self.links.len() as u32
    }

    pub(super) fn bytes(&self) -> u64 {
        self.tracks.bytes() + self.relations.bytes() + self.links.bytes()
    }

    /// A thread for each slice track, which moves so many words.
    pub(super) fn shape(&self, words: u64) -> Shape {
        Shape {
            blocks: self.count().div_ceil(THREADS),
            threads: THREADS,
            shared_bytes: 0,
            bytes: words * self.links.bytes(),
        }
    }
}
