//! A mapping with the dimensions of the experiment's, but computed by a rule.
//!
//! A card reads a strip of its region, from the first row to the last and some pads wide, like the
//! experiment's cards: a cluster of charge is therefore read by one card or two. On the card, pads
//! are dealt to channels in large steps.

use std::sync::LazyLock;

use super::LinkChannel;
use crate::tpc::digit::PadId;
use crate::tpc::geometry::{CHANNELS_IN_LINK, REGIONS, Region, pads_in_row};

/// Pads from one channel to the next, modulo the 80 of the card. It has no factor
/// in common with 80, and is more than two rows of any strip.
const STEP: usize = 17;

static STRIPS: LazyLock<[Vec<PadId>; REGIONS]> =
    LazyLock::new(|| std::array::from_fn(|number| Region::new(number).map_or(Vec::new(), strips)));

/// The pad that a channel reads.
pub(super) fn pad(channel: LinkChannel) -> PadId {
    let strip = &STRIPS[channel.region.number()][usize::from(channel.fec) * CHANNELS_IN_LINK..];
    strip[usize::from(channel.channel) * STEP % CHANNELS_IN_LINK]
}

/// The pads of a region, 80 of each card together: cards by azimuth, the pads of
/// a card by row.
fn strips(region: Region) -> Vec<PadId> {
    let pads = region
        .rows()
        .flat_map(|row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8)));
    let mut pads: Vec<_> = pads.collect();
    // The middle of a pad as a fraction of its row; a product of integers
    // compares it without rounding.
    pads.sort_by(|a, b| {
        let left = middle(*a) * pads_in_row(usize::from(b.row()));
        let right = middle(*b) * pads_in_row(usize::from(a.row()));
        left.cmp(&right).then(a.cmp(b))
    });
    for card in pads.chunks_mut(CHANNELS_IN_LINK) {
        card.sort();
    }
    pads
}

fn middle(pad: PadId) -> usize {
    2 * usize::from(pad.pad()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_reads_a_narrow_strip_of_all_rows() {
        for region in Region::all() {
            for card in strips(region).chunks(CHANNELS_IN_LINK) {
                for row in region.rows() {
                    let pads: Vec<_> = card
                        .iter()
                        .filter(|pad| usize::from(pad.row()) == row)
                        .map(|pad| pad.pad())
                        .collect();
                    assert!((3..=9).contains(&pads.len()), "{region:?} {pads:?}");
                    let width = pads[pads.len() - 1] - pads[0];
                    assert_eq!(usize::from(width), pads.len() - 1);
                }
            }
        }
    }
}
