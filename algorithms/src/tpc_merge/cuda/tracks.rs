//! Slice tracks on the device.

use std::sync::Arc;

use generators::tpc::slice_tracks::{Relations, SliceTrack, SliceTracks};

use crate::device::Arena;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Pristine, Ptr, Shape};

/// Kinematics, or relations, in the order of the host's fields.
pub(super) type Quad = [u32; 4];
/// What kernels take.
pub(super) type Quads = Ptr<Quad>;
pub(super) type Words = Ptr<u32>;

/// Threads of a block of most kernels.
pub(super) const THREADS: u32 = 256;

/// Slice tracks as they are before merging, in memory that the GPU copies from. No run
/// changes them.
pub(super) struct HostTracks {
    tracks: Pristine<Quad>,
    relations: Pristine<Quad>,
    links: Pristine<u32>,
}

impl HostTracks {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (&SliceTracks, &Arena),
    ) -> Result<Self, DeviceError> {
        Ok(HostTracks {
            tracks: Pristine::converted(arena, gpu, input.tracks(), kinematics)?,
            relations: Pristine::converted(arena, gpu, input.relations(), related)?,
            links: Pristine::take(arena, gpu, input.links(), 0..input.len())?,
        })
    }

    /// Leaves them to the next candidate.
    pub(super) fn give(self, arena: &Arena) {
        self.tracks.give(arena);
        self.relations.give(arena);
        self.links.give(arena);
    }
}

fn kinematics(track: &SliceTrack) -> Quad {
    [
        track.q_over_pt.to_bits(),
        track.zt_min.to_bits(),
        track.zt_max.to_bits(),
        track.n_clusters,
    ]
}

fn related(relations: &Relations) -> Quad {
    let [lower, upper] = relations.neighbours;
    [relations.segment_prev, relations.segment_next, lower, upper]
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
