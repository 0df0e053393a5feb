//! Slice tracks on the device.

use std::sync::Arc;

use generators::tpc::slice_tracks::{Relations, SliceTrack, SliceTracks};

use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Pristine, Ptr, Shape};
use crate::device::{Arena, buffers};

/// Kinematics, or relations, in the order of the host's fields.
pub(super) type Quad = [u32; 4];
/// What kernels take.
pub(super) type Quads = Ptr<Quad>;
pub(super) type Words = Ptr<u32>;

/// Threads of a block of most kernels.
pub(super) const THREADS: u32 = 256;

/// Slice tracks as they are before merging, in memory that the GPU copies from. No run
/// changes them.
pub(super) struct HostTracks<'a> {
    tracks: Pristine<'a, Quad>,
    relations: Pristine<'a, Quad>,
    links: Pristine<'a, u32>,
}

buffers!(HostTracks<'_>: tracks, relations, links);

impl<'a> HostTracks<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (&SliceTracks, &'a Arena),
    ) -> Result<Self, DeviceError> {
        Ok(HostTracks {
            tracks: Pristine::converted(arena, gpu, input.tracks(), kinematics)?,
            relations: Pristine::converted(arena, gpu, input.relations(), related)?,
            links: Pristine::take(arena, gpu, input.links(), 0..input.len())?,
        })
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

buffers!(DeviceTracks: tracks, relations, links);

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
