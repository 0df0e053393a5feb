//! A GPU merger with its buffers, ready to run on one input.

use std::borrow::Cow;
use std::sync::Arc;

use generators::tpc::slice_tracks::{Relations, SliceTracks};

use super::tracks::{DeviceTracks, HostTracks, Quad};
use super::{MakeMerger, Merger};
use crate::algorithm::{Prepared, Stages};
use crate::all_cores::{fill, mapped};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer};
use crate::tpc_merge::TpcMerge;

pub(super) struct PreparedCudaMerge<'a> {
    make_merger: MakeMerger,
    input: &'a SliceTracks,
    arena: &'a Arena,
    buffers: Option<Buffers>,
    device_bytes: u64,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Buffers {
    host: HostTracks,
    /// The relations after merging.
    merged: PinnedBuffer<Quad>,
    device: DeviceTracks,
    merger: Box<dyn Merger>,
}

impl<'a> PreparedCudaMerge<'a> {
    pub(super) fn new(
        make_merger: MakeMerger,
        (input, arena): (&'a SliceTracks, &'a Arena),
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaMerge {
            make_merger,
            input,
            arena,
            buffers: None,
            device_bytes: 0,
            gpu,
        }
    }

    fn buffers(&mut self) -> Result<&mut Buffers, DeviceError> {
        let tracks = self.input.len();
        let buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers {
                host: HostTracks::new(&self.gpu, (self.input, self.arena))?,
                merged: self.gpu.pinned(tracks)?,
                device: DeviceTracks::new(&self.gpu, tracks)?,
                merger: (self.make_merger)(&self.gpu, tracks)?,
            },
        };
        self.device_bytes = buffers.device.bytes() + buffers.merger.bytes();
        Ok(self.buffers.insert(buffers))
    }
}

impl Prepared<TpcMerge> for PreparedCudaMerge<'_> {
    /// Runs do not change what is before merging, so it is provided once.
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.buffers().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(held) = &mut self.buffers {
            let Buffers { device, merger, .. } = held;
            fill(&mut held.merged, [u32::from_ne_bytes([POISON; 4]); 4]);
            self.gpu.fill(&device.tracks, POISON)?;
            self.gpu.fill(&device.relations, POISON)?;
            self.gpu.fill(&device.links, POISON)?;
            merger.poison(&self.gpu, POISON)?;
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let Buffers {
            host,
            merged,
            device,
            merger,
        } = self.buffers()?;
        device.upload(&gpu, host)?;
        merger.merge(&gpu, device)?;
        gpu.download(merged, &device.relations)?;
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn output(&self) -> Cow<'_, Vec<Relations>> {
        let relations = |&[segment_prev, segment_next, lower, upper]: &[u32; 4]| Relations {
            segment_prev,
            segment_next,
            neighbours: [lower, upper],
        };
        let merged = self.buffers.as_ref().map(|held| &held.merged[..]);
        Cow::Owned(mapped(merged.unwrap_or_default(), relations))
    }

    fn release(&mut self) {
        if let Some(held) = self.buffers.take() {
            held.host.give(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes
    }
}
