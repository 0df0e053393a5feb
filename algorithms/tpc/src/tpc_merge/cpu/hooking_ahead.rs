//! Hooking with prefetches.
//!
//! Builds the same forest as [`super::hooking`], but links and relations are first collected in a
//! dense list, a piece at a time: parents of the next ones are prefetched, and slice tracks without
//! a link cause no branch mispredictions. A single thread needs no compare-and-swap. And if *cuts*
//! already separate components, no hooking is needed.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use generators_tpc::slice_tracks::{NONE, Relations, SliceTracks};
use parallel::prefetch::prefetch;
use parallel::shared::atomic;
use parallel::{Grain, collect, for_each};

use super::hooking::make_roots;
use super::{ComponentBounds, FindComponents, PART};
use tasks::device::{Arena, ArenaVec, buffers};

/// Slice tracks whose connections are collected at a time: they fit into the first-level cache.
const PIECE: usize = 512;
/// Maximum number of connections of a slice track: a link, the previous piece and the leg below.
const MAX_CONNECTIONS: usize = 3;
/// Distance of prefetches in connections: first the parents of their ends, then those of the
/// parents.
const FAR: usize = 24;
const NEAR: usize = 12;

/// The parent of each slice track.
pub(super) struct HookingAhead<'a> {
    parents: ArenaVec<'a, u32>,
    threads: usize,
}

buffers!(HookingAhead<'_>: parents);

impl<'a> FindComponents<'a> for HookingAhead<'a> {
    fn take(tracks: usize, threads: usize, arena: &'a Arena) -> Self {
        HookingAhead { parents: arena.vector(tracks), threads }
    }

    fn setup(&mut self, input: &SliceTracks) -> ComponentBounds {
        if let Some(pieces) = pieces(input, self.threads) {
            return ComponentBounds::Pieces(pieces);
        }
        make_roots(&mut self.parents);
        ComponentBounds::Nothing
    }

    fn hook(&mut self, input: &SliceTracks) {
        let parents = atomic(&mut self.parents);
        match self.threads {
            1 => hook_all::<SingleThread>(input, parents),
            _ => hook_all::<MultiThread>(input, parents),
        }
    }

    fn jump(&mut self) {
        let parents = atomic(&mut self.parents);
        for_each(parts(parents.len()), |part| point_to_roots(parents, part));
    }

    fn labels(&self) -> &[u32] {
        &self.parents
    }
}

/// Sets the parent of a root.
trait Hook {
    /// Returns true if it still was a root.
    fn hook(parent: &AtomicU32, root: u32, onto: u32) -> bool;
}

/// Hooks without synchronization, for a single thread.
struct SingleThread;
/// Hooks by compare-and-swap, for several threads.
struct MultiThread;

impl Hook for SingleThread {
    #[inline(always)]
    fn hook(parent: &AtomicU32, _: u32, onto: u32) -> bool {
        parent.store(onto, Ordering::Relaxed);
        true
    }
}

impl Hook for MultiThread {
    #[inline(always)]
    fn hook(parent: &AtomicU32, root: u32, onto: u32) -> bool {
        let success = Ordering::Relaxed;
        let failure = Ordering::Relaxed;
        let hooked = parent.compare_exchange(root, onto, success, failure);
        hooked.is_ok()
    }
}

/// Parts of all slice tracks that a thread processes at a time.
fn parts(tracks: usize) -> impl Iterator<Item = Range<usize>> {
    (0..tracks).step_by(PART).map(move |first| first..tracks.min(first + PART))
}

fn hook_all<H: Hook>(input: &SliceTracks, parents: &[AtomicU32]) {
    for_each(parts(input.len()), |part| {
        let mut connections = Connections::default();
        for first in part.clone().step_by(PIECE) {
            connections.collect(input, first..part.end.min(first + PIECE));
            hook_piece::<H>(parents, connections.get());
        }
    });
}

/// Two slice tracks of one component.
type Connection = [u32; 2];

/// Connections of the slice tracks of a piece, among themselves or with others.
struct Connections {
    list: Vec<Connection>,
    length: usize,
}

impl Default for Connections {
    fn default() -> Self {
        // One more, as the next entry is written before it is bounds whether there is one.
        Connections { list: vec![[0; 2]; MAX_CONNECTIONS * PIECE + 1], length: 0 }
    }
}

impl Connections {
    fn get(&self) -> &[Connection] {
        &self.list[..self.length]
    }

    #[inline(always)]
    fn collect(&mut self, input: &SliceTracks, tracks: Range<usize>) {
        self.length = 0;
        let links = &input.links()[tracks.clone()];
        let relations = &input.relations()[tracks.clone()];
        for ((track, &link), related) in tracks.zip(links).zip(relations) {
            self.add(track, link);
            // Few slice tracks have either of them.
            if related.segment_prev & related.neighbours[0] != NONE {
                self.add(track, related.segment_prev);
                self.add(track, related.neighbours[0]);
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, track: usize, other: u32) {
        self.list[self.length] = [track as u32, other];
        self.length += usize::from(other != NONE);
    }
}

fn hook_piece<H: Hook>(parents: &[AtomicU32], connections: &[Connection]) {
    for (index, &[one, other]) in connections.iter().enumerate() {
        if let Some(&[_, far]) = connections.get(index + FAR) {
            prefetch(parents, far as usize);
        }
        if let Some(&[_, near]) = connections.get(index + NEAR) {
            prefetch(parents, parent(parents, near) as usize);
        }
        join::<H>(parents, one, other);
    }
}

#[inline(always)]
fn parent(parents: &[AtomicU32], track: u32) -> u32 {
    parents[track as usize].load(Ordering::Relaxed)
}

/// Joins the trees of two slice tracks: the larger of their roots gets the smaller one as parent.
#[inline(always)]
fn join<H: Hook>(parents: &[AtomicU32], one: u32, other: u32) {
    let mut one = root(parents, one);
    let mut other = root(parents, other);
    while one != other {
        let low = one.min(other);
        let high = one.max(other);
        if H::hook(&parents[high as usize], high, low) {
            return;
        }
        (one, other) = (root(parents, high), root(parents, low));
    }
}

/// The root of a slice track's tree; each node on the path gets a parent nearer to the root.
#[inline(always)]
fn root(parents: &[AtomicU32], mut track: u32) -> u32 {
    let mut above = parent(parents, track);
    while above != track {
        let next = parent(parents, above);
        if next == above {
            return above;
        }
        // A parent that is skipped was not a root, so no other thread hooks it meanwhile.
        parents[track as usize].store(next, Ordering::Relaxed);
        (track, above) = (next, parent(parents, next));
    }
    track
}

/// The root, without modifying the path: other threads set final parents meanwhile.
#[inline(always)]
fn top(parents: &[AtomicU32], mut track: u32) -> u32 {
    loop {
        match parent(parents, track) {
            above if above == track => return track,
            above => track = above,
        }
    }
}

fn point_to_roots(parents: &[AtomicU32], tracks: Range<usize>) {
    for track in tracks {
        if let Some(far) = parents.get(track + FAR) {
            prefetch(parents, far.load(Ordering::Relaxed) as usize);
        }
        parents[track].store(top(parents, track as u32), Ordering::Relaxed);
    }
}

// Slice tracks of one particle often have neighbouring indices. Then there are boundaries in the
// array that no link and no relation crosses, and the range between two such *cuts* can be
// followed in order, whatever the components in it are. Cuts are found in one pass over all
// indices, which is much less work than finding components.

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
    use generators_tpc::slice_tracks::{Ids, SliceTrack, TrackShape, generate};

    use super::*;

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
