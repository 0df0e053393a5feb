//! Gathers an input from a GPU.

use std::borrow::Cow;
use std::sync::Arc;

use generators::tpc::clusters::{Clusters, FIELDS, Layout};

use super::pieces::DevicePieces;
use super::slowdown::slowdowns;
use super::{Gatherer, MakeGatherer};
use crate::algorithm::{CheckError, Metric, PrepareResult, Relation, Runner, VariantContext, Work};
use crate::device::gpu::{DeviceError, Gpu};
use crate::device::{Arena, Unavailable, buffers};
use crate::tpc_gather::packed::{Packed, Sample};
use crate::tpc_gather::{COPIES, COPIES_TIMED, MULTIPROCESSORS, TpcGather, work_of};

struct GatherRunner<'a> {
    make_gatherer: MakeGatherer,
    input: &'a Clusters,
    arena: &'a Arena,
    /// The pieces that it gathers; for a sample, its number of copies is reported.
    sample: Option<Sample>,
    gpu: Arc<Gpu>,
}

struct GatherBuffers<'a> {
    pieces: DevicePieces<'a>,
    gatherer: Box<dyn Gatherer>,
}

buffers!(GatherBuffers<'_>: pieces, gatherer);

/// A gatherer, ready to run. Kernels count the bytes of an array with 32 bits.
pub(super) fn gather_from_gpu<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    make_gatherer: MakeGatherer,
) -> PrepareResult<'a, TpcGather> {
    prepare(at, None, make_gatherer)
}

/// Variant that makes a copy for each piece: if there are many, only of a sample of them.
pub(super) fn gather_sample_from_gpu<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    make_gatherer: MakeGatherer,
) -> PrepareResult<'a, TpcGather> {
    prepare(at, Some(Sample::for_input(at.input)), make_gatherer)
}

fn prepare<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    sample: Option<Sample>,
    make_gatherer: MakeGatherer,
) -> PrepareResult<'a, TpcGather> {
    let layout = Layout::new(&at.input.packed());
    let arrays = (0..FIELDS.len()).map(|field| layout.range(field).len());
    match arrays.max() {
        Some(bytes) if u32::try_from(bytes).is_err() => Err(Unavailable(format!(
            "an array of {bytes} bytes; kernels count with 32 bits; use fewer clusters"
        ))),
        _ => at.session(GatherRunner {
            make_gatherer,
            input: at.input,
            arena: at.arena,
            sample,
            gpu: at.gpu()?,
        }),
    }
}

impl<'a> Runner<TpcGather> for GatherRunner<'a> {
    type Buffers = GatherBuffers<'a>;

    fn has_figures(&self) -> bool {
        true
    }

    fn allocate(&self) -> Result<GatherBuffers<'a>, DeviceError> {
        let layout = Layout::new(&self.input.packed());
        Ok(GatherBuffers {
            pieces: DevicePieces::new(&self.gpu, self.input, self.arena)?,
            gatherer: (self.make_gatherer)(&self.gpu, layout)?,
        })
    }

    fn run(&mut self, buffers: &mut GatherBuffers<'a>) -> Result<(), DeviceError> {
        buffers.gatherer.gather(&self.gpu, self.input, &buffers.pieces)
    }

    fn inspect(&mut self, buffers: &mut GatherBuffers<'a>) -> Result<(), CheckError> {
        match buffers.pieces.damage(&self.gpu, self.input)? {
            None => Ok(()),
            Some(changed) => Err(format!("it changed {changed}").into()),
        }
    }

    fn remarks(&self) -> Vec<String> {
        let Some(sample) = self.sample else {
            return Vec::new();
        };
        let made = sample.copies(self.input);
        let all = Sample::ALL.copies(self.input);
        vec![if sample.is_all() {
            format!("{made} copies")
        } else {
            format!("a sample: times and rates are of {made} of all {all} copies")
        }]
    }

    fn figures(&mut self, buffers: &mut GatherBuffers<'a>) -> Result<Vec<Metric>, DeviceError> {
        let gpu = &self.gpu;
        let input = self.input;
        let GatherBuffers { pieces, gatherer } = buffers;
        let slowdowns = slowdowns(gpu, || gatherer.gather(gpu, input, pieces))?;
        let multiprocessors = f64::from(gatherer.multiprocessors(gpu));
        let multiprocessors = Metric::new(&MULTIPROCESSORS, multiprocessors, Relation::Itself);
        Ok([vec![multiprocessors], slowdowns].concat())
    }

    fn sample(&self) -> Option<Work> {
        let sample = self.sample.filter(|sample| !sample.is_all())?;
        let mut work = work_of(self.input, sample);
        let count = |info, copies| Metric::new(info, copies as f64, Relation::Itself);
        work.metrics.extend([
            count(&COPIES, Sample::ALL.copies(self.input)),
            count(&COPIES_TIMED, sample.copies(self.input)),
        ]);
        Some(work)
    }

    fn output<'b>(&'b self, buffers: &'b GatherBuffers<'a>) -> Cow<'b, Packed> {
        let packed = Packed::from_bytes(buffers.gatherer.host());
        Cow::Owned(packed.of_sample(self.sample.unwrap_or(Sample::ALL)))
    }
}
