//! A chain on a GPU, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use super::{Product, Stage, StsTask};
use crate::algorithm::{Prepared, Stages};
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::cuda::CudaChain;

/// Queues beside the one in which kernels are.
const UPLOADS: u32 = 1;
const DOWNLOADS: u32 = 2;

/// The stages between presort, which a copy goes before, and collect, which ends with one.
const FROM_ZERO_TO_HITS: [Stage; 5] = [
    Stage::Zero,
    Stage::Sort,
    Stage::Cluster,
    Stage::ClusterSort,
    Stage::Hits,
];

/// How timeslices follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// Each begins when the one before it has ended.
    InTurn,
    /// Copies of a timeslice are made while others are at work.
    Overlapped,
}

/// A chain for each timeslice, with the part of it that is to be timed.
pub(super) struct PreparedCudaChains<'a> {
    chains: Vec<CudaChain<'a>>,
    /// The stage to be timed; all if there is none.
    stage: Option<Stage>,
    schedule: Schedule,
    gpu: Arc<Gpu>,
    /// What the last run left, once it was asked for.
    products: Vec<Product>,
}

impl<'a> PreparedCudaChains<'a> {
    pub(super) fn new(
        chains: Vec<CudaChain<'a>>,
        stage: Option<Stage>,
        schedule: Schedule,
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaChains {
            chains,
            stage,
            schedule,
            gpu,
            products: Vec::new(),
        }
    }

    /// The stages that come before what is timed.
    fn run_before(&mut self) -> Result<(), DeviceError> {
        let Some(stage) = self.stage else {
            return Ok(());
        };
        let before = Stage::ALL.into_iter().take_while(|&other| other != stage);
        self.run_stages(before)?;
        self.gpu.finish()
    }

    /// All stages of one timeslice after the other, but the next one's digis and the last
    /// one's hits are copied meanwhile.
    fn run_overlapped(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let upload = |chain: &mut CudaChain<'_>| gpu.in_queue(UPLOADS, || chain.upload());
        let mut chains: &mut [CudaChain<'_>] = &mut self.chains;
        if let Some(first) = chains.first_mut() {
            upload(first)?;
        }
        while let Some((chain, others)) = chains.split_first_mut() {
            gpu.in_queue(UPLOADS, || gpu.wait())?;
            if let Some(next) = others.first_mut() {
                upload(next)?;
            }
            chain.distribute()?;
            for stage in FROM_ZERO_TO_HITS {
                chain.run(stage)?;
            }
            gpu.in_queue(DOWNLOADS, || chain.run(Stage::Collect))?;
            chains = others;
        }
        Ok(())
    }

    /// Stages of one timeslice after the other, as they would arrive.
    fn run_stages(
        &mut self,
        stages: impl Iterator<Item = Stage> + Clone,
    ) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            for stage in stages.clone() {
                chain.run(stage)?;
            }
        }
        Ok(())
    }
}

/// What a stage of a chain left; of all of them, clusters and hits.
fn product(chain: &mut CudaChain<'_>, stage: Option<Stage>) -> Result<Product, DeviceError> {
    match stage {
        Some(stage) => chain.product(stage),
        None => Ok(Product::Both(
            Box::new(chain.product(Stage::ClusterSort)?),
            Box::new(chain.product(Stage::Collect)?),
        )),
    }
}

impl<const STAGE: u8> Prepared<StsTask<STAGE>> for PreparedCudaChains<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.hold()?;
        }
        self.run_before()
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.products.clear();
        let first = self.stage.unwrap_or(Stage::ALL[0]);
        for chain in &mut self.chains {
            chain.poison_from(first)?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        match (self.stage, self.schedule) {
            (Some(stage), _) => self.run_stages(std::iter::once(stage))?,
            (None, Schedule::InTurn) => self.run_stages(Stage::ALL.into_iter())?,
            (None, Schedule::Overlapped) => self.run_overlapped()?,
        }
        self.gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let stage = self.stage;
        let products = self.chains.iter_mut().map(|chain| product(chain, stage));
        self.products = products.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// What [`Prepared::inspect`] has found.
    fn output(&self) -> Cow<'_, Vec<Product>> {
        Cow::Borrowed(&self.products)
    }

    fn release(&mut self) {
        self.products = Vec::new();
        for chain in &mut self.chains {
            chain.release();
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.chains.iter().map(CudaChain::bytes).sum()
    }
}
