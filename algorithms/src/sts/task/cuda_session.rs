//! A chain on a GPU, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::sync::Arc;

use super::StsTask;
use crate::algorithm::{Damage, Session};
use crate::device::gpu::{DeviceError, Gpu};
use crate::device::{Arena, Leave};
use crate::sts::cuda::CudaChain;
use crate::sts::{ChainStage, Product};
use crate::timing::Stages;

/// Queues beside the one in which kernels are.
const UPLOADS: u32 = 1;
const DOWNLOADS: u32 = 2;

/// The stages between presort, which a copy goes before, and collect, which ends with one.
const FROM_ZERO_TO_HITS: [ChainStage; 5] = [
    ChainStage::Zero,
    ChainStage::Sort,
    ChainStage::Cluster,
    ChainStage::ClusterSort,
    ChainStage::Hits,
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
///
/// The stages before that run once: what they left is kept on the device, and copied there
/// before each further run. Chains that may keep nothing more run them each time.
pub(super) struct CudaChains<'a> {
    chains: Vec<CudaChain<'a>>,
    arena: &'a Arena,
    /// Bytes that all variants of the point may keep together.
    most_kept: u64,
    leaves: Vec<Leave<'a>>,
    /// The stage to be timed; all if there is none.
    stage: Option<ChainStage>,
    schedule: Schedule,
    gpu: Arc<Gpu>,
    /// What the last run left, once it was asked for.
    products: Vec<Product>,
}

impl<'a> CudaChains<'a> {
    pub(super) fn new(
        chains: Vec<CudaChain<'a>>,
        stage: Option<ChainStage>,
        schedule: Schedule,
        gpu: Arc<Gpu>,
        (arena, most_kept): (&'a Arena, u64),
    ) -> Self {
        CudaChains {
            chains,
            arena,
            most_kept,
            leaves: Vec::new(),
            stage,
            schedule,
            gpu,
            products: Vec::new(),
        }
    }

    /// What the stages before the one that is timed leave.
    fn provide(&mut self) -> Result<(), DeviceError> {
        let Some(stage) = self.stage.filter(|&stage| stage != ChainStage::ALL[0]) else {
            return Ok(());
        };
        for chain in &mut self.chains {
            if chain.restore()? {
                continue;
            }
            for before in ChainStage::ALL
                .into_iter()
                .take_while(|&other| other != stage)
            {
                chain.run(before)?;
            }
            let leave = self
                .arena
                .leave_to_keep(chain.bytes_to_keep(stage), self.most_kept);
            if let Some(leave) = leave {
                chain.keep(stage)?;
                self.leaves.extend(chain.keeps().then_some(leave));
            }
        }
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
            gpu.in_queue(DOWNLOADS, || chain.run(ChainStage::Collect))?;
            chains = others;
        }
        Ok(())
    }

    /// Stages of one timeslice after the other, as they would arrive.
    fn run_stages(
        &mut self,
        stages: impl Iterator<Item = ChainStage> + Clone,
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
fn product(chain: &mut CudaChain<'_>, stage: Option<ChainStage>) -> Result<Product, DeviceError> {
    match stage {
        Some(stage) => chain.product(stage),
        None => Ok(Product::Both(
            Box::new(chain.product(ChainStage::ClusterSort)?),
            Box::new(chain.product(ChainStage::Collect)?),
        )),
    }
}

impl Session<StsTask> for CudaChains<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.hold()?;
        }
        self.provide()
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.products.clear();
        let first = self.stage.unwrap_or(ChainStage::ALL[0]);
        for chain in &mut self.chains {
            chain.poison_from(first)?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let ran = match (self.stage, self.schedule) {
            (Some(stage), _) => self.run_stages(std::iter::once(stage)),
            (None, Schedule::InTurn) => self.run_stages(ChainStage::ALL.into_iter()),
            (None, Schedule::Overlapped) => self.run_overlapped(),
        };
        // Also after an error: what is under way must not reach buffers of others.
        let finished = self.gpu.finish();
        ran.and(finished)
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Damage> {
        let stage = self.stage;
        let products = self.chains.iter_mut().map(|chain| product(chain, stage));
        self.products = products.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// What [`Session::inspect`] has found.
    fn output(&self) -> Option<Cow<'_, Vec<Product>>> {
        Some(Cow::Borrowed(&self.products))
    }

    fn release(&mut self) {
        self.products = Vec::new();
        for chain in &mut self.chains {
            chain.release();
        }
    }

    /// With what is kept of the stages before: that is on the device too, and what the
    /// driver says is compared with this.
    fn buffer_bytes(&self) -> u64 {
        self.chains.iter().map(CudaChain::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use crate::device::emulator::{self, Config};
    use crate::sts::cuda::ChainConfig;
    use crate::sts::task::cuda_variants::*;
    use crate::sts::task::{Timeslices, check, hard_inputs};

    /// Runs a chain again and again, with and without poison and with buffers of its own
    /// each time: it is right each time. Returns how often stages before it ran.
    fn earlier_runs(
        stage: ChainStage,
        ways: ChainConfig,
        input: &Timeslices,
        gpu: &Arc<Gpu>,
        most_kept: u64,
    ) -> usize {
        let arena = Arena::default();
        let chain = |timeslice| CudaChain::new((timeslice, &arena), ways, Arc::clone(gpu));
        let chains = input.0.iter().map(chain).collect();
        let (schedule, kept) = (Schedule::InTurn, (&arena, most_kept));
        let mut session = CudaChains::new(chains, Some(stage), schedule, Arc::clone(gpu), kept);
        let expected = StsTask::of(stage).reference(input, input.online());
        let expected = expected.expect("one");
        for round in 0..4 {
            let run = session.reset().and_then(|()| match round % 2 {
                0 => session.poison(),
                _ => Ok(()),
            });
            assert_eq!(run.and_then(|()| session.run()), Ok(()));
            session.inspect().expect("products");
            let found = session.output().expect("a run");
            for (expected, found) in expected.iter().zip(found.iter()) {
                let checked = check::check(Some(stage), false, expected, found);
                assert_eq!(checked, Ok(()), "{stage:?} in round {round}");
            }
            if round > 0 {
                session.release();
            }
        }
        let ran = session.chains.iter().flat_map(|chain| &chain.ran);
        ran.filter(|&&other| other != stage).count()
    }

    /// The chains of which variants of a stage are parts.
    fn chains(stage: ChainStage) -> Vec<ChainConfig> {
        match stage {
            ChainStage::Presort => vec![ONLINE, TILES],
            ChainStage::Cluster => vec![ONLINE, PER_SIDE, LINKS],
            ChainStage::ClusterSort => vec![ONLINE, TIME_BINS],
            ChainStage::Hits => vec![ONLINE, BALANCED],
            _ => vec![ONLINE, MAPPED],
        }
    }

    fn check_stage(stage: ChainStage, gpu: &Arc<Gpu>) {
        let before = ChainStage::ALL.iter().take_while(|&&other| other != stage);
        let before = before.count();
        let small = |(_, input): &(String, Timeslices)| (1..1_500).contains(&input.digis());
        let inputs = hard_inputs::all(Some(stage), 5).into_iter().filter(small);
        let inputs: Vec<_> = inputs.take(3).collect();
        assert_eq!(inputs.len(), 3);
        for ways in chains(stage) {
            for (name, input) in &inputs {
                let runs = |most_kept| earlier_runs(stage, ways, input, gpu, most_kept);
                let once = before * input.0.len();
                assert_eq!(runs(u64::MAX), once, "{stage:?} on {name}");
            }
            let (name, input) = &inputs[0];
            let again = earlier_runs(stage, ways, input, gpu, 0);
            assert_eq!(again, 4 * before * input.0.len(), "{stage:?} on {name}");
        }
    }

    #[test]
    fn stages_before_a_stage_run_once() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        for stage in [
            ChainStage::Presort,
            ChainStage::Cluster,
            ChainStage::ClusterSort,
            ChainStage::Hits,
            ChainStage::Collect,
        ] {
            check_stage(stage, &gpu);
        }
    }
}
