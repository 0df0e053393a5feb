//! A chain, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::time::Instant;

use super::{Product, Stage, StsTask};
use crate::algorithm::{Prepared, Stage as StageTime, Stages};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, Leave};
use crate::sts::chains::Chain;

/// A chain for each timeslice, with the part of it that is to be timed.
///
/// The stages before that run once: what they left is kept, and copied before each further
/// run, by the threads that run. Chains that may keep nothing more run them each time.
pub(super) struct PreparedChains<'a> {
    chains: Vec<Box<dyn Chain + 'a>>,
    /// The stage to be timed; all if there is none.
    stage: Option<Stage>,
    arena: &'a Arena,
    /// Bytes that all variants of the point may keep together.
    most_kept: u64,
    leaves: Vec<Leave<'a>>,
    times: Stages,
}

impl<'a> PreparedChains<'a> {
    pub(super) fn new(
        chains: Vec<Box<dyn Chain + 'a>>,
        stage: Option<Stage>,
        arena: &'a Arena,
        most_kept: u64,
    ) -> Self {
        PreparedChains {
            chains,
            stage,
            arena,
            most_kept,
            leaves: Vec::new(),
            times: Stages::new(),
        }
    }

    /// What the stages before the one that is timed leave.
    fn provide(&mut self) {
        let Some(stage) = self.stage else { return };
        for chain in &mut self.chains {
            if chain.restore() {
                continue;
            }
            let before = chain.stages().iter().take_while(|&&other| other != stage);
            before.for_each(|&stage| chain.run(stage));
            let bytes = chain.bytes_to_keep(stage) as u64;
            if let Some(leave) = self.arena.leave_to_keep(bytes, self.most_kept) {
                chain.keep(stage);
                self.leaves.push(leave);
            }
        }
    }

    /// All stages of one timeslice after the other, as they would arrive.
    fn run_all(&mut self) {
        for chain in &mut self.chains {
            for &stage in chain.stages() {
                let start = Instant::now();
                chain.run(stage);
                add_time(&mut self.times, stage, start.elapsed().as_secs_f64());
            }
        }
    }
}

fn add_time(times: &mut Stages, stage: Stage, seconds: f64) {
    let known = times.iter().position(|time| time.name == stage.name());
    let place = known.unwrap_or_else(|| {
        times.push(StageTime::new(stage.name()));
        times.len() - 1
    });
    times[place].add(seconds, 0);
}

impl<const STAGE: u8> Prepared<StsTask<STAGE>> for PreparedChains<'_> {
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
        self.times.clear();
        match self.stage {
            Some(stage) => self.chains.iter_mut().for_each(|chain| chain.run(stage)),
            None => self.run_all(),
        }
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.times.clone())
    }

    fn output(&self) -> Cow<'_, Vec<Product>> {
        let product = |chain: &(dyn Chain + '_)| match self.stage {
            Some(stage) => chain.product(stage),
            None => Product::Both(
                Box::new(chain.product(Stage::ClusterSort)),
                Box::new(chain.product(Stage::Collect)),
            ),
        };
        Cow::Owned(
            self.chains
                .iter()
                .map(|chain| product(chain.as_ref()))
                .collect(),
        )
    }

    fn release(&mut self) {
        for chain in &mut self.chains {
            chain.release(self.arena);
        }
    }

    /// What is kept of the stages before is not counted: as the pristine input of other
    /// tasks it is there for the lab's sake, and not for the variant's.
    fn buffer_bytes(&self) -> u64 {
        self.chains.iter().map(|chain| chain.bytes() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::algorithm::Algorithm;
    use crate::device::Team;
    use crate::sts::task::variants::CpuChain;
    use crate::sts::task::{Timeslices, check, hard_inputs, variants};

    /// Writes down which stages run.
    struct Watched<'a> {
        chain: Box<dyn Chain + 'a>,
        ran: Arc<Mutex<Vec<Stage>>>,
    }

    impl Chain for Watched<'_> {
        fn stages(&self) -> &'static [Stage] {
            self.chain.stages()
        }
        fn take(&mut self, arena: &Arena) {
            self.chain.take(arena);
        }
        fn poison(&mut self) {
            self.chain.poison();
        }
        fn run(&mut self, stage: Stage) {
            self.ran.lock().expect("no panic").push(stage);
            self.chain.run(stage);
        }
        fn bytes_to_keep(&self, next: Stage) -> usize {
            self.chain.bytes_to_keep(next)
        }
        fn keep(&mut self, next: Stage) {
            self.chain.keep(next);
        }
        fn restore(&mut self) -> bool {
            self.chain.restore()
        }
        fn product(&self, stage: Stage) -> Product {
            self.chain.product(stage)
        }
        fn release(&mut self, arena: &Arena) {
            self.chain.release(arena);
        }
        fn bytes(&self) -> usize {
            self.chain.bytes()
        }
    }

    /// Runs a variant again and again, with and without poison and with buffers that
    /// others have used: it is right each time. Returns the stages that ran.
    fn ran<const STAGE: u8>(
        variant: &CpuChain,
        input: &Timeslices,
        team: &Team,
        most_kept: u64,
    ) -> Vec<Stage> {
        let (arena, stage) = (Arena::default(), StsTask::<STAGE>::STAGE);
        let ran = Arc::default();
        let watched = |chain| -> Box<dyn Chain> {
            let ran = Arc::clone(&ran);
            Box::new(Watched { chain, ran })
        };
        let chains = input.0.iter();
        let chains = chains.map(|slice| watched(variant.chain(slice, team.threads())));
        let mut prepared = PreparedChains::new(chains.collect(), stage, &arena, most_kept);
        let prepared: &mut dyn Prepared<StsTask<STAGE>> = &mut prepared;
        let semantics = variant.answer(input);
        let expected = StsTask::<STAGE>::reference(input, semantics).expect("one");
        for round in 0..4 {
            let run = team.run(|| {
                prepared.reset()?;
                if round % 2 == 0 {
                    prepared.poison()?;
                }
                prepared.run()
            });
            assert_eq!(run, Ok(()));
            let found = prepared.output();
            for (expected, found) in expected.iter().zip(found.iter()) {
                let checked = check::check(stage, false, expected, found);
                assert_eq!(checked, Ok(()), "{stage:?} in round {round}");
            }
            if round == 1 {
                prepared.release();
                spoil(&arena);
            }
        }
        prepared.release();
        let ran = ran.lock().expect("no panic");
        ran.clone()
    }

    /// Overwrites the buffers that were given back.
    fn spoil(arena: &Arena) {
        use crate::sts::{Cluster, ClusterEntry, Hit};
        use generators::sts::Digi;
        let mut digis: Vec<_> = (0..4).map(|_| arena.take::<Digi>(1)).collect();
        digis
            .iter_mut()
            .for_each(|all| all.fill(Digi::from_bits(7)));
        digis.into_iter().for_each(|all| arena.give(all));
        let mut clusters = arena.take::<Cluster>(1);
        clusters.fill(Cluster::default());
        arena.give(clusters);
        let mut entries = arena.take::<ClusterEntry>(1);
        entries.fill(ClusterEntry::default());
        arena.give(entries);
        let mut hits: Vec<_> = (0..9).map(|_| arena.take::<Hit>(1)).collect();
        hits.iter_mut().for_each(|all| all.fill(Hit::default()));
        hits.into_iter().for_each(|all| arena.give(all));
    }

    fn check_task<const STAGE: u8>() {
        let stage = StsTask::<STAGE>::STAGE.expect("a stage");
        let small = |(_, input): &(String, Timeslices)| input.digis() < 6_000;
        let inputs = hard_inputs::all(Some(stage), 5).into_iter().filter(small);
        // Every third, of those for either answer.
        let inputs: Vec<_> = inputs.step_by(3).collect();
        assert!(inputs.len() > 5);
        for threads in [1, 3] {
            let team = Team::new(threads).expect("threads");
            for variant in variants::of(Some(stage)) {
                let mut again = 0;
                for (name, input) in &inputs {
                    let Some(first) = input.0.first() else {
                        continue;
                    };
                    let stages = variant.chain(first, threads).stages().iter();
                    let before = stages.take_while(|&&other| other != stage).count();
                    let once = before * input.0.len();
                    let earlier = |most_kept| {
                        let ran = ran::<STAGE>(variant, input, &team, most_kept);
                        ran.iter().filter(|&&other| other != stage).count()
                    };
                    assert_eq!(earlier(u64::MAX), once, "{stage:?} on {name}");
                    // Before each of four resets and two poisons, but for what left nothing.
                    again += usize::from(earlier(0) == 6 * once && once > 0);
                }
                assert!(again > inputs.len() / 2 || stage == Stage::Presort);
            }
        }
    }

    #[test]
    fn stages_before_a_stage_run_once() {
        check_task::<{ Stage::Presort as u8 }>();
        check_task::<{ Stage::Cluster as u8 }>();
        check_task::<{ Stage::ClusterSort as u8 }>();
        check_task::<{ Stage::Hits as u8 }>();
        check_task::<{ Stage::Collect as u8 }>();
    }
}
