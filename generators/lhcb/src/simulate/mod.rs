//! Events from a seed: collisions, particles through the detector, pixels, and banks.
//!
//! | module | content |
//! |---|---|
//! | [`shape`] | parameters, and presets |
//! | `random` | random numbers of one event |
//! | `functions` | exponential, sine and cosine |
//! | `collision` | vertices, and the particles from them |
//! | `secondary` | conversions, interactions and decays away from the vertices |
//! | `decay` | decays of strange, charmed and beauty hadrons |
//! | `particle` | a particle on its way |
//! | `particles` | particles of an event, before the detector |
//! | `sensors` | positions on sensors |
//! | `track` | the way of particles through the sensors |
//! | `flights` | particles between two sensors |
//! | `response` | crossings of sensors, and their charges |
//! | `deposits` | pixels of charges |
//! | `patch` | pixels that a particle made, next to each other |
//! | `pixels` | pixels of an event, in order |
//! | `noise` | pixels and clusters that no particle made |
//! | `clusters` | clusters of pixels, as the FPGA of the readout finds them |
//! | `super_pixels` | super-pixels, and which are isolated |
//! | `readout` | words of banks, and the clusters of each particle |
//! | `particle_ids` | identifiers of the clusters of each particle |
//! | `event` | an event, from its collisions to its banks |
//!
//! Averages follow ten events of the full simulation; `docs/velo.md` compares them.

pub mod shape;

mod clusters;
mod collision;
mod decay;
mod deposits;
mod event;
mod flights;
mod functions;
mod noise;
mod particle;
mod particle_ids;
mod particles;
mod patch;
mod pixels;
mod random;
mod readout;
mod response;
mod secondary;
mod sensors;
mod super_pixels;
mod track;

use generators_common::DataError;
use rayon::prelude::*;

use crate::events::{BankWords, Events};
use event::{EventBuffers, EventSimulation, SimulatedEvent};

pub use shape::{EventShape, Preset, PresetSettings};

/// Events that are simulated before they are joined with the others.
const BATCH: u64 = 256;
/// Clusters of an event at most: with more, hits may have no index of 16 bits.
const MAX_CLUSTERS: usize = 60_000;
/// Run of all events.
const RUN: u32 = 1;

/// Simulates events. Shape and seed determine the bytes for any number of threads on any machine; an
/// event depends on the seed and on its number alone, not on `first_event` and `events`.
///
/// # Errors
/// If the shape is invalid (see [`EventShape::validate`]), or an event has more than 60 000 clusters,
/// because of noise or random clusters.
pub fn simulate(shape: &EventShape, seed: u64) -> Result<Events, DataError> {
    shape.validate()?;
    let simulation = EventSimulation::new(shape, seed);
    let mut events = Events::default();
    let end = shape.first_event + shape.events;
    let mut first = shape.first_event;
    while first < end {
        let batch = first..end.min(first + BATCH);
        first = batch.end;
        let simulated: Vec<_> = batch
            .clone()
            .into_par_iter()
            .map_init(EventBuffers::default, |buffers, number| simulation.event(number, buffers))
            .collect();
        for (number, event) in batch.zip(simulated) {
            add(&mut events, shape, number, event)?;
        }
    }
    Ok(events)
}

fn add(
    events: &mut Events,
    shape: &EventShape,
    number: u64,
    event: SimulatedEvent,
) -> Result<(), DataError> {
    let clusters = event.banks.clusters;
    if clusters > MAX_CLUSTERS {
        return Err(DataError::shape(format!(
            "event {number} has {clusters} clusters, more than {MAX_CLUSTERS}; \
             lower the occupancy, the noise or the ghosts"
        )));
    }
    let mut start = 0;
    let banks: Vec<_> = (0..)
        .zip(&event.banks.ends)
        .map(|(source, &end)| {
            let words = &event.banks.words[start..end];
            start = end;
            BankWords { source, words }
        })
        .collect();
    let pushed = events.push(format!("{RUN}-{number}"), shape.format(), &banks, Some(event.truth));
    pushed.map_err(|problem| {
        DataError::shape(format!("event {number}: {problem}; simulate fewer events"))
    })
}
