//! The reconstruction as the experiment has it on a CPU: every step a loop over one event, neighbours looked
//! for among all words of a bank, hits ranked by counting, windows visited hit by hit.
//!
//! | module | holds |
//! |---|---|
//! | `candidates` | pixels from which clusters may grow |
//! | `clusters` | clusters by masks of bits |
//! | `decode` | clusters of the readout |
//! | `ranks` | positions of hits by counting |
//! | `tracks` | the search by triplets |

mod candidates;
mod clusters;
mod decode;
mod ranks;
mod tracks;

use generators_lhcb::Event;
use generators_lhcb::geometry::Geometry;

use super::results::HitSlots;
use super::worker::Reconstruction;
use crate::velo::model::capacities::SearchNeeds;
use crate::velo::model::search::SearchCuts;
use crate::velo::model::{EventHits, Tracks};
use clusters::ClusterFinder;
use tracks::TrackFinder;

/// The experiment's reconstruction.
#[derive(Default)]
pub struct Published {
    clusters: ClusterFinder,
    decoder: decode::Decoder,
    tracks: TrackFinder,
}

impl Reconstruction for Published {
    fn clusters(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        self.clusters.find(event, geometry, slots)
    }

    fn decode(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        self.decoder.decode(event, geometry, slots)
    }

    fn sort(&mut self, hits: &EventHits<'_>, slots: &mut HitSlots<'_>) -> usize {
        ranks::sort(hits, slots)
    }

    fn tracks(
        &mut self,
        hits: &EventHits<'_>,
        geometry: &Geometry,
        cuts: SearchCuts,
        tracks: &mut Tracks,
    ) {
        self.tracks.find(hits, geometry, cuts, tracks);
    }

    fn last_needs(&self) -> Option<SearchNeeds> {
        Some(self.tracks.needs())
    }
}
