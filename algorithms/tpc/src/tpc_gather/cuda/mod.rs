//! Gathering from a GPU's memory into the host's.
//!
//! Clusters are on the device already, as a compression leaves them; a run ends when they are on
//! the host.
//!
//! | module | holds |
//! |---|---|
//! | `pieces` | pieces on the device, and their offsets |
//! | `naive`, `dma`, `multi_block`, `chunks` | the variants |
//! | `libraries` | entries for variants of NVIDIA's libraries |
//! | `slowdown` | slowdown of concurrent work by gathering |

mod chunks;
mod dma;
mod libraries;
mod multi_block;
mod naive;
mod pieces;
mod slowdown;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use generators_tpc::clusters::{Clusters, FIELDS, Layout};
use portable_gpu::{
    DeviceBuffer, DeviceError, Gpu, Kernel, LaunchConfig, MappedBuffer, PinnedBuffer, Ptr,
};

use super::packed::{Packed, Sample};
use super::{COPIES, COPIES_TIMED, MULTIPROCESSORS, TpcGather, work_of};
use crate::kernels::tpc_gather_chunks::GatherPack;
use pieces::DevicePieces;
use tasks::algorithm::{
    CheckError, GpuRunner, GpuTask, Metric, PrepareResult, Relation, Variant, VariantContext, Work,
};
use tasks::device::{Unavailable, buffers};

pub(super) use libraries::LIBRARIES;
pub(super) use slowdown::slowdowns;

pub(super) const VARIANTS: &[Variant<TpcGather>] = &[
    naive::NAIVE,
    dma::DMA_1,
    dma::DMA_2,
    dma::DMA_BUFFERED,
    multi_block::MULTI_BLOCK,
    chunks::CHUNKS,
];

/// Starts all kernels and copies of a variant, and waits where necessary.
type Gather<'a> =
    Box<dyn Fn(&mut GatherBuffers<'_>, &Gpu, &Clusters) -> Result<(), DeviceError> + Send + 'a>;

/// Kernels and copies of a variant, and what they need.
struct Gatherer<'a> {
    gather: Gather<'a>,
    memory: Memory,
    /// Number of multiprocessors that its kernels occupy; `None` for all.
    multiprocessors: Option<u32>,
    /// The pieces that it gathers; for a sample, its number of copies is reported.
    sample: Option<Sample>,
}

/// Memory into which a variant packs.
#[derive(Clone, Copy, PartialEq)]
enum Memory {
    /// The host's, by copies.
    Host,
    /// The host's, by kernels.
    MappedHost,
    /// The device's, from which it is copied to the host.
    Device,
}

impl<'a> Gatherer<'a> {
    /// A gatherer of all pieces whose kernels occupy the complete device.
    fn new(
        memory: Memory,
        gather: impl Fn(&mut GatherBuffers<'_>, &Gpu, &Clusters) -> Result<(), DeviceError> + Send + 'a,
    ) -> Self {
        Gatherer { gather: Box::new(gather), memory, multiprocessors: None, sample: None }
    }
}

struct GatherBuffers<'a> {
    pieces: DevicePieces<'a>,
    /// Layout of the packed arrays.
    layout: Layout,
    /// Packed arrays in each kind of [`Memory`]; empty if the variant does not use it.
    packed: DeviceBuffer<u8>,
    host: PinnedBuffer<u8>,
    mapped: MappedBuffer<u8>,
}

buffers!(GatherBuffers<'_>: pieces, packed, host, mapped);

/// A gatherer, ready to run. Kernels count the bytes of an array with 32 bits.
fn gather_from_gpu<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    gatherer: Gatherer<'a>,
) -> PrepareResult<'a, TpcGather> {
    let layout = Layout::new(&at.input.packed());
    let arrays = (0..FIELDS.len()).map(|field| layout.range(field).len());
    match arrays.max() {
        Some(bytes) if u32::try_from(bytes).is_err() => Err(Unavailable(format!(
            "an array of {bytes} bytes; kernels count with 32 bits; use fewer clusters"
        ))),
        _ => at.on_gpu::<GatherBuffers<'a>>(gatherer),
    }
}

impl GatherBuffers<'_> {
    /// Packs all arrays with some blocks of a kernel.
    fn pack(
        &self,
        gpu: &Gpu,
        kernel: &Kernel<GatherPack>,
        blocks: u32,
        target: Ptr<u8>,
    ) -> Result<(), DeviceError> {
        self.pieces.compute_offsets(gpu)?;
        let grid = LaunchConfig::blocks(blocks).with_traffic(2 * self.pieces.packed_bytes);
        // SAFETY: pieces are in the source, and their offsets in the target, which has the layout
        // of packed arrays.
        unsafe { gpu.launch(kernel, grid, self.pieces.arguments(target, 0..FIELDS.len())) }
    }
}

impl<'a> GpuTask<'a> for GatherBuffers<'a> {
    type Task = TpcGather;
    type Config = Gatherer<'a>;

    const HAS_FIGURES: bool = true;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, config, .. } = at;
        let layout = Layout::new(&input.packed());
        let bytes_if = |is_used| if is_used { layout.bytes() } else { 0 };
        Ok(GatherBuffers {
            pieces: DevicePieces::new(gpu, input, arena)?,
            packed: gpu.buffer(bytes_if(config.memory == Memory::Device))?,
            host: gpu.pinned(bytes_if(config.memory != Memory::MappedHost))?,
            mapped: gpu.mapped(bytes_if(config.memory == Memory::MappedHost))?,
            layout,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        (at.config.gather)(self, &at.gpu, at.input)
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        match self.pieces.damage(&at.gpu, at.input)? {
            None => Ok(()),
            Some(changed) => Err(format!("it changed {changed}").into()),
        }
    }

    fn remarks(at: &GpuRunner<'a, Self>) -> Vec<String> {
        let Some(sample) = at.config.sample else {
            return Vec::new();
        };
        let made = sample.copies(at.input);
        let all = Sample::ALL.copies(at.input);
        vec![if sample.is_all() {
            format!("{made} copies")
        } else {
            format!("a sample: times and rates are of {made} of all {all} copies")
        }]
    }

    fn figures(&mut self, at: &GpuRunner<'a, Self>) -> Result<Vec<Metric>, DeviceError> {
        let slowdowns = slowdowns(&at.gpu, || self.run(at))?;
        let all = at.gpu.properties().multiprocessors;
        let multiprocessors = at.config.multiprocessors.unwrap_or(all).into();
        let multiprocessors = Metric::new(&MULTIPROCESSORS, multiprocessors, Relation::Itself);
        Ok([vec![multiprocessors], slowdowns].concat())
    }

    fn sample(at: &GpuRunner<'a, Self>) -> Option<Work> {
        let sample = at.config.sample.filter(|sample| !sample.is_all())?;
        let mut work = work_of(at.input, sample);
        let count = |info, copies| Metric::new(info, copies as f64, Relation::Itself);
        work.metrics.extend([
            count(&COPIES, Sample::ALL.copies(at.input)),
            count(&COPIES_TIMED, sample.copies(at.input)),
        ]);
        Some(work)
    }

    fn output(&self, at: &GpuRunner<'a, Self>) -> Cow<'_, Packed> {
        let host: &[u8] = match at.config.memory {
            Memory::MappedHost => &self.mapped,
            Memory::Host | Memory::Device => &self.host,
        };
        Cow::Owned(Packed::from_bytes(host).of_sample(at.config.sample.unwrap_or(Sample::ALL)))
    }
}
