//! Ranges of indices that separate components.
//!
//! Slice tracks of one particle often have neighbouring indices. Then there are boundaries in the
//! array that no link and no relation crosses, and the range between two such *cuts* can be
//! followed in order, whatever the components in it are. Cuts are found in one pass over all
//! indices, which is much less work than finding components.

use std::ops::Range;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks};

use crate::parallel::{Grain, collect};

/// Cuts are searched at multiples of this.
const WINDOW: usize = 1024;
/// Windows that a thread processes at a time.
const WINDOWS_AT_A_TIME: usize = 32;
/// Minimum number of pieces for each thread: with fewer, some threads would be idle.
const PIECES_A_THREAD: usize = 4;

/// Pieces that separate all components; `None` if there are too few cuts to keep all threads busy.
pub(super) fn pieces(input: &SliceTracks, threads: usize) -> Option<Vec<Range<usize>>> {
    let tracks = input.len();
    let max = tracks / (threads * PIECES_A_THREAD);
    if max < WINDOW {
        return None;
    }
    let windows = reaches(input);
    let cuts = cuts(&windows).map(|window| window * WINDOW);
    let mut pieces = Vec::new();
    let mut begin = 0;
    let mut last = 0;
    for cut in cuts.chain([tracks]) {
        // The maximum length, or less if the next cut is beyond that.
        if cut - begin > max && last > begin {
            pieces.push(begin..last);
            begin = last;
        }
        if cut - begin > max {
            return None;
        }
        last = cut;
    }
    pieces.push(begin..tracks);
    Some(pieces)
}

/// Range of the slice tracks that those of a window refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    lowest: u32,
    /// The uppermost plus 1; 0 if there are none.
    end: u32,
}

impl Reach {
    const NOWHERE: Reach = Reach { lowest: NONE, end: 0 };

    /// [`NONE`] is larger than all indices, and wraps to 0, which is smaller than all ends.
    #[inline(always)]
    fn to(self, other: u32) -> Self {
        Reach { lowest: self.lowest.min(other), end: self.end.max(other.wrapping_add(1)) }
    }
}

fn reaches(input: &SliceTracks) -> Vec<Reach> {
    let windows = input.len().div_ceil(WINDOW);
    collect(windows, Grain::AtLeast(WINDOWS_AT_A_TIME), |windows| {
        windows.map(|window| {
            let tracks = window * WINDOW..input.len().min((window + 1) * WINDOW);
            reach(&input.links()[tracks.clone()], &input.relations()[tracks])
        })
    })
}

fn reach(links: &[u32], relations: &[Relations]) -> Reach {
    let links = links.iter().fold(Reach::NOWHERE, |reach, &link| reach.to(link));
    relations.iter().fold(links, |reach, related| {
        let [lower, upper] = related.neighbours;
        let reach = reach.to(related.segment_prev).to(related.segment_next);
        reach.to(lower).to(upper)
    })
}

/// The windows that start at a cut: no link or relation crosses it.
fn cuts(windows: &[Reach]) -> impl Iterator<Item = usize> {
    let mut lowest_behind = vec![NONE; windows.len()];
    let mut lowest = NONE;
    for (window, reach) in windows.iter().enumerate().rev() {
        lowest = lowest.min(reach.lowest);
        lowest_behind[window] = lowest;
    }
    let mut end = 0;
    let mut ends_before = Vec::with_capacity(windows.len());
    for reach in windows {
        ends_before.push(end);
        end = end.max(reach.end);
    }
    let windows = ends_before.into_iter().zip(lowest_behind).enumerate();
    let windows = windows.skip(1).filter(|(window, (end, lowest))| {
        let bound = (window * WINDOW) as u64;
        u64::from(*end) <= bound && u64::from(*lowest) >= bound
    });
    windows.map(|(window, _)| window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use generators::tpc::slice_tracks::{Ids, SliceTrack, TrackShape, generate};

    fn linked(tracks: usize, link: impl Fn(usize) -> u32) -> SliceTracks {
        let links = (0..tracks).map(link).collect();
        let relations = vec![Relations::ALONE; tracks];
        SliceTracks::new(vec![SliceTrack::default(); tracks], relations, links).expect("sound")
    }

    #[test]
    fn link_in_either_direction_prevents_a_cut() {
        let at = |from: usize, to: u32| {
            let input = linked(8 * WINDOW, |i| if i == from { to } else { NONE });
            cuts(&reaches(&input)).collect::<Vec<_>>()
        };
        assert_eq!(at(0, 1), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(at(WINDOW - 1, WINDOW as u32), [2, 3, 4, 5, 6, 7]);
        assert_eq!(at(5 * WINDOW, 2 * WINDOW as u32 - 1), [1, 6, 7]);
        assert_eq!(at(8 * WINDOW - 1, 0), [0; 0]);
    }

    #[test]
    fn relations_count_too() {
        let mut relations = vec![Relations::ALONE; 4 * WINDOW];
        relations[0].neighbours[1] = 2 * WINDOW as u32;
        relations[2 * WINDOW].neighbours[0] = 0;
        let tracks = vec![SliceTrack::default(); relations.len()];
        let links = vec![NONE; relations.len()];
        let input = SliceTracks::new(tracks, relations, links).expect("sound");
        assert!(cuts(&reaches(&input)).eq([3]));
    }

    #[test]
    fn pieces_cover_everything_once() {
        let pairs = linked(40 * WINDOW, |i| (i ^ 1) as u32);
        let pieces = pieces(&pairs, 2).expect("cuts everywhere");
        assert!(pieces.len() >= 8);
        let ends = pieces.iter().map(|piece| piece.end);
        let starts = pieces.iter().map(|piece| piece.start);
        assert!(starts.skip(1).eq(ends.take(pieces.len() - 1)));
        assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, pairs.len()));
    }

    #[test]
    fn nearby_indices_separate_components() {
        let made = |ids| {
            let shape = TrackShape { tracks: 400_000, ids };
            generate(&shape, 1).expect("made")
        };
        assert!(pieces(&made(Ids::Local), 2).is_some());
        assert_eq!(pieces(&made(Ids::Shuffled), 2), None);
    }
}
