//! Slice tracks on the device.

use std::sync::Arc;

use generators_tpc::slice_tracks::{Relations, SliceTrack, SliceTracks};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use crate::kernels::tpc_merge_cuda_tracks_h as kernels;
use tasks::device::{Arena, PinnedInput, buffers};

/// Slice tracks before merging, in page-locked memory. No run changes them.
pub(super) struct HostTracks<'a> {
    tracks: PinnedInput<'a, kernels::SliceTrack>,
    relations: PinnedInput<'a, kernels::Relations>,
    links: PinnedInput<'a, u32>,
}

buffers!(HostTracks<'_>: tracks, relations, links);

impl<'a> HostTracks<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        input: &SliceTracks,
        arena: &'a Arena,
    ) -> Result<Self, DeviceError> {
        Ok(HostTracks {
            tracks: PinnedInput::converted(arena, gpu, input.tracks(), kinematics)?,
            relations: PinnedInput::converted(arena, gpu, input.relations(), related)?,
            links: PinnedInput::take(arena, gpu, input.links(), 0..input.len())?,
        })
    }
}

fn kinematics(track: &SliceTrack) -> kernels::SliceTrack {
    kernels::SliceTrack {
        q_over_pt: track.q_over_pt,
        zt_min: track.zt_min,
        zt_max: track.zt_max,
        n_clusters: track.n_clusters,
    }
}

fn related(relations: &Relations) -> kernels::Relations {
    kernels::Relations {
        segment_prev: relations.segment_prev,
        segment_next: relations.segment_next,
        neighbours: relations.neighbours,
    }
}

buffers! {
    /// Slice tracks on the device, for kernels.
    pub(super) struct DeviceTracks(gpu, tracks: usize) {
        pub(super) tracks: DeviceBuffer<kernels::SliceTrack> = gpu.buffer(tracks)?,
        pub(super) relations: DeviceBuffer<kernels::Relations> = gpu.buffer(tracks)?,
        pub(super) links: DeviceBuffer<u32> = gpu.buffer(tracks)?,
    }
}

impl DeviceTracks {
    /// Uploads the arrays that determine components.
    pub(super) fn upload_relations(&self, gpu: &Gpu, host: &HostTracks) -> Result<(), DeviceError> {
        gpu.upload(&self.relations, &host.relations)?;
        gpu.upload(&self.links, &host.links)
    }

    /// Uploads the other arrays that are needed to follow links.
    pub(super) fn upload_tracks(&self, gpu: &Gpu, host: &HostTracks) -> Result<(), DeviceError> {
        gpu.upload(&self.tracks, &host.tracks)
    }

    pub(super) fn count(&self) -> u32 {
        self.links.len() as u32
    }

    /// Bytes of `words` words for each slice track.
    pub(super) fn words(&self, words: u64) -> u64 {
        words * self.links.bytes()
    }
}
