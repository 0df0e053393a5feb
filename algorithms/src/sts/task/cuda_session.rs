//! A chain on a GPU, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::sync::Arc;

use super::{StsTask, Timeslices};
use crate::algorithm::{CheckError, Digest, InputState, Runner, Segments};
use crate::device::gpu::{DeviceError, Gpu};
use crate::device::{Arena, Execution, Reservation};
use crate::sts::cuda::{
    Batch, ChainConfig, ChainOptions, CudaChain, DigestSums, HitCapacities, InputKind, SavedStage,
    Step,
};
use crate::sts::{ChainStage, Product, Timeslice};

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

/// A chain for each timeslice or batch of them, of which one stage or all are timed.
///
/// The stages before the timed one run once: their outputs are saved on the device, and copied back
/// before each further run. Chains without memory for that run them each time.
pub(super) struct CudaChains<'a> {
    input: &'a Timeslices,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    config: ChainConfig,
    schedule: Schedule,
    /// Threads of the host.
    threads: usize,
    /// The timed stage; all if there is none.
    stage: Option<ChainStage>,
    /// Bytes that all variants of the point may keep together.
    max_saved: u64,
    /// Hit capacities of each chain in the previous run.
    capacities: Vec<HitCapacities>,
    /// Outputs of the earlier stages in each chain, once they are saved.
    saved: Vec<Option<(SavedStage, Reservation<'a>)>>,
    /// Output of the previous run, once it was requested.
    products: Vec<Product>,
    sums: DigestSums,
    /// Number of runs of earlier stages.
    #[cfg(test)]
    ran_before: usize,
}

impl<'a> CudaChains<'a> {
    pub(super) fn new(
        execution: Execution<'_, 'a>,
        input: &'a Timeslices,
        config: ChainConfig,
        schedule: Schedule,
        stage: Option<ChainStage>,
    ) -> Self {
        CudaChains {
            input,
            arena: execution.arena,
            gpu: Arc::clone(execution.gpu),
            config,
            schedule,
            threads: execution.threads,
            stage,
            max_saved: input.max_saved(),
            capacities: Vec::new(),
            saved: input.0.iter().map(|_| None).collect(),
            products: Vec::new(),
            sums: DigestSums::default(),
            #[cfg(test)]
            ran_before: 0,
        }
    }

    /// Batches of timeslices that go through a chain together.
    fn batches(&self) -> Vec<Batch<'a>> {
        let timeslices = &self.input.0;
        if self.makes_batches() {
            Batch::divided(timeslices, DIGIS_OF_BATCH)
        } else {
            timeslices.iter().map(Batch::single).collect()
        }
    }

    /// Digis only: raw data are unpacked timeslice by timeslice.
    fn makes_batches(&self) -> bool {
        let timeslices = &self.input.0;
        let takes =
            |first: &Timeslice| CudaChain::takes_batches(&self.gpu, self.config, first.sides());
        self.schedule == Schedule::InBatches
            && timeslices.iter().all(|timeslice| timeslice.raw().is_none())
            && timeslices.first().is_some_and(takes)
    }

    /// A stage's task has the stream given, whatever that was made of.
    fn start(&self) -> InputKind {
        if self.stage.is_none() { InputKind::Raw } else { InputKind::Digis }
    }

    /// Runs the stages before `stage`, and saves their outputs if a reservation of memory succeeds.
    fn run_before(
        &mut self,
        chain: &mut CudaChain<'a>,
        stage: ChainStage,
    ) -> Result<Option<(SavedStage, Reservation<'a>)>, DeviceError> {
        for before in stage.before() {
            run(&self.gpu, chain, before)?;
            #[cfg(test)]
            {
                self.ran_before += 1;
            }
        }
        let bytes = chain.bytes_to_save(stage);
        let Some(leave) = self.arena.reserve(bytes, self.max_saved) else {
            return Ok(None);
        };
        match chain.save(&self.gpu, stage) {
            Ok(saved) => Ok(Some((saved, leave))),
            Err(DeviceError::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Records the steps of each timeslice that can be recorded, after its partition into sides is
    /// known.
    fn record(&self, chains: &mut [CudaChain<'a>]) -> Result<(), DeviceError> {
        for chain in chains {
            run_first(&self.gpu, chain)?;
            self.gpu.finish()?;
            chain.record(&self.gpu)?;
        }
        Ok(())
    }

    fn run_recorded(&self, chains: &mut [CudaChain<'a>]) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        for chain in chains {
            run_first(gpu, chain)?;
            chain.run_recorded(gpu)?;
            run(gpu, chain, ChainStage::Hits)?;
            run(gpu, chain, ChainStage::Collect)?;
        }
        Ok(())
    }
}

fn run(gpu: &Gpu, chain: &mut CudaChain<'_>, stage: ChainStage) -> Result<(), DeviceError> {
    gpu.scope(stage.name(), || chain.run(gpu, stage))
}

/// Runs unpacking, if the chain starts from raw data, and presort.
fn run_first(gpu: &Gpu, chain: &mut CudaChain<'_>) -> Result<(), DeviceError> {
    if chain.first_stage() == ChainStage::Unpack {
        run(gpu, chain, ChainStage::Unpack)?;
    }
    run(gpu, chain, ChainStage::Presort)
}

/// All steps of one timeslice after the other, as they would arrive.
fn run_all(gpu: &Gpu, chains: &mut [CudaChain<'_>]) -> Result<(), DeviceError> {
    let run = |chain: &mut CudaChain<'_>| {
        Step::ALL.into_iter().try_for_each(|step| chain.step(gpu, step))
    };
    chains.iter_mut().try_for_each(run)
}

/// A stage of one timeslice after the other.
fn run_in_turn(
    gpu: &Gpu,
    chains: &mut [CudaChain<'_>],
    stage: ChainStage,
) -> Result<(), DeviceError> {
    chains.iter_mut().try_for_each(|chain| run(gpu, chain, stage))
}

impl<'a> Runner<StsTask> for CudaChains<'a> {
    type Buffers = Vec<CudaChain<'a>>;

    fn allocate(&self) -> Result<Vec<CudaChain<'a>>, DeviceError> {
        let execution = Execution { gpu: &self.gpu, arena: self.arena, threads: self.threads };
        let options = ChainOptions { config: self.config, input: self.start() };
        let chain = |(index, batch)| {
            let capacities = self.capacities.get(index).copied().unwrap_or_default();
            CudaChain::new(execution, batch, options, capacities)
        };
        self.batches().into_iter().enumerate().map(chain).collect()
    }

    /// Provides the outputs of the stages before the timed one.
    fn load(&mut self, chains: &mut Vec<CudaChain<'a>>) -> Result<(), DeviceError> {
        if self.schedule == Schedule::Recorded {
            return self.record(chains);
        }
        let Some(stage) = self.stage.filter(|&stage| stage != ChainStage::Presort) else {
            return Ok(());
        };
        for (index, chain) in chains.iter_mut().enumerate() {
            if let Some((saved, _)) = &self.saved[index] {
                chain.restore(&self.gpu, stage, saved)?;
            } else {
                self.saved[index] = self.run_before(chain, stage)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, chains: &mut Vec<CudaChain<'a>>) -> Result<(), DeviceError> {
        match (self.stage, self.schedule) {
            (_, Schedule::Recorded) => self.run_recorded(chains),
            (Some(stage), _) => run_in_turn(&self.gpu, chains, stage),
            (None, Schedule::InTurn | Schedule::InBatches) => run_all(&self.gpu, chains),
        }
    }

    fn inspect(&mut self, chains: &mut Vec<CudaChain<'a>>) -> Result<(), CheckError> {
        let gpu = &self.gpu;
        let stage = self.stage;
        let product = |chain: &mut CudaChain<'_>| {
            Product::for_stage(stage, |stage| chain.product(gpu, stage))
        };
        let counts: Vec<_> = self.batches().into_iter().map(Batch::count).collect();
        self.products.clear();
        for (chain, count) in chains.iter_mut().zip(counts) {
            self.products.extend(product(chain)?.of_timeslices(count));
        }
        Ok(())
    }

    fn digest(
        &mut self,
        chains: &mut Vec<CudaChain<'a>>,
        segments: Segments,
    ) -> Result<Option<Digest>, CheckError> {
        // Segments of several timeslices that went through a chain together are not those of each.
        let is_whole = self.stage.is_none() && chains.len() == self.input.0.len();
        if !is_whole || !self.gpu.maps_memory() {
            return Ok(None);
        }
        let digests = chains.iter_mut().map(|it| it.digest(&self.gpu, &mut self.sums, segments));
        Ok(Some(digests.sum::<Result<_, _>>()?))
    }

    fn output<'b>(&'b self, _: &'b Vec<CudaChain<'a>>) -> Cow<'b, Vec<Product>> {
        Cow::Borrowed(&self.products)
    }

    fn given(&self) -> InputState {
        let given = |stage| self.config.given(stage);
        match self.stage {
            Some(stage) => InputState::whole(given(stage)),
            None => InputState::stages(ChainStage::ALL.map(|stage| (stage.name(), given(stage)))),
        }
    }

    fn note(&mut self, chains: &Vec<CudaChain<'a>>) {
        self.capacities = chains.iter().map(CudaChain::capacities).collect();
    }

    /// Saved outputs of earlier stages are on the device too, and this sum is compared with the
    /// driver's figure.
    fn input_bytes(&self) -> u64 {
        let saved = self.saved.iter().flatten();
        saved.map(|(saved, _)| saved.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use generators::partition::Partition;
    use generators::sts::setup::Setup;
    use generators::sts::{Address, Digi, DigiShape, Order, SegmentedDigis, Skew, generate};

    use super::*;
    use crate::algorithm::{Algorithm, Semantics};
    use crate::device::Buffers;
    use crate::device::emulator::{self, Config};
    use crate::sts::digest_of;
    use crate::sts::task::cuda_variants::*;
    use crate::sts::task::{STS, check, hard_inputs};

    /// Runs a chain repeatedly, with and without poison and with new buffers each time: the result
    /// is right each time. Returns how often earlier stages ran.
    fn earlier_runs(
        stage: ChainStage,
        config: ChainConfig,
        input: &Timeslices,
        gpu: &Arc<Gpu>,
        max_saved: u64,
    ) -> Result<usize, CheckError> {
        let arena = Arena::default();
        let execution = Execution { gpu, arena: &arena, threads: 2 };
        let mut runner = CudaChains::new(execution, input, config, Schedule::InTurn, Some(stage));
        runner.max_saved = max_saved;
        let expected = StsTask::for_stage(stage).reference(input, input.online());
        let expected = expected.expect("one");
        for round in 0..4 {
            let mut chains = runner.allocate()?;
            runner.load(&mut chains)?;
            if round % 2 == 0 {
                chains.poison()?;
                runner.load(&mut chains)?;
            }
            runner.run(&mut chains)?;
            gpu.finish()?;
            runner.inspect(&mut chains)?;
            for (expected, found) in expected.iter().zip(runner.output(&chains).iter()) {
                let checked = check::check(Some(stage), false, expected, found);
                assert_eq!(checked, Ok(()), "{stage:?} in round {round}");
            }
            runner.note(&chains);
        }
        Ok(runner.ran_before)
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
        for &config in chains(stage) {
            for (name, input) in &inputs {
                let once = stage.before().count() * input.0.len();
                let runs = |max_saved| earlier_runs(stage, config, input, gpu, max_saved);
                assert_eq!(runs(u64::MAX).expect(name), once, "{stage:?} on {name}");
            }
            // Before each of four runs and two poisons.
            let (name, input) = &inputs[0];
            let again = 6 * stage.before().count() * input.0.len();
            let runs = earlier_runs(stage, config, input, gpu, 0).expect(name);
            assert_eq!(runs, again, "{stage:?} on {name}");
        }
    }

    #[test]
    fn digests_on_the_device_are_those_of_copies() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let has_hits = |(_, input): &(String, Timeslices)| {
            let right = STS.reference(input, input.online()).unwrap_or_default();
            input.digis() < 6_000 && digest_of(&right, Segments::ALL).counts[1] > 10
        };
        let inputs = hard_inputs::all(None, 5).into_iter().filter(has_hits);
        let inputs: Vec<_> = inputs.take(2).collect();
        assert_eq!(inputs.len(), 2);
        for (name, input) in &inputs {
            for config in [ONLINE, BALANCED, WHOLE_SIDES, MAPPED] {
                let arena = Arena::default();
                let execution = Execution { gpu: &gpu, arena: &arena, threads: 2 };
                let mut runner = CudaChains::new(execution, input, config, Schedule::InTurn, None);
                let mut chains = runner.allocate().expect("enough space");
                runner.load(&mut chains).and_then(|()| runner.run(&mut chains)).expect("no fault");
                gpu.finish().expect("an end");
                runner.inspect(&mut chains).expect("no damage");
                for segments in [Segments::ALL, Segments::every(2, 1), Segments::every(5, 4)] {
                    let found = runner.digest(&mut chains, segments).expect("no damage");
                    let right = digest_of(&runner.products, segments);
                    assert_eq!(found, Some(right), "{name} {segments:?}");
                }
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
            let execution = Execution { gpu: &gpu, arena: &arena, threads: 2 };
            let runner = CudaChains::new(execution, &input, config, schedule, None);
            runner.allocate().expect("enough space").len()
        };
        assert_eq!(chains(ONLINE, Schedule::InTurn), 2);
        assert_eq!(chains(BALANCED, Schedule::InTurn), 2);
        assert_eq!(chains(BALANCED, Schedule::InBatches), 1);
    }

    /// Compares the clusters in order of time, if single blocks process small sides.
    fn check_fused_sides(gpu: &Arc<Gpu>, digis: &SegmentedDigis, steps: &[Step]) {
        for online in [Semantics::Exact, Semantics::Published] {
            let setup = Setup::regular(digis.partition().segments() / 2).expect("sensible");
            let timeslice = Timeslice::new(digis.clone(), Arc::new(setup), online);
            let stage = ChainStage::ClusterSort;
            let arena = Arena::default();
            let execution = Execution { gpu, arena: &arena, threads: 2 };
            let options = ChainOptions { config: WHOLE_SIDES, input: InputKind::Digis };
            let batch = Batch::single(&timeslice);
            let chain = CudaChain::new(execution, batch, options, HitCapacities::default());
            let mut chain = chain.expect("enough space");
            chain.poison().expect("no fault");
            steps.iter().try_for_each(|&step| chain.step(gpu, step)).expect("no fault");
            gpu.finish().expect("an end");
            let found = chain.product(gpu, stage).expect("a copy");
            let input = Timeslices(vec![timeslice.clone()]);
            let expected = StsTask::for_stage(stage).reference(&input, online).expect("one");
            assert_eq!(
                check::check(Some(stage), false, &expected[0], &found),
                Ok(()),
                "{online:?}"
            );
        }
    }

    #[test]
    fn hits_beyond_the_capacity_are_counted_and_found_again() {
        let Some(gpu) = emulator::gpu_for_tests(Config { checked: true, ..Config::default() })
        else {
            return;
        };
        let stage = ChainStage::Hits;
        let arena = Arena::default();
        let inputs = hard_inputs::all(Some(stage), 5).into_iter().map(|(_, input)| input);
        let inputs = inputs.filter(|input| (50..6_000).contains(&input.digis()));
        let with_hits = inputs.filter_map(|input| {
            let expected = StsTask::for_stage(stage).reference(&input, input.online())?;
            let hits: u64 = digest_of(&expected, Segments::ALL).counts.iter().sum();
            (hits > 10).then_some((input, expected))
        });
        let mut tried = 0;
        for (input, expected) in with_hits.take(2) {
            for config in [ONLINE, BALANCED] {
                let execution = Execution { gpu: &gpu, arena: &arena, threads: 1 };
                let batch = Batch::single(&input.0[0]);
                let options = ChainOptions { config, input: InputKind::Digis };
                let chain = CudaChain::new(execution, batch, options, HitCapacities::default());
                let mut chain = chain.expect("buffers");
                let steps = Step::ALL.iter().try_for_each(|&step| chain.step(&gpu, step));
                assert_eq!(steps, Ok(()));
                assert_eq!(chain.find_hits_with_smaller_buckets(&gpu), Ok(()));
                let found = chain.product(&gpu, stage).expect("a copy");
                assert_eq!(check::check(Some(stage), false, &expected[0], &found), Ok(()));
                tried += 1;
            }
        }
        assert_eq!(tried, 4);
    }

    /// Sides that fit into a block's shared memory with one or several blocks per multiprocessor,
    /// sides whose digis or clusters a block cannot sort, and sides that do not fit.
    fn sides_of_all_sizes(timeslice_ns: u64) -> SegmentedDigis {
        let shape = DigiShape {
            segments: 16,
            digis: 250_000,
            order: Order::Random,
            skew: Skew::Ratio(30.0),
            duplicates: 0.1,
            timeslice_ns,
        };
        let digis = generate(&shape, 7).expect("sensible");
        let has = |min, below| {
            let mut lengths = digis.partition().lengths();
            lengths.any(|length| (min..below).contains(&length))
        };
        assert!(has(1, 8192) && has(8193, 16_384) && has(16_385, 40_961) && has(40_961, 1 << 20));
        digis
    }

    #[test]
    fn fused_kernels_take_sides_of_all_sizes() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let [distribute, find_clusters, find_hits, _] = Step::ALL;
        let chains = sides_of_all_sizes(1_500);
        check_fused_sides(&gpu, &chains, &[distribute, find_clusters]);
        let single_digis = sides_of_all_sizes(20_000_000);
        check_fused_sides(&gpu, &single_digis, &[distribute, find_clusters, find_hits]);
    }

    /// Many digis of nearly the same time, for which bins of time do not help.
    #[test]
    fn fused_kernels_take_crowded_sides() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let digi =
            |i: u32| Digi::new(Address::of_module(0), (i % 20) as u16, i / 20 % 7, i as u8 % 32);
        let [front, back] = [6_000, 9_000].map(|count| (0..count).map(digi).collect::<Vec<_>>());
        let digis = SegmentedDigis::from_segments(&[front, back]);
        let [distribute, find_clusters, ..] = Step::ALL;
        check_fused_sides(&gpu, &digis, &[distribute, find_clusters]);
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
