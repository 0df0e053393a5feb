//! How good hits are, by what really happened.

use super::Timeslices;
use crate::algorithm::Metric;
use crate::sts::Product;
use crate::sts::quality::figures as figures_of;
use crate::sts::{Hit, OfflineHit};

/// The figures of the hits of all timeslices, whichever reconstruction found them; none
/// where nobody knows what happened.
pub(super) fn figures(input: &Timeslices, output: &[Product]) -> Vec<Metric> {
    let known = input.0.iter().zip(output).filter_map(|(timeslice, product)| {
        let crossings = timeslice.crossings()?;
        Some((timeslice.setup(), crossings, hits(product)))
    });
    let (mut online, mut offline) = (Vec::new(), Vec::new());
    for (setup, crossings, hits) in known {
        match hits {
            Product::Hits(hits) => online.push((setup, crossings, hits)),
            Product::OfflineHits(hits) => offline.push((setup, crossings, hits)),
            _ => {}
        }
    }
    match (online.is_empty(), offline.is_empty()) {
        (false, _) => figures_of::<Hit>(online),
        (true, false) => figures_of::<OfflineHit>(offline),
        (true, true) => Vec::new(),
    }
}

/// The hits of a product that has clusters too.
fn hits(product: &Product) -> &Product {
    match product {
        Product::Both(_, hits) => hits,
        hits => hits,
    }
}
