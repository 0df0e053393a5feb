//! Events, the geometry, and the expected results of all stages.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use generators_lhcb::{Event, Events, Geometry};
use parallel::map_dynamic;
use tasks::algorithm::Semantics;

use super::{Stage, VeloOutput};
use crate::velo::model::search::SearchCuts;
use crate::velo::model::{Hits, Tracks};
use crate::velo::reference;

/// Events to be reconstructed.
pub struct VeloInput {
    /// The events.
    pub events: Events,
    /// Positions of modules, columns and sensors.
    pub geometry: Arc<Geometry>,
    /// Events that are processed together.
    pub batch: usize,
    /// Cuts of the search for tracks.
    pub cuts: SearchCuts,
    unsorted: OnceLock<Hits>,
    sorted: OnceLock<Hits>,
    sorted_in_half: OnceLock<Hits>,
    track_capacity: OnceLock<TrackCapacity>,
}

/// Capacity of buffers for the tracks of all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackCapacity {
    /// Number of tracks.
    pub tracks: usize,
    /// Number of hits of tracks.
    pub hits: usize,
}

impl VeloInput {
    /// Events with a geometry, to be processed `batch` at a time with the cuts of the experiment.
    pub fn new(events: Events, geometry: Arc<Geometry>, batch: usize) -> Self {
        VeloInput {
            events,
            geometry,
            batch,
            cuts: SearchCuts::EXPERIMENT,
            unsorted: OnceLock::new(),
            sorted: OnceLock::new(),
            sorted_in_half: OnceLock::new(),
            track_capacity: OnceLock::new(),
        }
    }

    /// Replaces the cuts.
    pub fn with_cuts(self, cuts: SearchCuts) -> Self {
        VeloInput { cuts, track_capacity: OnceLock::new(), ..self }
    }

    /// Indices of the events of each batch.
    pub fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let events = self.events.len();
        let batch = self.batch;
        (0..events).step_by(batch).map(move |first| first..events.min(first + batch))
    }

    /// Some of the events.
    pub fn selected(&self, events: impl IntoIterator<Item = usize>) -> Self {
        let events = self.events.selected(events);
        VeloInput::new(events, Arc::clone(&self.geometry), self.batch).with_cuts(self.cuts)
    }

    /// The expected hits before the sort, computed on first use.
    pub fn unsorted(&self) -> &Hits {
        self.unsorted.get_or_init(|| {
            let geometry = &*self.geometry;
            joined(self.each_event(|event: Event<'_>| {
                let mut hits = Hits::new();
                reference::push_unsorted(&event, geometry, &mut hits);
                hits
            }))
        })
    }

    /// The expected hits after the sort, computed on first use.
    pub fn sorted(&self) -> &Hits {
        self.sorted.get_or_init(|| {
            let unsorted = self.unsorted();
            let sorted = map_dynamic(0..self.events.len(), |event| {
                let mut hits = Hits::new();
                reference::push_sorted(unsorted, event, self.kind_of(event), &mut hits);
                hits
            });
            joined(sorted)
        })
    }

    /// These hits with positions of 16 bits, computed on first use.
    pub fn sorted_in_half(&self) -> &Hits {
        self.sorted_in_half.get_or_init(|| reference::in_half_precision(self.sorted().clone()))
    }

    /// Capacity for the tracks, computed on first use: twice that of the expected ones.
    pub fn track_capacity(&self) -> TrackCapacity {
        *self.track_capacity.get_or_init(|| {
            let tracks = self.tracks(self.sorted());
            TrackCapacity { tracks: 2 * tracks.offsets.len(), hits: 2 * tracks.slots.len() }
        })
    }

    /// The expected output of a stage.
    pub fn expected(&self, stage: Stage, semantics: Semantics) -> VeloOutput {
        let sorted = || match semantics {
            Semantics::Published => self.sorted_in_half(),
            Semantics::Exact | Semantics::Offline => self.sorted(),
        };
        let hits = match stage {
            Stage::Clusters => match semantics {
                Semantics::Published => reference::in_half_precision(self.unsorted().clone()),
                Semantics::Exact | Semantics::Offline => self.unsorted().clone(),
            },
            Stage::Decode | Stage::Sort | Stage::Chain => sorted().clone(),
            Stage::Tracks => Hits::new(),
        };
        let tracks = if stage.has_tracks() { self.tracks(sorted()) } else { Tracks::new() };
        VeloOutput { hits, tracks }
    }

    fn tracks(&self, hits: &Hits) -> Tracks {
        let of_events = map_dynamic(0..self.events.len(), |event| {
            let mut tracks = Tracks::new();
            reference::push_tracks(hits, event, &self.geometry, self.cuts, &mut tracks);
            tracks
        });
        let mut all = Tracks::new();
        of_events.iter().for_each(|tracks| all.append(tracks));
        all
    }

    fn each_event<R: Send>(&self, work: impl Fn(Event<'_>) -> R + Sync) -> Vec<R> {
        map_dynamic(0..self.events.len(), |event| work(self.events.event(event)))
    }

    fn kind_of(&self, event: usize) -> generators_lhcb::BankKind {
        self.events.event(event).format.kind
    }

    /// Bytes that a stage reads: banks, or hits.
    pub fn bytes(&self, stage: Stage) -> u64 {
        let hits = |hits: &Hits| (hits.arrays.len() * BYTES_OF_HIT + hits.pairs.len() * 8) as u64;
        match stage {
            Stage::Sort => hits(self.unsorted()),
            Stage::Tracks => hits(self.sorted()),
            Stage::Clusters | Stage::Decode | Stage::Chain => self.events.bytes(),
        }
    }
}

/// Bytes of a hit: identifier, position, angle.
pub const BYTES_OF_HIT: usize = 18;

fn joined(of_events: Vec<Hits>) -> Hits {
    let mut all = Hits::new();
    of_events.iter().for_each(|hits| all.append(hits));
    all
}
