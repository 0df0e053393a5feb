//! Chains on a GPU.

use std::sync::Arc;

use portable_gpu::timing::Laps;
use portable_gpu::{DeviceError, Gpu};

use super::Timeslices;
use super::session::Chains;
use crate::sts::chains::{Chain, Preconditions, Snapshot, with_or_without_unpacking};
use crate::sts::cuda::{
    Batch, ChainConfig, ChainOptions, CudaChain, DigestSums, HitCapacities, InputKind,
};
use crate::sts::{ChainStage, Product, Timeslice};
use tasks::algorithm::{Digest, Segments};
use tasks::device::{Arena, Execution, buffers};

/// Order in which timeslices run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// One after the other.
    InTurn,
    /// Small ones go through a chain together: kernels have more to do at a time.
    InBatches,
    /// One after the other; the steps in which the host need not wait are recorded before, and
    /// started as a graph.
    Recorded,
}

/// Timeslices go through a chain together as long as they have no more digis: there is enough to do
/// for all of a GPU.
const DIGIS_OF_BATCH: usize = 1 << 24;

/// Device and algorithms of the chains of an input.
#[derive(Clone)]
pub(super) struct CudaSetting<'a> {
    pub(super) arena: &'a Arena,
    pub(super) gpu: Arc<Gpu>,
    /// Threads of the host.
    pub(super) threads: usize,
    pub(super) config: ChainConfig,
}

impl<'a> CudaSetting<'a> {
    pub(super) fn execution(&self) -> Execution<'_, 'a> {
        Execution { gpu: &self.gpu, arena: self.arena, threads: self.threads }
    }

    pub(super) fn chain(
        &self,
        batch: Batch<'a>,
        input: InputKind,
        hits: HitCapacities,
    ) -> Result<CudaChain<'a>, DeviceError> {
        let options = ChainOptions { config: self.config, input };
        CudaChain::new(self.execution(), batch, options, hits)
    }

    /// The chains of all timeslices, up to a stage.
    pub(super) fn chains(
        self,
        input: &'a Timeslices,
        schedule: Schedule,
        stage: Option<ChainStage>,
    ) -> Chains<'a> {
        let chain = |batch| -> Box<dyn Chain + 'a> {
            Box::new(GpuChain {
                setting: self.clone(),
                batch,
                // A stage's task has the stream given, whatever that was made of.
                input: if stage.is_none() { InputKind::Raw } else { InputKind::Digis },
                is_recorded: schedule == Schedule::Recorded,
                capacities: HitCapacities::default(),
                sums: DigestSums::default(),
                chain: None,
            })
        };
        if self.makes_batches(&input.0, schedule) {
            Batch::divided(&input.0, DIGIS_OF_BATCH).into_iter().map(chain).collect()
        } else {
            input.0.iter().map(Batch::single).map(chain).collect()
        }
    }

    /// Digis only: raw data are unpacked timeslice by timeslice.
    fn makes_batches(&self, timeslices: &[Timeslice], schedule: Schedule) -> bool {
        let takes =
            |first: &Timeslice| CudaChain::takes_batches(&self.gpu, self.config, first.sides());
        schedule == Schedule::InBatches
            && timeslices.iter().all(|timeslice| timeslice.raw().is_none())
            && timeslices.first().is_some_and(takes)
    }
}

/// A chain for a timeslice or a batch of them.
struct GpuChain<'a> {
    setting: CudaSetting<'a>,
    batch: Batch<'a>,
    input: InputKind,
    is_recorded: bool,
    /// Hit capacities in the previous run.
    capacities: HitCapacities,
    sums: DigestSums,
    /// Present from the first run after buffers were taken.
    chain: Option<CudaChain<'a>>,
}

buffers!(GpuChain<'_>: chain);

impl<'a> GpuChain<'a> {
    /// The chain, whose buffers were taken, and its device.
    fn device_and_chain(&mut self) -> (&Gpu, &mut CudaChain<'a>) {
        (&self.setting.gpu, self.chain.as_mut().expect("buffers are taken before each run"))
    }

    /// Runs unpacking, if the chain starts from raw data, and presort.
    fn run_first(&mut self) -> Result<(), DeviceError> {
        if self.stages()[0] == ChainStage::Unpack {
            self.run(ChainStage::Unpack)?;
        }
        self.run(ChainStage::Presort)
    }
}

impl Chain for GpuChain<'_> {
    fn preconditions(&self) -> Preconditions {
        self.setting.config.preconditions()
    }

    fn take(&mut self, _: &Arena) -> Result<(), DeviceError> {
        self.chain = Some(self.setting.chain(self.batch, self.input, self.capacities)?);
        Ok(())
    }

    fn stages(&self) -> &'static [ChainStage] {
        let first = self.chain.as_ref().map(CudaChain::first_stage);
        with_or_without_unpacking(&ChainStage::ALL, first == Some(ChainStage::Unpack))
    }

    fn run(&mut self, stage: ChainStage) -> Result<(), DeviceError> {
        let (gpu, chain) = self.device_and_chain();
        gpu.scope(stage.name(), || chain.run(gpu, stage))
    }

    fn inputs_of(&mut self, next: ChainStage) -> Vec<Box<dyn Snapshot + '_>> {
        let (gpu, chain) = self.device_and_chain();
        chain.inputs_of(gpu, next)
    }

    fn after_restore(&mut self, next: ChainStage) -> Result<(), DeviceError> {
        let (gpu, chain) = self.device_and_chain();
        chain.after_restore(gpu, next)
    }

    /// Records the steps that can be recorded, after the partition into sides is known.
    fn prepare(&mut self) -> Result<(), DeviceError> {
        if !self.is_recorded {
            return Ok(());
        }
        self.run_first()?;
        let (gpu, chain) = self.device_and_chain();
        gpu.finish()?;
        chain.record(gpu)
    }

    fn run_all(&mut self, _: &mut Laps) -> Result<(), DeviceError> {
        if self.is_recorded {
            self.run_first()?;
            let (gpu, chain) = self.device_and_chain();
            chain.run_recorded(gpu)?;
            self.run(ChainStage::Hits)?;
            return self.run(ChainStage::Collect);
        }
        let (gpu, chain) = self.device_and_chain();
        chain.run_steps(gpu)
    }

    fn products(&mut self, stage: Option<ChainStage>) -> Result<Vec<Product>, DeviceError> {
        let timeslices = self.batch.count();
        let (gpu, chain) = self.device_and_chain();
        let product = Product::for_stage(stage, |stage| chain.product(gpu, stage))?;
        Ok(product.of_timeslices(timeslices))
    }

    /// Segments of several timeslices that went through a chain together are not those of each.
    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, DeviceError> {
        let GpuChain { setting: CudaSetting { gpu, .. }, batch, sums, chain, .. } = self;
        match chain {
            Some(chain) if batch.count() == 1 && gpu.maps_memory() => {
                chain.digest(gpu, sums, segments).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn release(&mut self, _: &Arena) {
        if let Some(chain) = self.chain.take() {
            self.capacities = chain.capacities();
        }
    }
}

#[cfg(test)]
mod tests {
    use generators_common::partition::Partition;
    use generators_sts::SegmentedDigis;
    use generators_sts::setup::Setup;

    use portable_gpu::emulator::{self, Config};

    use super::*;
    use crate::sts::digest_of;
    use crate::sts::task::cuda_variants::*;
    use crate::sts::task::session::tests::{check_digests, earlier_runs};
    use crate::sts::task::session::{ChainSession, SavedIn};
    use crate::sts::task::{STS, StsTask, hard_inputs};
    use tasks::algorithm::{Algorithm, Semantics};

    fn session<'a>(
        gpu: &Arc<Gpu>,
        arena: &'a Arena,
        input: &'a Timeslices,
        config: ChainConfig,
        stage: Option<ChainStage>,
    ) -> ChainSession<'a> {
        let setting = CudaSetting { arena, gpu: Arc::clone(gpu), threads: 2, config };
        let chains = setting.chains(input, Schedule::InTurn, stage);
        ChainSession::new(chains, input, stage, arena, SavedIn::Device)
    }

    /// The chains of which variants of a stage are parts.
    fn chains(stage: ChainStage) -> &'static [ChainConfig] {
        match stage {
            ChainStage::Presort => &[ONLINE, PER_SIDE, LINKS],
            ChainStage::Cluster => &[ONLINE, PER_SIDE, LINKS, WHOLE_SIDES],
            ChainStage::ClusterSort => &[ONLINE, LINKS],
            ChainStage::Hits => &[ONLINE, PER_SIDE, BALANCED],
            _ => &[ONLINE, BALANCED, MAPPED],
        }
    }

    fn check_stage(stage: ChainStage, gpu: &Arc<Gpu>) {
        let small = |(_, input): &(String, Timeslices)| (1..1_500).contains(&input.digis());
        let inputs = hard_inputs::all(Some(stage), 5).into_iter().filter(small);
        let inputs: Vec<_> = inputs.take(2).collect();
        assert_eq!(inputs.len(), 2);
        let runs = |config, input: &Timeslices, max_saved| {
            let arena = Arena::default();
            let expected = StsTask::for_stage(stage).reference(input, input.online());
            let session = session(gpu, &arena, input, config, Some(stage));
            earlier_runs(session, max_saved, &expected.expect("one"), |work| {
                work()?;
                gpu.finish()
            })
        };
        for &config in chains(stage) {
            for (name, input) in &inputs {
                let once = stage.before().count() * input.0.len();
                assert_eq!(runs(config, input, u64::MAX), once, "{stage:?} on {name}");
            }
            // Before each of four runs and two poisons.
            let (name, input) = &inputs[0];
            let again = 6 * stage.before().count() * input.0.len();
            assert_eq!(runs(config, input, 0), again, "{stage:?} on {name}");
        }
    }

    #[test]
    fn digests_on_the_device_are_those_of_copies() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let has_hits = |input: &Timeslices| {
            let right = STS.reference(input, input.online()).unwrap_or_default();
            input.digis() < 6_000 && digest_of(&right, Segments::ALL).counts[1] > 10
        };
        let inputs = hard_inputs::all(None, 5).into_iter().map(|(_, input)| input);
        for input in inputs.filter(has_hits).take(2) {
            for config in [ONLINE, BALANCED, WHOLE_SIDES, MAPPED] {
                let arena = Arena::default();
                let session = session(&gpu, &arena, &input, config, None);
                let hits = check_digests(session, |work| {
                    work()?;
                    gpu.finish()
                });
                assert!(hits > 10);
            }
        }
    }

    /// Two without a digi have no more digis together than each.
    #[test]
    fn timeslices_share_a_chain_only_in_batches() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let setup = Arc::new(Setup::regular(1).expect("sensible"));
        let none = SegmentedDigis::new(Vec::new(), Partition::from_lengths([0, 0]));
        let timeslice = Timeslice::new(none, setup, Semantics::default());
        let input = Timeslices(vec![timeslice; 2]);
        let arena = Arena::default();
        let chains = |config, schedule| {
            let gpu = Arc::clone(&gpu);
            let setting = CudaSetting { arena: &arena, gpu, threads: 2, config };
            setting.chains(&input, schedule, None).len()
        };
        assert_eq!(chains(ONLINE, Schedule::InTurn), 2);
        assert_eq!(chains(BALANCED, Schedule::InTurn), 2);
        assert_eq!(chains(BALANCED, Schedule::InBatches), 1);
    }

    #[test]
    fn stages_before_a_stage_run_once() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        for stage in StsTask::STAGES {
            check_stage(stage, &gpu);
        }
    }
}
