//! recobench's reconstruction: patterns and neighbours by tables, hits by buckets of angles, windows of
//! eight hits at a time.
//!
//! | module | holds |
//! |---|---|
//! | `neighbours` | super-pixels of a sensor by address |
//! | `clusters` | clusters of super-pixels |
//! | `decode` | clusters of the readout |
//! | `sensor_hits` | hits on sensors, and their positions and angles |
//! | `sort` | the order of the hits of a pair of modules |
//! | `lanes` | eight hits compared with a line at once |
//! | `cuts` | cuts that a search is compiled for |
//! | `first_hits` | first hits of triplets |
//! | `lists` | lists that are longer than what they hold |
//! | `lines` | straight lines, several at a time |
//! | `layer` | sorted hits of a pair of modules with buckets of angles |
//! | `unused` | unused hits of a layer |
//! | `tracks` | the search by triplets |

mod clusters;
mod cuts;
mod decode;
mod first_hits;
mod lanes;
mod layer;
mod lines;
mod lists;
mod neighbours;
mod sensor_hits;
mod sort;
mod tracks;
mod unused;

use generators_lhcb::Event;
use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use crate::velo::cpu::results::HitSlots;
use crate::velo::cpu::worker::Reconstruction;
use crate::velo::model::search::SearchCuts;
use crate::velo::model::{EventHits, Tracks};
use clusters::ClusterFinder;
use decode::Decoder;
use sort::Sorter;
use tracks::TrackFinder;

/// recobench's reconstruction.
#[derive(Default)]
pub struct Tables {
    clusters: ClusterFinder,
    decoder: Decoder,
    sorter: Sorter,
    tracks: TrackFinder,
}

impl Reconstruction for Tables {
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
        for pair in 0..MODULE_PAIRS {
            let range = hits.pairs[pair];
            let own = range.start as usize..(range.start + range.count) as usize;
            self.sorter.sort(hits, own.clone(), slots.hits(own));
            slots.pairs[pair] = range;
        }
        hits.ids.len()
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
}
