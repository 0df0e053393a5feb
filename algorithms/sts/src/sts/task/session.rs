//! Chains of all timeslices, or a stage of them, ready to run on one input: on the CPU or a GPU.

use std::borrow::Cow;
use std::cell::Cell;

use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::{StsTask, Timeslices};
use crate::sts::chains::{Chain, Preconditions, SavedBuffer};
use crate::sts::{ChainStage, Product};
use tasks::algorithm::{CheckError, Digest, InputState, Runner, Segments};
use tasks::device::{Arena, Reservation};

/// Chains of all timeslices of an input.
pub(super) type Chains<'a> = Vec<Box<dyn Chain + 'a>>;

/// Memory that saved outputs of earlier stages are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SavedIn {
    /// Not counted: like the pristine input of other tasks, they serve the measurement and not the
    /// variant.
    Host,
    /// Counted, because the sum is compared with the driver's figure.
    Device,
}

/// Chains of which one stage or all are timed.
///
/// The stages before the timed one run once: their outputs are saved, and copied back before each
/// further run, by the threads or the device that run. Chains without memory for that run them each
/// time.
pub(super) struct ChainSession<'a> {
    /// Chains without buffers, between runs.
    idle: Cell<Chains<'a>>,
    preconditions: Preconditions,
    /// The timed stage; all if there is none.
    stage: Option<ChainStage>,
    arena: &'a Arena,
    saved_in: SavedIn,
    /// Bytes that all variants of the point may keep together.
    max_saved: u64,
    /// Outputs of the earlier stages in each chain, once they are saved.
    saved: Vec<Option<SavedStage<'a>>>,
    /// Output of the previous run, once it was requested.
    products: Vec<Product>,
    laps: Laps,
    /// Number of runs of earlier stages.
    #[cfg(test)]
    ran_before: usize,
}

/// Outputs of the stages before one, as far as a later stage reads them.
struct SavedStage<'a> {
    buffers: Vec<SavedBuffer>,
    bytes: u64,
    _reservation: Reservation<'a>,
}

impl<'a> ChainSession<'a> {
    pub(super) fn new(
        chains: Chains<'a>,
        input: &Timeslices,
        stage: Option<ChainStage>,
        arena: &'a Arena,
        saved_in: SavedIn,
    ) -> Self {
        ChainSession {
            preconditions: chains.first().map(|chain| chain.preconditions()).unwrap_or_default(),
            saved: chains.iter().map(|_| None).collect(),
            idle: Cell::new(chains),
            stage,
            arena,
            saved_in,
            max_saved: input.max_saved(),
            products: Vec::new(),
            laps: Laps::default(),
            #[cfg(test)]
            ran_before: 0,
        }
    }

    /// Saves the inputs of a stage if a reservation of memory succeeds.
    fn save(
        &self,
        chain: &mut (dyn Chain + 'a),
        stage: ChainStage,
    ) -> Result<Option<SavedStage<'a>>, DeviceError> {
        let inputs = chain.inputs_of(stage);
        let bytes = inputs.iter().map(|input| input.bytes()).sum();
        let Some(reservation) = self.arena.reserve(bytes, self.max_saved) else {
            return Ok(None);
        };
        match inputs.iter().map(|input| input.copied()).collect() {
            Ok(buffers) => Ok(Some(SavedStage { buffers, bytes, _reservation: reservation })),
            Err(DeviceError::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Provides the outputs of the stages before the timed one.
    fn provide(
        &mut self,
        chain: &mut (dyn Chain + 'a),
        index: usize,
        stage: ChainStage,
    ) -> Result<(), DeviceError> {
        if let Some(saved) = &self.saved[index] {
            for (input, saved) in chain.inputs_of(stage).into_iter().zip(&saved.buffers) {
                input.restore(saved)?;
            }
            return chain.after_restore(stage);
        }
        for &before in chain.stages().iter().take_while(|&&other| other != stage) {
            chain.run(before)?;
            #[cfg(test)]
            {
                self.ran_before += 1;
            }
        }
        self.saved[index] = self.save(chain, stage)?;
        Ok(())
    }
}

impl<'a> Runner<StsTask> for ChainSession<'a> {
    type Buffers = Chains<'a>;

    fn allocate(&self) -> Result<Chains<'a>, DeviceError> {
        let mut chains = self.idle.take();
        match chains.iter_mut().try_for_each(|chain| chain.take(self.arena)) {
            Ok(()) => Ok(chains),
            Err(error) => {
                chains.iter_mut().for_each(|chain| chain.release(self.arena));
                self.idle.set(chains);
                Err(error)
            }
        }
    }

    fn load(&mut self, chains: &mut Chains<'a>) -> Result<(), DeviceError> {
        let Some(stage) = self.stage else {
            return chains.iter_mut().try_for_each(|chain| chain.prepare());
        };
        let mut chains = chains.iter_mut().enumerate();
        chains.try_for_each(|(index, chain)| self.provide(&mut **chain, index, stage))
    }

    fn run(&mut self, chains: &mut Chains<'a>) -> Result<(), DeviceError> {
        if let Some(stage) = self.stage {
            return chains.iter_mut().try_for_each(|chain| chain.run(stage));
        }
        self.laps.start();
        chains.iter_mut().try_for_each(|chain| chain.run_all(&mut self.laps))
    }

    fn stages(&self, _: &Chains<'a>) -> Stages {
        self.laps.stages()
    }

    fn given(&self) -> InputState {
        let of_stage = |stage| self.preconditions.for_stage(stage);
        match self.stage {
            Some(stage) => InputState::whole(of_stage(stage)),
            None => {
                InputState::stages(ChainStage::ALL.map(|stage| (stage.name(), of_stage(stage))))
            }
        }
    }

    fn inspect(&mut self, chains: &mut Chains<'a>) -> Result<(), CheckError> {
        self.products.clear();
        for chain in chains {
            self.products.extend(chain.products(self.stage)?);
        }
        Ok(())
    }

    fn digest(
        &mut self,
        chains: &mut Chains<'a>,
        segments: Segments,
    ) -> Result<Option<Digest>, CheckError> {
        if self.stage.is_some() {
            return Ok(None);
        }
        let digests = chains.iter_mut().map(|chain| chain.digest(segments));
        Ok(digests.collect::<Result<Vec<_>, _>>()?.into_iter().sum())
    }

    fn output<'b>(&'b self, _: &'b Chains<'a>) -> Cow<'b, Vec<Product>> {
        Cow::Borrowed(&self.products)
    }

    fn release(&mut self, mut chains: Chains<'a>) {
        self.products.clear();
        chains.iter_mut().for_each(|chain| chain.release(self.arena));
        self.idle.set(chains);
    }

    fn input_bytes(&self) -> u64 {
        match self.saved_in {
            SavedIn::Host => 0,
            SavedIn::Device => self.saved.iter().flatten().map(|saved| saved.bytes).sum(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use generators_sts::Digi;

    use super::*;
    use crate::sts::task::variants::*;
    use crate::sts::task::{check, hard_inputs};
    use crate::sts::{Cluster, ClusterEntry, Hit, digest_of};
    use tasks::algorithm::{Algorithm, Semantics};
    use tasks::device::Team;

    /// Work of a run.
    pub(in crate::sts::task) type Work<'w> =
        &'w mut (dyn FnMut() -> Result<(), DeviceError> + Send);

    /// Runs a stage again and again, with and without poison and with other buffers each time: it
    /// is right each time. Returns how often stages before it ran.
    pub(in crate::sts::task) fn earlier_runs(
        mut session: ChainSession<'_>,
        max_saved: u64,
        expected: &[Product],
        execute: impl Fn(Work<'_>) -> Result<(), DeviceError>,
    ) -> usize {
        session.max_saved = max_saved;
        for round in 0..4 {
            let mut chains = session.allocate().expect("enough space");
            let ran = execute(&mut || {
                session.load(&mut chains)?;
                if round % 2 == 0 {
                    session.poison(&mut chains)?;
                }
                session.run(&mut chains)
            });
            assert_eq!(ran, Ok(()));
            session.inspect(&mut chains).expect("no damage");
            for (expected, found) in expected.iter().zip(session.output(&chains).iter()) {
                let checked = check::check(session.stage, false, expected, found);
                assert_eq!(checked, Ok(()), "{:?} in round {round}", session.stage);
            }
            session.release(chains);
            let arena = session.arena;
            spoil(arena, 4, Digi::from_bits(7));
            spoil(arena, 1, Cluster::default());
            spoil(arena, 1, ClusterEntry::default());
            spoil(arena, 9, Hit::default());
        }
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

    /// Compares digests of the output of a chain, where that lies, with those of copies; returns
    /// the number of hits.
    pub(in crate::sts::task) fn check_digests(
        mut session: ChainSession<'_>,
        execute: impl Fn(Work<'_>) -> Result<(), DeviceError>,
    ) -> u64 {
        let mut chains = session.allocate().expect("enough space");
        let ran = execute(&mut || {
            session.load(&mut chains)?;
            session.run(&mut chains)
        });
        assert_eq!(ran, Ok(()));
        session.inspect(&mut chains).expect("no damage");
        for segments in [Segments::ALL, Segments::every(2, 1), Segments::every(7, 3)] {
            let found = session.digest(&mut chains, segments).expect("no damage");
            assert_eq!(found, Some(digest_of(&session.products, segments)), "{segments:?}");
        }
        digest_of(&session.products, Segments::ALL).counts[1]
    }

    /// The chains of which variants of a stage are parts.
    fn chains(stage: ChainStage) -> Vec<CpuConfig> {
        let chains_of_stage: &[CpuConfig] = match stage {
            ChainStage::Presort => &[SERIAL, BOTH_ORDERS, FRESH],
            ChainStage::Cluster => &[PER_SIDE, TIME_SWEEP],
            ChainStage::Collect => &[TIME_SWEEP, ONLINE_STREAMS, TIME_SWEEP_STREAMS],
            ChainStage::Hits => &[STATIC, FRONTS, TIME_SWEEP],
            _ => &[TIME_SWEEP],
        };
        [&[ONLINE], chains_of_stage].concat()
    }

    /// Chains of all timeslices on a team.
    fn session<'a>(
        stage: Option<ChainStage>,
        config: CpuConfig,
        input: &'a Timeslices,
        arena: &'a Arena,
        team: &Team,
    ) -> ChainSession<'a> {
        let chains =
            input.0.iter().map(|timeslice| config.chain(timeslice, team.threads())).collect();
        ChainSession::new(chains, input, stage, arena, SavedIn::Host)
    }

    #[test]
    fn digests_where_results_lie_are_those_of_copies() {
        if crate::std_sort::available().is_err() {
            eprintln!("skipped: built without a C++ compiler");
            return;
        }
        let inputs = hard_inputs::all(None, 3).into_iter().map(|(_, input)| input);
        let inputs = inputs.filter(|input| (1..6_000).contains(&input.digis())).step_by(3);
        let team = Team::new(2).expect("threads");
        let mut compared = 0;
        for input in inputs {
            for config in [ONLINE, PER_SIDE, TIME_SWEEP, ONLINE_STREAMS, TIME_SWEEP_STREAMS] {
                let arena = Arena::default();
                let session = session(None, config, &input, &arena, &team);
                compared += usize::from(check_digests(session, |work| team.run(work)) > 10);
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
                for config in chains(stage) {
                    earlier_stages_run_once(stage, None, config, &inputs, &team);
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
        config: CpuConfig,
        inputs: &[(String, Timeslices)],
        team: &Team,
    ) {
        let mut again = 0;
        for (name, input) in inputs {
            let Some(first) = input.0.first() else {
                continue;
            };
            let semantics = semantics.unwrap_or(input.online());
            let all = config.chain(first, team.threads());
            let stages = all.stages().iter();
            let before = stages.take_while(|&&other| other != stage).count();
            let once = before * input.0.len();
            let expected = StsTask::for_stage(stage).reference(input, semantics).expect("one");
            let earlier = |max_saved| {
                let arena = Arena::default();
                let session = session(Some(stage), config, input, &arena, team);
                earlier_runs(session, max_saved, &expected, |work| team.run(work))
            };
            assert_eq!(earlier(u64::MAX), once, "{stage:?} on {name}");
            // Before each of four resets and two poisons, except if earlier stages have no outputs.
            again += usize::from(earlier(0) == 6 * once && once > 0);
        }
        assert!(again > inputs.len() / 2 || stage == ChainStage::Presort);
    }
}
