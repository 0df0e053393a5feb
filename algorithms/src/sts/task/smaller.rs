//! What is left of a timeslice if a part is taken away.

use generators::sts::SegmentedDigis;

use crate::sts::Timeslice;

/// An input is cut into so many parts at first, then into smaller ones.
const FEWEST_PARTS: usize = 2;
/// Beyond this, parts are so small that trying them all takes too long.
const MOST_PARTS: usize = 64;

/// Without each part of the digis, the largest parts first. The detector stays as it
/// is: which module digis are in matters.
pub(super) fn all(input: &Timeslice) -> impl Iterator<Item = Timeslice> + '_ {
    let digis = input.digis().digis().len();
    let counts = std::iter::successors(Some(FEWEST_PARTS), |count| Some(2 * count));
    let counts = counts.take_while(move |&count| count <= MOST_PARTS.min(digis));
    let parts = counts.flat_map(move |count| {
        (0..count).map(move |part| part * digis / count..(part + 1) * digis / count)
    });
    parts.map(|part| {
        let ranges = input.digis().partition().ranges();
        let kept = ranges.map(|range| {
            let places = range.filter(|place| !part.contains(place));
            places
                .map(|place| input.digis().digis()[place])
                .collect::<Vec<_>>()
        });
        let kept: Vec<_> = kept.collect();
        let digis = SegmentedDigis::from_segments(&kept);
        Timeslice::new(digis, input.shared_setup(), input.online())
    })
}
