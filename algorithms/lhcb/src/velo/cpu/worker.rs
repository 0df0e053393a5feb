//! Events of a batch, distributed over the threads of the team.

use std::time::Instant;

use generators_lhcb::{BankKind, Geometry};
use portable_gpu::timing::{StageTiming, Stages};

use super::results::{HitBuffer, HitSlots, Results, joined};
use crate::velo::model::capacities::{SearchNeeds, exceeding_events};
use crate::velo::model::search::SearchCuts;
use crate::velo::model::{EventHits, Hits, Tracks};
use crate::velo::{Stage, VeloInput};

/// Steps of a reconstruction, each for one event.
pub trait Reconstruction: Default + Send {
    /// Finds the clusters of super-pixels; returns the number of slots.
    fn clusters(
        &mut self,
        event: &generators_lhcb::Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize;
    /// Decodes clusters of the readout, sorted; returns the number of slots.
    fn decode(
        &mut self,
        event: &generators_lhcb::Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize;
    /// Sorts hits; returns the number of slots.
    fn sort(&mut self, hits: &EventHits<'_>, slots: &mut HitSlots<'_>) -> usize;
    /// Appends the tracks of an event.
    fn tracks(
        &mut self,
        hits: &EventHits<'_>,
        geometry: &Geometry,
        cuts: SearchCuts,
        tracks: &mut Tracks,
    );
    /// Memory that the experiment needs for the search of the last event; `None` if the reconstruction has
    /// other lists.
    fn last_needs(&self) -> Option<SearchNeeds> {
        None
    }
}

/// A thread's own data.
#[derive(Default)]
pub struct Worker<R> {
    reconstruction: R,
    unsorted: HitBuffer,
    results: Results,
    /// Events with the memory that the experiment needs for them.
    needs: Vec<(usize, SearchNeeds)>,
    times: [f64; STAGES.len()],
}

/// Names of stages in the results.
const STAGES: [&str; 4] = ["clusters", "decode", "sort", "tracks"];
const CLUSTERS: usize = 0;
const DECODE: usize = 1;
const SORT: usize = 2;
const TRACKS: usize = 3;

/// Events that a worker takes at a time at most.
const MAX_EVENTS: usize = 16;

/// The workers of a team.
pub struct Workers<R>(pub Vec<Worker<R>>);

impl<R: Reconstruction> Workers<R> {
    /// One for each thread.
    pub fn new(threads: usize) -> Self {
        Workers((0..threads).map(|_| Worker::default()).collect())
    }

    /// Processes all events, batch by batch.
    pub fn run(&mut self, input: &VeloInput, stage: Stage) {
        for worker in &mut self.0 {
            worker.clear();
            worker.times = [0.0; STAGES.len()];
        }
        for batch in input.batches() {
            let share = batch.len().div_ceil(4 * self.0.len());
            let step = share.clamp(1, MAX_EVENTS);
            let parts: Vec<_> = { batch.clone() }
                .step_by(step)
                .map(|first| first..batch.end.min(first + step))
                .collect();
            match self.0.as_mut_slice() {
                [worker] => {
                    parts.into_iter().flatten().for_each(|event| worker.run(input, stage, event))
                }
                workers => parallel::for_each_with_tools(parts, workers, |part, worker| {
                    part.for_each(|event| worker.run(input, stage, event));
                }),
            }
        }
    }

    /// The results of all events in order.
    pub fn results(&self) -> (Hits, Tracks) {
        let results: Vec<_> = self.0.iter().map(|worker| &worker.results).collect();
        joined(&results)
    }

    /// Removes all results.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Worker::clear);
    }

    /// Number of events that exceed the experiment's capacities; a batch is a slice.
    pub fn exceeding_events(&self, input: &VeloInput) -> usize {
        let mut needs: Vec<_> = self.0.iter().flat_map(|worker| worker.needs.clone()).collect();
        if needs.is_empty() {
            return 0;
        }
        needs.sort_by_key(|(event, _)| *event);
        let needs: Vec<_> = needs.into_iter().map(|(_, needs)| needs).collect();
        input.batches().map(|batch| exceeding_events(&needs[batch])).sum()
    }

    /// Time of each stage: that of all workers, divided by their number.
    pub fn stages(&self) -> Stages {
        let stage = |(index, name): (usize, &'static str)| {
            let seconds: f64 = self.0.iter().map(|worker| worker.times[index]).sum();
            let mut stage = StageTiming::new(name);
            stage.add(seconds / self.0.len() as f64, 0);
            (seconds > 0.0).then_some(stage)
        };
        STAGES.into_iter().enumerate().filter_map(stage).collect()
    }

    /// Bytes of the results.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|worker| worker.results.bytes()).sum()
    }
}

impl<R: Reconstruction> Worker<R> {
    fn clear(&mut self) {
        self.results.clear();
        self.needs.clear();
    }

    /// Processes an event.
    fn run(&mut self, input: &VeloInput, stage: Stage, index: usize) {
        let geometry = &*input.geometry;
        match stage {
            Stage::Clusters => self.clusters(input, index),
            Stage::Decode => self.decode(input, index),
            Stage::Sort => {
                let unsorted = input.unsorted().event(index);
                let own = &mut self.reconstruction;
                self.results
                    .write_hits(unsorted.ids.len(), |mut slots| own.sort(&unsorted, &mut slots));
            }
            Stage::Tracks => {
                let hits = input.sorted().event(index);
                self.reconstruction.tracks(&hits, geometry, input.cuts, &mut self.results.tracks);
            }
            Stage::Chain => self.chain(input, index),
        }
        self.results.end(index);
        if stage.has_tracks() {
            self.needs.extend(self.reconstruction.last_needs().map(|needs| (index, needs)));
        }
    }

    fn clusters(&mut self, input: &VeloInput, index: usize) {
        let event = input.events.event(index);
        let own = &mut self.reconstruction;
        self.results.write_hits(max_slots(&event), |mut slots| {
            own.clusters(&event, &input.geometry, &mut slots)
        });
    }

    fn decode(&mut self, input: &VeloInput, index: usize) {
        let event = input.events.event(index);
        let own = &mut self.reconstruction;
        self.results.write_hits(max_slots(&event), |mut slots| {
            own.decode(&event, &input.geometry, &mut slots)
        });
    }

    fn chain(&mut self, input: &VeloInput, index: usize) {
        let geometry = &*input.geometry;
        let event = input.events.event(index);
        let own = &mut self.reconstruction;
        let mut clock = Clock { times: &mut self.times, since: Instant::now() };
        match event.format.kind {
            BankKind::Retina => {
                self.results.write_hits(max_slots(&event), |mut slots| {
                    own.decode(&event, geometry, &mut slots)
                });
                clock.lap(DECODE);
            }
            BankKind::SuperPixel => {
                self.unsorted.write(max_slots(&event), |mut slots| {
                    own.clusters(&event, geometry, &mut slots)
                });
                clock.lap(CLUSTERS);
                let unsorted = self.unsorted.hits();
                self.results
                    .write_hits(unsorted.ids.len(), |mut slots| own.sort(&unsorted, &mut slots));
                clock.lap(SORT);
            }
        }
        let (hits, tracks) = self.results.last_hits();
        own.tracks(&hits, geometry, input.cuts, tracks);
        clock.lap(TRACKS);
    }
}

/// Times stages of an event.
struct Clock<'a> {
    times: &'a mut [f64; STAGES.len()],
    since: Instant,
}

impl Clock<'_> {
    fn lap(&mut self, stage: usize) {
        let now = Instant::now();
        self.times[stage] += (now - self.since).as_secs_f64();
        self.since = now;
    }
}

/// Slots that may be written to after those of an event: eight are written at a time.
const SLOTS_AFTER: usize = 7;

/// Slots that an event can have at most, and those after them.
fn max_slots(event: &generators_lhcb::Event<'_>) -> usize {
    let words: usize = event.banks.iter().map(|bank| usize::from(bank.words)).sum();
    SLOTS_AFTER
        + match event.format.kind {
            BankKind::SuperPixel => 2 * words,
            BankKind::Retina => words,
        }
}
