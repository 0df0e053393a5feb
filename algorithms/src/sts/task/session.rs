//! A chain, or a stage of it, ready to run on one input.

use std::borrow::Cow;

use super::StsTask;
use crate::algorithm::{CheckError, Digest, InputState, Segments, Session};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, Reservation};
use crate::sts::chains::{Chain, SavedStage};
use crate::sts::{ChainStage, Product};
use crate::timing::{Laps, Stages};

/// A chain for each timeslice, of which one stage or all are timed.
///
/// The stages before the timed one run once: their outputs are saved, and copied back before each
/// further run, by the threads that run. Chains without memory for that run them each time.
pub(super) struct Chains<'a> {
    chains: Vec<Box<dyn Chain + 'a>>,
    /// The timed stage; all if there is none.
    stage: Option<ChainStage>,
    arena: &'a Arena,
    /// Bytes that all variants of the point may keep together.
    max_saved: u64,
    leaves: Vec<Reservation<'a>>,
    /// Outputs of the earlier stages in each chain, once they are saved.
    saved: Vec<Option<Vec<SavedStage>>>,
    laps: Laps,
    /// Number of runs of earlier stages.
    #[cfg(test)]
    ran_before: usize,
}

impl<'a> Chains<'a> {
    pub(super) fn new(
        chains: Vec<Box<dyn Chain + 'a>>,
        stage: Option<ChainStage>,
        arena: &'a Arena,
        max_saved: u64,
    ) -> Self {
        Chains {
            saved: chains.iter().map(|_| None).collect(),
            chains,
            stage,
            arena,
            max_saved,
            leaves: Vec::new(),
            laps: Laps::default(),
            #[cfg(test)]
            ran_before: 0,
        }
    }

    /// Provides the outputs of the stages before the timed one.
    fn provide(&mut self) {
        let Some(stage) = self.stage else { return };
        for (chain, saved) in self.chains.iter_mut().zip(&mut self.saved) {
            if let Some(saved) = saved {
                let snapshots = chain.inputs_of(stage).into_iter();
                snapshots.zip(saved).for_each(|(snapshot, saved)| snapshot.restore(saved));
                chain.after_restore(stage);
                continue;
            }
            let before = chain.stages().iter().take_while(|&&other| other != stage);
            #[cfg(test)]
            {
                self.ran_before += before.clone().count();
            }
            before.for_each(|&stage| chain.run(stage));
            let snapshots = chain.inputs_of(stage);
            let bytes = snapshots.iter().map(|snapshot| snapshot.bytes() as u64).sum();
            if let Some(leave) = self.arena.reserve(bytes, self.max_saved) {
                *saved = Some(snapshots.iter().map(|snapshot| snapshot.copied()).collect());
                self.leaves.push(leave);
            }
        }
    }

    /// All stages of one timeslice after the other, as they would arrive.
    fn run_all(&mut self) {
        self.laps.start();
        for chain in &mut self.chains {
            for &stage in chain.stages() {
                chain.run(stage);
                self.laps.lap(stage.name(), 0);
            }
        }
    }
}

impl Session<StsTask> for Chains<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.take(self.arena);
        }
        self.provide();
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.poison();
        }
        self.provide();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        match self.stage {
            Some(stage) => self.chains.iter_mut().for_each(|chain| chain.run(stage)),
            None => self.run_all(),
        }
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let of_all = || self.laps.stages();
        Ok(self.stage.map_or_else(of_all, |_| Stages::new()))
    }

    fn given(&self) -> InputState {
        let Some(chain) = self.chains.first() else {
            return InputState::default();
        };
        match self.stage {
            Some(stage) => InputState::whole(chain.given(stage)),
            None => {
                InputState::stages(ChainStage::ALL.map(|stage| (stage.name(), chain.given(stage))))
            }
        }
    }

    fn output(&self) -> Option<Cow<'_, Vec<Product>>> {
        let products = self.chains.iter().map(|chain| {
            let product = Product::for_stage(self.stage, |stage| Ok::<_, ()>(chain.product(stage)));
            product.ok()
        });
        products.collect::<Option<_>>().map(Cow::Owned)
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, CheckError> {
        if self.stage.is_some() {
            return Ok(None);
        }
        let digests = self.chains.iter().map(|chain| chain.digest(segments));
        Ok(digests.sum())
    }

    fn release(&mut self) {
        for chain in &mut self.chains {
            chain.release(self.arena);
        }
    }

    /// Saved outputs of earlier stages are not counted: like the pristine input of other tasks,
    /// they serve the measurement and not the variant.
    fn buffer_bytes(&self) -> u64 {
        self.chains.iter().map(|chain| chain.bytes() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use generators::sts::Digi;

    use super::*;
    use crate::algorithm::{Algorithm, Semantics};
    use crate::device::Team;
    use crate::sts::task::variants::*;
    use crate::sts::task::{Timeslices, check, hard_inputs};
    use crate::sts::{Cluster, ClusterEntry, Hit, digest_of};

    /// Runs a variant again and again, with and without poison and with buffers that
    /// others have used: it is right each time. Returns how often stages before it ran.
    fn earlier_runs(
        stage: ChainStage,
        semantics: Semantics,
        make: MakeChain,
        input: &Timeslices,
        team: &Team,
        max_saved: u64,
    ) -> usize {
        let arena = Arena::default();
        let chains = input.0.iter().map(|slice| make(slice, team.threads()));
        let mut session = Chains::new(chains.collect(), Some(stage), &arena, max_saved);
        let expected = StsTask::for_stage(stage).reference(input, semantics).expect("one");
        for round in 0..4 {
            let run = team.run(|| {
                session.reset()?;
                if round % 2 == 0 {
                    session.poison()?;
                }
                session.run()
            });
            assert_eq!(run, Ok(()));
            let found = session.output().expect("a run");
            for (expected, found) in expected.iter().zip(found.iter()) {
                let checked = check::check(Some(stage), false, expected, found);
                assert_eq!(checked, Ok(()), "{stage:?} in round {round}");
            }
            if round == 1 {
                session.release();
                spoil(&arena, 4, Digi::from_bits(7));
                spoil(&arena, 1, Cluster::default());
                spoil(&arena, 1, ClusterEntry::default());
                spoil(&arena, 9, Hit::default());
            }
        }
        session.release();
        session.ran_before
    }

    /// Overwrites `count` buffers that were given back to the arena.
    fn spoil<T: Copy + Default + Send + Sync + 'static>(arena: &Arena, count: usize, value: T) {
        let buffers: Vec<Vec<T>> = (0..count).map(|_| arena.take(1)).collect();
        for mut buffer in buffers {
            buffer.fill(value);
            arena.give(buffer);
        }
    }

    /// The chains of which variants of a stage are parts.
    fn chains(stage: ChainStage) -> Vec<MakeChain> {
        let chains_of_stage: &[MakeChain] = match stage {
            ChainStage::Presort => &[SERIAL, BOTH_ORDERS, FRESH],
            ChainStage::Cluster => &[PER_SIDE, TIME_SWEEP],
            ChainStage::Collect => &[TIME_SWEEP, ONLINE_STREAMS, TIME_SWEEP_STREAMS],
            ChainStage::Hits => &[STATIC, FRONTS, TIME_SWEEP],
            _ => &[TIME_SWEEP],
        };
        [&[ONLINE], chains_of_stage].concat()
    }

    #[test]
    fn digests_where_results_lie_are_those_of_copies() {
        if crate::std_sort::available().is_err() {
            eprintln!("skipped: built without a C++ compiler");
            return;
        }
        let inputs = hard_inputs::all(None, 3).into_iter();
        let inputs = inputs.filter(|(_, input)| (1..6_000).contains(&input.digis())).step_by(3);
        let mut compared = 0;
        for (name, input) in inputs {
            for make in [ONLINE, PER_SIDE, TIME_SWEEP, ONLINE_STREAMS, TIME_SWEEP_STREAMS] {
                let arena = Arena::default();
                let team = Team::new(2).expect("threads");
                let chains = input.0.iter().map(|slice| make(slice, team.threads())).collect();
                let mut session = Chains::new(chains, None, &arena, 0);
                session.reset().and_then(|()| team.run(|| session.run())).expect("no device");
                let output = session.output().expect("a run").into_owned();
                for segments in [Segments::ALL, Segments::every(2, 1), Segments::every(7, 3)] {
                    let found = session.digest(segments).expect("no damage");
                    assert_eq!(found, Some(digest_of(&output, segments)), "{name} {segments:?}");
                }
                compared += usize::from(digest_of(&output, Segments::ALL).counts[1] > 10);
            }
        }
        assert!(compared > 10, "{compared}");
    }

    #[test]
    fn stages_before_a_stage_run_once() {
        if crate::std_sort::available().is_err() {
            eprintln!("skipped: built without a C++ compiler");
            return;
        }
        for stage in StsTask::STAGES {
            let small = |(_, input): &(String, Timeslices)| input.digis() < 6_000;
            let inputs = hard_inputs::all(Some(stage), 5).into_iter().filter(small);
            // Every third, of those for either answer.
            let inputs: Vec<_> = inputs.step_by(3).collect();
            assert!(inputs.len() > 5);
            for threads in [1, 3] {
                let team = Team::new(threads).expect("threads");
                for make in chains(stage) {
                    earlier_stages_run_once(stage, None, make, &inputs, &team);
                }
                let semantics = Some(Semantics::Offline);
                earlier_stages_run_once(stage, semantics, OFFLINE, &inputs, &team);
            }
        }
    }

    /// Runs with the semantics of the input, or with these.
    fn earlier_stages_run_once(
        stage: ChainStage,
        semantics: Option<Semantics>,
        make: MakeChain,
        inputs: &[(String, Timeslices)],
        team: &Team,
    ) {
        let mut again = 0;
        for (name, input) in inputs {
            let Some(first) = input.0.first() else {
                continue;
            };
            let semantics = semantics.unwrap_or(input.online());
            let all = make(first, team.threads());
            let stages = all.stages().iter();
            let before = stages.take_while(|&&other| other != stage).count();
            let once = before * input.0.len();
            let earlier = |max_saved| earlier_runs(stage, semantics, make, input, team, max_saved);
            assert_eq!(earlier(u64::MAX), once, "{stage:?} on {name}");
            // Before each of four resets and two poisons, except if earlier stages have no outputs.
            again += usize::from(earlier(0) == 6 * once && once > 0);
        }
        assert!(again > inputs.len() / 2 || stage == ChainStage::Presort);
    }
}
