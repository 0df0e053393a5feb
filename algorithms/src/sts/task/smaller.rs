//! What is left of an input if a part is taken away.

use std::ops::Range;

use generators::sts::SegmentedDigis;

use super::Timeslices;
use crate::sts::Timeslice;

/// A timeslice is cut into so many parts at first, then into smaller ones.
const FEWEST_PARTS: usize = 2;
/// Beyond this, parts are so small that trying them all takes too long.
const MOST_PARTS: usize = 64;

/// Each timeslice by itself, if there are several; else the timeslice without each part
/// of its digis, the largest parts first. The detector stays as it is: which module
/// digis are in matters.
pub(super) fn all(input: &Timeslices) -> Box<dyn Iterator<Item = Timeslices> + '_> {
    match input.0.as_slice() {
        [timeslice] => {
            let parts = parts(timeslice.stream().len());
            Box::new(parts.map(|part| Timeslices(vec![without(timeslice, &part)])))
        }
        several => {
            let each = several.iter();
            Box::new(each.map(|timeslice| Timeslices(vec![timeslice.clone()])))
        }
    }
}

/// Halves, quarters and so on of `0..length`.
fn parts(length: usize) -> impl Iterator<Item = Range<usize>> {
    let counts = std::iter::successors(Some(FEWEST_PARTS), |count| Some(2 * count));
    let counts = counts.take_while(move |&count| count <= MOST_PARTS.min(length));
    counts.flat_map(move |count| {
        (0..count).map(move |part| part * length / count..(part + 1) * length / count)
    })
}

/// The same sides without the digis at these places.
fn without(timeslice: &Timeslice, part: &Range<usize>) -> Timeslice {
    let digis = timeslice.digis();
    let kept = digis.partition().ranges().map(|range| {
        let places = range.filter(|place| !part.contains(place));
        places.map(|place| digis.digis()[place]).collect::<Vec<_>>()
    });
    let kept: Vec<_> = kept.collect();
    let digis = SegmentedDigis::from_segments(&kept);
    Timeslice::new(digis, timeslice.shared_setup(), timeslice.online())
}
