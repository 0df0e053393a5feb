//! Merging on a GPU.
//!
//! Slice tracks are copied to the device, their relations are copied back. Components depend on
//! links and relations only: these are copied first, so that components are found during the copy
//! of the remaining arrays. Merged parts are copied back while other links are followed.
//! | module | holds |
//! |---|---|
//! | `tracks` | slice tracks on the device |
//! | `components` | finding components: the first stage of both parallel variants |
//! | `sequential`, `components_blocks`, `buckets` | the variants |

mod buckets;
mod components;
mod components_blocks;
mod sequential;
mod tracks;

use std::borrow::Cow;

use generators_tpc::slice_tracks::Relations;
use parallel::par_map;
use portable_gpu::{DeviceError, Gpu, PinnedBuffer};

use super::TpcMerge;
use crate::kernels::tpc_merge_cuda_tracks_h as kernels;
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{Buffers, Unavailable, buffers};
use tracks::{DeviceTracks, HostTracks};

pub(super) const VARIANTS: &[Variant<TpcMerge>] =
    &[sequential::SEQUENTIAL, components_blocks::COMPONENTS_BLOCKS, buckets::BUCKETS];

/// The kernels of a variant, and their buffers in addition to the slice tracks.
trait Merger: Buffers {
    /// Starts the kernels that need links and relations only.
    fn find_components(&self, _: &Gpu, _: &DeviceTracks) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Slice tracks of a part: when the links of the first n parts are followed, the relations of
    /// the slice tracks of these parts are final.
    fn part_size(&self, tracks: usize) -> usize {
        tracks
    }

    /// Starts the kernels that follow the links of a part.
    fn resolve(&self, gpu: &Gpu, tracks: &DeviceTracks, part: usize) -> Result<(), DeviceError>;
}

/// Queue for work that is concurrent with the first queue.
const BESIDE: u32 = 1;

/// Allocates a merger for this number of slice tracks.
type MakeMerger = fn(&Gpu, usize) -> Result<Box<dyn Merger>, DeviceError>;

struct MergeBuffers<'a> {
    host: HostTracks<'a>,
    /// The relations after merging.
    merged: PinnedBuffer<kernels::Relations>,
    device: DeviceTracks,
    merger: Box<dyn Merger>,
}

buffers!(MergeBuffers<'_>: host, merged, device, merger);

/// A merger, ready to run on a number of slice tracks up to that of its buffers.
fn merge_on_gpu<'a>(
    at: &VariantContext<'a, '_, TpcMerge>,
    max: usize,
    make_merger: MakeMerger,
) -> PrepareResult<'a, TpcMerge> {
    let tracks = at.input.len();
    if tracks > max {
        return Err(Unavailable(format!(
            "{tracks} slice tracks exceed this variant's limit of {max}; use fewer"
        )));
    }
    at.on_gpu::<MergeBuffers<'a>>(make_merger)
}

impl<'a> GpuTask<'a> for MergeBuffers<'a> {
    type Task = TpcMerge;
    type Config = MakeMerger;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, .. } = at;
        let make_merger = &at.config;
        let tracks = input.len();
        Ok(MergeBuffers {
            host: HostTracks::new(gpu, input, arena)?,
            merged: gpu.pinned(tracks)?,
            device: DeviceTracks::new(gpu, tracks)?,
            merger: make_merger(gpu, tracks)?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        let device = &self.device;
        device.upload_relations(gpu, &self.host)?;
        gpu.with_queue(BESIDE, |gpu| {
            gpu.wait_for_first_queue()?;
            self.merger.find_components(gpu, device)
        })?;
        device.upload_tracks(gpu, &self.host)?;
        // Components are found before all slice tracks are copied.
        gpu.with_queue(BESIDE, Gpu::wait)?;
        let tracks = input.len();
        let size = self.merger.part_size(tracks).max(1);
        for (number, first) in (0..tracks).step_by(size).enumerate() {
            gpu.scope("resolve", || self.merger.resolve(gpu, device, number))?;
            let merged = self.merged.part_mut(first..tracks.min(first + size));
            gpu.with_queue(BESIDE, |gpu| {
                gpu.wait_for_first_queue()?;
                gpu.download_part(merged, &device.relations, first)
            })?;
        }
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<Relations>> {
        let relations = |merged: &kernels::Relations| Relations {
            segment_prev: merged.segment_prev,
            segment_next: merged.segment_next,
            neighbours: merged.neighbours,
        };
        Cow::Owned(par_map(&self.merged, relations))
    }
}
