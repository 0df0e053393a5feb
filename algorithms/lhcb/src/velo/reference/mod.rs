//! The expected results, slow and obvious, by the rules in `docs/velo.md`.
//!
//! | module | holds |
//! |---|---|
//! | `clusters` | clusters of super-pixels |
//! | `decode` | clusters of the readout as hits |
//! | `sort` | hits by angle |
//! | `tracks` | the search by triplets, and the filter of tracks of three hits |

pub mod clusters;
pub mod decode;
pub mod sort;
pub mod tracks;

use generators_lhcb::{BankKind, Event, Geometry};
use half::f16;

use crate::velo::model::search::SearchCuts;
use crate::velo::model::{Hit, Hits, Tracks};

/// Hits of an event before the sort: clusters in order of creation. Clusters of the readout are
/// sorted already.
pub fn push_unsorted(event: &Event<'_>, geometry: &Geometry, hits: &mut Hits) {
    match event.format.kind {
        BankKind::SuperPixel => {
            let clusters = clusters::find_clusters(event, geometry);
            hits.push_event(&clusters.pairs, &clusters.slots);
        }
        BankKind::Retina => {
            let (pairs, slots) = decode::decode(event, geometry);
            hits.push_event(&pairs, &slots);
        }
    }
}

/// Hits of an event after the sort. Those of the readout are sorted already.
pub fn push_sorted(unsorted: &Hits, index: usize, kind: BankKind, hits: &mut Hits) {
    let event = unsorted.event(index);
    let pairs = event.pairs.try_into().expect("26 pairs");
    let slots: Vec<Hit> = (0..event.ids.len()).map(|slot| event.hit(slot)).collect();
    match kind {
        BankKind::SuperPixel => hits.push_event(pairs, &sort::sort(pairs, &slots)),
        BankKind::Retina => hits.push_event(pairs, &slots),
    }
}

/// Tracks of an event.
pub fn push_tracks(
    hits: &Hits,
    index: usize,
    geometry: &Geometry,
    cuts: SearchCuts,
    tracks: &mut Tracks,
) {
    let event = hits.event(index);
    tracks.push_event(&tracks::find_tracks(event, geometry, cuts).tracks, event);
}

/// Positions rounded to 16-bit numbers, as the experiment keeps them on a GPU.
pub fn in_half_precision(mut hits: Hits) -> Hits {
    let arrays = &mut hits.arrays;
    for number in arrays.x.iter_mut().chain(&mut arrays.y).chain(&mut arrays.z) {
        *number = f16::from_f32(*number).to_f32();
    }
    hits
}
