//! A way to gather from a GPU with its memory, ready to run on one input.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use generators::tpc::clusters::{Clusters, Layout};

use super::beside::slowdowns;
use super::pieces::DevicePieces;
use super::{Gatherer, MakeGatherer};
use crate::algorithm::{Metric, Prepared, Relation, Stages, Work};
use crate::all_cores::fill;
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu, POISON};
use crate::tpc_gather::packed::Packed;
use crate::tpc_gather::sample::Sample;
use crate::tpc_gather::{TpcGather, work_of};

pub(super) struct PreparedCudaGather<'a> {
    make_gatherer: MakeGatherer,
    input: &'a Clusters,
    arena: &'a Arena,
    sample: Sample,
    buffers: Option<Buffers>,
    device_bytes: u64,
    remarks: Vec<String>,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Buffers {
    pieces: DevicePieces,
    gatherer: Box<dyn Gatherer>,
}

impl<'a> PreparedCudaGather<'a> {
    pub(super) fn new(
        make_gatherer: MakeGatherer,
        (input, arena): (&'a Clusters, &'a Arena),
        sample: Sample,
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaGather {
            make_gatherer,
            input,
            arena,
            sample,
            buffers: None,
            device_bytes: 0,
            remarks: Vec::new(),
            gpu,
        }
    }

    fn buffers(&mut self) -> Result<&mut Buffers, DeviceError> {
        let buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers {
                pieces: DevicePieces::new(&self.gpu, (self.input, self.arena))?,
                gatherer: (self.make_gatherer)(&self.gpu, Layout::new(&self.input.packed()))?,
            },
        };
        self.device_bytes = buffers.pieces.device_bytes() + buffers.gatherer.device_bytes();
        Ok(self.buffers.insert(buffers))
    }
}

impl Prepared<TpcGather> for PreparedCudaGather<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.buffers().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(Buffers { pieces, gatherer }) = &mut self.buffers {
            pieces.poison(&self.gpu, POISON)?;
            gatherer.poison_device(&self.gpu, POISON)?;
            self.gpu.finish()?;
            fill(gatherer.host_mut(), POISON);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let (gpu, input) = (Arc::clone(&self.gpu), self.input);
        let Buffers { pieces, gatherer } = self.buffers()?;
        gatherer.gather(&gpu, input, pieces)?;
        gpu.finish()?;
        self.remarks = gatherer.remarks(&gpu, input);
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let Some(Buffers { pieces, .. }) = &self.buffers else {
            return Ok(());
        };
        match pieces.damage(&self.gpu, self.input)? {
            None => Ok(()),
            Some(changed) => Err(format!("it changed {changed}").into()),
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn figures(&mut self) -> Result<Vec<Metric>, DeviceError> {
        let (gpu, input) = (Arc::clone(&self.gpu), self.input);
        self.reset()?;
        let Buffers { pieces, gatherer } = self.buffers()?;
        let slowdowns = slowdowns(&gpu, || gatherer.gather(&gpu, input, pieces))?;
        let multiprocessors = f64::from(gatherer.multiprocessors(&gpu));
        self.release();
        let multiprocessors = Metric::new("multiprocessors", multiprocessors, Relation::Itself);
        Ok([vec![multiprocessors], slowdowns].concat())
    }

    fn sample(&self) -> Option<Work> {
        if self.sample.is_all() {
            return None;
        }
        let mut work = work_of(self.input, self.sample);
        let count = |name, copies| Metric::new(name, copies as f64, Relation::Itself);
        work.metrics.extend([
            count("copies", Sample::ALL.copies(self.input)),
            count("copies_timed", self.sample.copies(self.input)),
        ]);
        Some(work)
    }

    fn output(&self) -> Cow<'_, Packed> {
        let host = self.buffers.as_ref().map(|held| held.gatherer.host());
        let packed = Packed::from_bytes(host.unwrap_or_default());
        Cow::Owned(packed.of_sample(self.sample))
    }

    fn release(&mut self) {
        if let Some(held) = self.buffers.take() {
            held.pieces.give(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes
    }
}
