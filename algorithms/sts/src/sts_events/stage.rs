//! Building events as the last stage of a chain, of the timeslice in which the chain has found
//! clusters and hits.
//!
//! A chain needs digis by module side, triggers need them by time: the chain's intermediate results
//! are of no use here. Digis that were read out by time are used directly, other ones are sorted,
//! and raw data are unpacked a second time, by time. All of that is part of the stage.

use generators_common::DataError;
use generators_sts::Digi;
use rayon::slice::ParallelSliceMut;

use super::event::{MAX_COPIES, max_copies};
use super::input::{DigiStream, too_many};
use super::{EventRules, Events, build_events};
use crate::sts::Timeslice;
use crate::sts_unpack::cpu::{HostBuffers, by_time};
use crate::sts_unpack::{DigiOrder, RawTimeslices};
use tasks::device::Arena;

/// Builds the events of a timeslice, by all threads of the current pool.
pub struct EventStage<'a> {
    source: Source<'a>,
    rules: EventRules,
    arena: &'a Arena,
    threads: usize,
    events: Events,
}

/// Input of a timeslice.
enum Source<'a> {
    /// Digis by time.
    Ordered(&'a [Digi]),
    /// Digis in another order.
    Unordered(&'a [Digi]),
    /// Raw data, of which digis are wanted by time.
    Raw(Box<RawTimeslices>),
}

impl<'a> EventStage<'a> {
    /// An event builder for a team of `threads` threads. Other buffers than those of events come
    /// from an arena.
    ///
    /// # Errors
    /// If there may be more copies of digis than 32 bits can count.
    pub fn new(
        timeslice: &'a Timeslice,
        rules: EventRules,
        arena: &'a Arena,
        threads: usize,
    ) -> Result<Self, DataError> {
        let digis = timeslice.stream();
        if max_copies(digis.len() as u64, &rules) > MAX_COPIES {
            return Err(too_many(digis.len() as u64, &rules));
        }
        let source = match timeslice.raw() {
            Some(raw) => Source::Raw(Box::new(raw.wanted_in(DigiOrder::Time))),
            None if digis.is_sorted_by_key(|digi| digi.time_ns()) => Source::Ordered(digis),
            None => Source::Unordered(digis),
        };
        Ok(EventStage { source, rules, arena, threads, events: Events::default() })
    }

    /// Finds triggers and cuts events out.
    pub fn run(&mut self) {
        let rules = &self.rules;
        self.events = match &self.source {
            Source::Ordered(digis) => build_events(digis, rules),
            Source::Unordered(digis) => {
                let mut sorted = self.arena.vector(digis.len());
                sorted.copy_from_slice(digis);
                sorted.par_sort_by_key(|digi| digi.time_ns());
                build_events(&sorted, rules)
            }
            Source::Raw(raw) => {
                let mut buffers = HostBuffers::new(raw, self.arena);
                build_events(by_time(raw, &mut buffers, self.threads), rules)
            }
        };
    }

    /// Events of the previous run.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Gives the buffers of the previous run back.
    pub fn release(&mut self) {
        self.events = Events::default();
    }
}

/// The right events of a timeslice, slow and obvious.
///
/// # Errors
/// As [`EventStage::new`].
pub fn right_events(timeslice: &Timeslice, rules: EventRules) -> Result<Events, DataError> {
    Ok(DigiStream::new(timeslice.stream().to_vec(), rules)?.into_expected())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::task::STS;
    use crate::sts_events::events_digest;
    use tasks::algorithm::{Algorithm, Segments};
    use tasks::axis::Params;
    use tasks::device::Team;

    fn timeslice(given: &[(&'static str, &str)]) -> Timeslice {
        let params: Params = given.iter().copied().collect();
        let params = STS.plan(params).expect("sensible").params;
        STS.generate(&params, 3).expect("made").0.remove(0)
    }

    fn rules() -> EventRules {
        EventRules::from_params(&Params::default()).expect("defaults")
    }

    #[test]
    fn events_are_those_of_the_reference_for_all_inputs_of_a_chain() {
        let small = [("preset", "mcbm-2024"), ("scale", "0.001")];
        for param in [("from", "digis"), ("from", "raw"), ("order", "random")] {
            let timeslice = timeslice(&[small[0], small[1], param]);
            let right = right_events(&timeslice, rules()).expect("few");
            let right = events_digest(&right, Segments::ALL);
            assert!(right.counts[0] > 10 && right.counts[1] > 100, "{right:?}");
            for threads in [1, 2] {
                let team = Team::new(threads).expect("threads");
                let arena = Arena::default();
                let stage = EventStage::new(&timeslice, rules(), &arena, threads);
                let mut stage = stage.expect("few");
                // The second time buffers are those of the first.
                for _ in 0..2 {
                    team.run(|| stage.run());
                    let built = events_digest(stage.events(), Segments::ALL);
                    assert_eq!(built, right, "{param:?}");
                    stage.release();
                }
            }
        }
    }

    #[test]
    fn more_copies_than_can_be_counted_are_refused() {
        let timeslice = timeslice(&[("preset", "mcbm-2024"), ("scale", "0.0001")]);
        let everywhere = EventRules { dead_time_ns: 0, before_ns: 1 << 30, ..rules() };
        let arena = Arena::default();
        let refused = EventStage::new(&timeslice, everywhere, &arena, 1).map(|_| ());
        let refused = refused.expect_err("too many").to_string();
        assert!(refused.contains("longer --dead-time"), "{refused}");
        assert!(right_events(&timeslice, everywhere).is_err());
    }
}
