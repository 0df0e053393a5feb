//! The chain on a GPU in several queues: timeslices, or parts of a large one, are copied while others
//! are at work.

use portable_gpu::timing::Laps;
use portable_gpu::{DeviceError, Gpu, MAX_QUEUES};

use super::Timeslices;
use super::cuda_session::CudaSetting;
use crate::sts::chains::{Chain, Preconditions};
use crate::sts::cuda::{Batch, CudaChain, DigestSums, HitCapacities, InputKind, Step, TimeParts};
use crate::sts::{ChainStage, Product, Timeslice};
use tasks::algorithm::{Digest, Segments};
use tasks::device::{Arena, buffers};

/// Minimum number of digis per part: a timeslice with fewer is not split, because kernels would
/// have too little to do.
const DIGIS_OF_PART: usize = 2 << 20;
/// More parts end no earlier.
const MAX_PARTS: usize = 6;

/// Chains whose steps are interleaved: while the host waits for one, the device works on others.
pub(super) struct OverlappedChains<'a> {
    setting: CudaSetting<'a>,
    input: &'a Timeslices,
    digis_of_part: usize,
    /// Hit capacities of each chain of each timeslice in the previous run; the first is the unsplit
    /// chain.
    capacities: Vec<Vec<HitCapacities>>,
    sums: DigestSums,
    /// Present while there are buffers.
    timeslices: Vec<ChainsOfTimeslice<'a>>,
}

buffers!(OverlappedChains<'_>: timeslices);

/// The chains of a timeslice.
struct ChainsOfTimeslice<'a> {
    timeslice: &'a Timeslice,
    /// Chain for the whole timeslice: used if it cannot be split, or was not split cleanly.
    unsplit: Option<CudaChain<'a>>,
    parts: Vec<CudaChain<'a>>,
    splitter: Option<TimeParts<'a>>,
    /// True if the parts' results are used, not the unsplit chain's.
    is_split: bool,
}

buffers!(ChainsOfTimeslice<'_>: unsplit, parts);

impl<'a> OverlappedChains<'a> {
    pub(super) fn new(setting: CudaSetting<'a>, input: &'a Timeslices) -> Self {
        OverlappedChains {
            setting,
            input,
            digis_of_part: DIGIS_OF_PART,
            capacities: vec![Vec::new(); input.0.len()],
            sums: DigestSums::default(),
            timeslices: Vec::new(),
        }
    }

    /// Chains for the parts of a timeslice; none if it is small, or cannot be split.
    fn parts(
        &self,
        timeslice: &'a Timeslice,
        capacities: &[HitCapacities],
    ) -> Result<Option<(TimeParts<'a>, Vec<CudaChain<'a>>)>, DeviceError> {
        let count = MAX_PARTS.min(timeslice.stream().len() / self.digis_of_part.max(1));
        if count < 2 || timeslice.raw().is_some() {
            return Ok(None);
        }
        let execution = self.setting.execution();
        let config = self.setting.config;
        let Some(splitter) = TimeParts::new(execution, timeslice, count)? else { return Ok(None) };
        let chain = |part: usize| {
            let hits = capacities.get(1 + part).copied().unwrap_or_default();
            CudaChain::of_parts(execution, timeslice, config, splitter.max_digis(), hits)
        };
        let parts: Option<Vec<_>> =
            (0..count).map(chain).collect::<Result<Vec<_>, _>>()?.into_iter().collect();
        Ok(parts.map(|parts| (splitter, parts)))
    }

    fn chains_of(
        &self,
        timeslice: &'a Timeslice,
        capacities: &[HitCapacities],
    ) -> Result<ChainsOfTimeslice<'a>, DeviceError> {
        let (splitter, parts) = self.parts(timeslice, capacities)?.unzip();
        let parts = parts.unwrap_or_default();
        let unsplit = match splitter {
            Some(_) => None,
            None => Some(unsplit(&self.setting, timeslice, capacities)?),
        };
        Ok(ChainsOfTimeslice { timeslice, unsplit, parts, splitter, is_split: false })
    }
}

/// A chain for a whole timeslice.
fn unsplit<'a>(
    setting: &CudaSetting<'a>,
    timeslice: &'a Timeslice,
    capacities: &[HitCapacities],
) -> Result<CudaChain<'a>, DeviceError> {
    let hits = capacities.first().copied().unwrap_or_default();
    setting.chain(Batch::single(timeslice), InputKind::Raw, hits)
}

impl<'a> ChainsOfTimeslice<'a> {
    /// Chains that are to run, or have run.
    fn chosen_mut(&mut self) -> &mut [CudaChain<'a>] {
        if self.is_split { &mut self.parts } else { self.unsplit.as_mut_slice() }
    }

    /// Lets a chain take a step; none if the timeslice turned out to have too few gaps.
    fn step(&mut self, gpu: &Gpu, index: usize, step: Step) -> Result<(), DeviceError> {
        if self.is_split && step == Step::Distribute {
            let part = self.splitter.as_mut().and_then(|splitter| splitter.part(index));
            match part {
                Some(part) => self.parts[index].take_part(part),
                None => self.is_split = false,
            }
        }
        let chain = self.chosen_mut().get_mut(index);
        chain.map_or(Ok(()), |chain| chain.step(gpu, step))
    }

    /// True if all digis went through the chains. There are too few if some are in none of the
    /// parts: digis whose time does not fit their index in the stream.
    fn is_done(&self) -> bool {
        let digis: usize = self.parts.iter().map(CudaChain::digis).sum();
        if self.is_split { digis == self.timeslice.stream().len() } else { self.unsplit.is_some() }
    }

    fn product(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<Product, DeviceError> {
        let parts = self.chosen_mut().iter_mut();
        let products: Vec<_> =
            parts.map(|chain| chain.product(gpu, stage)).collect::<Result<_, _>>()?;
        Ok(Product::joined(products))
    }
}

/// Runs all steps of all chains. In each round some chains run a step, each in its own queue: a
/// step starts with the counts that the step before has copied to the host. The latest chains go
/// first, so that the device has work from them while the host waits for the others.
fn run_pipelined(gpu: &Gpu, all: &mut [ChainsOfTimeslice<'_>]) -> Result<(), DeviceError> {
    let numbers = |(timeslice, chains): (usize, &mut ChainsOfTimeslice<'_>)| {
        (0..chains.chosen_mut().len()).map(move |part| (timeslice, part))
    };
    let chains: Vec<_> = all.iter_mut().enumerate().flat_map(numbers).collect();
    for turn in 0..chains.len() + Step::ALL.len() - 1 {
        for (index, step) in Step::ALL.into_iter().enumerate() {
            let Some(chain) = turn.checked_sub(index) else { continue };
            if let Some(&(timeslice, part)) = chains.get(chain) {
                let queue = chain as u32 % MAX_QUEUES;
                gpu.with_queue(queue, |gpu| all[timeslice].step(gpu, part, step))?;
            }
        }
    }
    Ok(())
}

impl<'a> Chain for OverlappedChains<'a> {
    fn preconditions(&self) -> Preconditions {
        self.setting.config.preconditions()
    }

    fn take(&mut self, _: &Arena) -> Result<(), DeviceError> {
        let timeslices = self.input.0.iter().zip(&self.capacities);
        let chains =
            timeslices.map(|(timeslice, capacities)| self.chains_of(timeslice, capacities));
        self.timeslices = chains.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Re-runs each timeslice that could not be split cleanly as one chain.
    fn run_all(&mut self, _: &mut Laps) -> Result<(), DeviceError> {
        let OverlappedChains { setting, timeslices, capacities, .. } = self;
        let gpu = &*setting.gpu;
        timeslices.iter_mut().for_each(|chains| chains.is_split = chains.splitter.is_some());
        gpu.with_small_copies_by_kernel(|| run_pipelined(gpu, timeslices))?;
        for (chains, capacities) in timeslices.iter_mut().zip(capacities) {
            if !chains.is_done() {
                gpu.finish()?;
                chains.is_split = false;
                let whole = unsplit(setting, chains.timeslice, capacities)?;
                chains.unsplit.insert(whole).run_steps(gpu)?;
            }
        }
        Ok(())
    }

    fn products(&mut self, stage: Option<ChainStage>) -> Result<Vec<Product>, DeviceError> {
        let gpu = &*self.setting.gpu;
        let product = |chains: &mut ChainsOfTimeslice<'_>| {
            Product::for_stage(stage, |stage| chains.product(gpu, stage))
        };
        self.timeslices.iter_mut().map(product).collect()
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, DeviceError> {
        let gpu = &*self.setting.gpu;
        if !gpu.maps_memory() {
            return Ok(None);
        }
        let chains = self.timeslices.iter_mut().flat_map(ChainsOfTimeslice::chosen_mut);
        let digests = chains.map(|chain| chain.digest(gpu, &mut self.sums, segments));
        digests.sum::<Result<_, _>>().map(Some)
    }

    fn release(&mut self, _: &Arena) {
        for (chains, capacities) in self.timeslices.drain(..).zip(&mut self.capacities) {
            let unsplit = chains.unsplit.as_ref().map(CudaChain::capacities);
            let unsplit = unsplit.or(capacities.first().copied()).unwrap_or_default();
            let parts = chains.parts.iter().map(CudaChain::capacities);
            *capacities = [unsplit].into_iter().chain(parts).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use generators_sts::setup::Setup;
    use generators_sts::{Address, Digi, SegmentedDigis};
    use portable_gpu::emulator::{self, Config};

    use super::*;
    use crate::sts::task::cuda_variants::BALANCED;
    use crate::sts::task::{STS, check, hard_inputs};
    use tasks::algorithm::{Algorithm, CheckError, Semantics};
    use tasks::device::Buffers;

    /// Runs an input several times, in parts of few digis; the result is right each time. Returns
    /// the number of timeslices that stayed split, and of those that ran again unsplit.
    fn run(input: &Timeslices, gpu: &Arc<Gpu>) -> Result<[usize; 2], CheckError> {
        let arena = Arena::default();
        let gpu = Arc::clone(gpu);
        let setting = CudaSetting { arena: &arena, gpu, threads: 2, config: BALANCED };
        let mut all = OverlappedChains::new(setting, input);
        all.digis_of_part = 300;
        let expected = STS.reference(input, input.online()).expect("one");
        let mut counts = [0; 2];
        for round in 0..2 {
            all.take(&arena)?;
            all.poison()?;
            all.run_all(&mut Laps::default())?;
            all.setting.gpu.finish()?;
            for (expected, found) in expected.iter().zip(all.products(None)?) {
                assert_eq!(check::check(None, false, expected, &found), Ok(()), "round {round}");
            }
            let (used, again): (Vec<_>, Vec<_>) = all
                .timeslices
                .iter()
                .filter(|chains| chains.splitter.is_some())
                .partition(|chains| chains.is_split);
            counts = [used.len(), again.len()];
            all.release(&arena);
        }
        Ok(counts)
    }

    /// Single digis of a module, the last of which comes late.
    fn late() -> Timeslices {
        let digi = |i: u32| Digi::new(Address::of_module(0), 5, 100 * i, 7);
        let back: Vec<_> = (0..500).map(digi).collect();
        let front = [back.as_slice(), &[digi(20)]].concat();
        let digis = SegmentedDigis::from_segments(&[front, back]);
        let setup = Setup::regular(1).expect("a setup");
        Timeslices(vec![Timeslice::new(digis, Arc::new(setup), Semantics::Exact)])
    }

    #[test]
    fn timeslices_in_parts_are_right() {
        let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
            return;
        };
        let small = |input: &Timeslices| (600..4_000).contains(&input.digis());
        let inputs = hard_inputs::all(None, 5).into_iter().map(|(_, input)| input);
        let inputs = inputs.filter(|input| small(input) && input.online() == Semantics::Exact);
        let counts = inputs.map(|input| run(&input, &gpu).expect("no damage"));
        let [used, again] =
            counts.fold([0; 2], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
        assert!(used > 1 && again > 1, "{used} timeslices are cut, {again} are not");
        assert_eq!(run(&late(), &gpu).expect("no damage"), [0, 1]);
    }
}
