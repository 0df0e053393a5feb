//! The output: hits and tracks, and their comparison with the expected ones.

use std::ops::Range;

use generators_common::element::Choose;
use generators_lhcb::geometry::MODULE_PAIRS;
use tasks::algorithm::{Mutants, Mutation, Output};

use super::{Stage, VeloTask};
use crate::velo::model::{Hit, Hits, Tracks};

/// Hits and tracks of events, as far as a stage has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VeloOutput {
    /// Hits of each event.
    pub hits: Hits,
    /// Tracks of each event.
    pub tracks: Tracks,
}

/// Difference from the expected output.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Mismatch {
    /// Another number of events.
    #[error("{found} events instead of {expected}")]
    Events {
        /// Events of the output.
        found: usize,
        /// Events of the input.
        expected: usize,
    },
    /// Other slots of a pair of modules.
    #[error("event {event}, pair of modules {pair}: {found} instead of {expected}")]
    Pair {
        /// Index of the event.
        event: usize,
        /// The pair of modules.
        pair: usize,
        /// First slot and number of hits of the output.
        found: String,
        /// Those expected.
        expected: String,
    },
    /// Another hit.
    #[error(
        "event {event}, pair of modules {pair}, hit {index}: {found:?} instead of {expected:?}"
    )]
    Hit {
        /// Index of the event.
        event: usize,
        /// The pair of modules.
        pair: usize,
        /// Index of the hit in the pair of modules.
        index: usize,
        /// The hit of the output.
        found: Hit,
        /// The expected one.
        expected: Hit,
    },
    /// Arrays that do not belong together.
    #[error("event {event}: the lists of tracks are inconsistent")]
    Inconsistent {
        /// Index of the event.
        event: usize,
    },
    /// A track that is not expected.
    #[error("event {event}: track of slots {slots:?} is not expected")]
    Unexpected {
        /// Index of the event.
        event: usize,
        /// Slots of the track.
        slots: Vec<u32>,
    },
    /// A track that is missing.
    #[error("event {event}: track of slots {slots:?} is missing")]
    Missing {
        /// Index of the event.
        event: usize,
        /// Slots of the track.
        slots: Vec<u32>,
    },
    /// Other contents of a track.
    #[error("event {event}: the hits of the track of slots {slots:?} have other contents")]
    Contents {
        /// Index of the event.
        event: usize,
        /// Slots of the track.
        slots: Vec<u32>,
    },
}

/// Compares outputs of a stage.
///
/// # Errors
/// The first difference.
pub fn compare(stage: Stage, right: &VeloOutput, found: &VeloOutput) -> Result<(), Mismatch> {
    if stage.has_hits() {
        compare_hits(stage, &right.hits, &found.hits)?;
    }
    if stage.has_tracks() {
        compare_tracks(&right.tracks, &found.tracks)?;
    }
    Ok(())
}

fn compare_hits(stage: Stage, right: &Hits, found: &Hits) -> Result<(), Mismatch> {
    if right.events() != found.events() {
        return Err(Mismatch::Events { found: found.events(), expected: right.events() });
    }
    let compare = |event| compare_event(stage, event, right, found).err();
    parallel::find_first(right.events(), compare).map_or(Ok(()), Err)
}

fn compare_event(stage: Stage, event: usize, right: &Hits, found: &Hits) -> Result<(), Mismatch> {
    let right = right.event(event);
    let found = found.event(event);
    for pair in 0..MODULE_PAIRS {
        if right.pairs[pair] != found.pairs[pair] {
            let shown = |range: crate::velo::model::PairRange| {
                format!("{} hits from slot {} on", range.count, range.start)
            };
            let found = shown(found.pairs[pair]);
            let expected = shown(right.pairs[pair]);
            return Err(Mismatch::Pair { event, pair, found, expected });
        }
        let mut right: Vec<Hit> = right.of_pair(pair).collect();
        let mut found: Vec<Hit> = found.of_pair(pair).collect();
        // Clusters may be created in any order.
        if stage == Stage::Clusters {
            right.sort_by_key(Hit::bits);
            found.sort_by_key(Hit::bits);
        }
        let both = found.iter().zip(&right).enumerate();
        let mut different = both.filter(|(_, (found, right))| found.bits() != right.bits());
        if let Some((index, (&found, &expected))) = different.next() {
            return Err(Mismatch::Hit { event, pair, index, found, expected });
        }
    }
    Ok(())
}

fn compare_tracks(right: &Tracks, found: &Tracks) -> Result<(), Mismatch> {
    if right.events() != found.events() {
        return Err(Mismatch::Events { found: found.events(), expected: right.events() });
    }
    let both: Vec<_> = right.of_events().zip(found.of_events()).collect();
    let compare = |event: usize| {
        let (of_right, of_found) = both[event].clone();
        let counts = right.counts[event] == found.counts[event];
        compare_event_tracks(event, (right, of_right), (found, of_found))
            .err()
            .or_else(|| (!counts).then_some(Mismatch::Inconsistent { event }))
    };
    parallel::find_first(both.len(), compare).map_or(Ok(()), Err)
}

/// A track: its slots, and the index of its first hit among all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Track<'t> {
    slots: &'t [u32],
    first: usize,
}

/// Tracks of an event by slots.
fn sorted<'t>(tracks: &'t Tracks, of_event: &Range<usize>) -> Option<Vec<Track<'t>>> {
    let hits = tracks.slots.len();
    if tracks.ids.len() != hits || tracks.positions.len() != hits {
        return None;
    }
    let track = |index: usize| {
        let first = *tracks.offsets.get(index)? as usize;
        let end = *tracks.offsets.get(index + 1)? as usize;
        Some(Track { slots: tracks.slots.get(first..end)?, first })
    };
    let mut sorted: Vec<_> = of_event.clone().map(track).collect::<Option<_>>()?;
    sorted.sort_unstable();
    Some(sorted)
}

fn compare_event_tracks(
    event: usize,
    (right, of_right): (&Tracks, Range<usize>),
    (found, of_found): (&Tracks, Range<usize>),
) -> Result<(), Mismatch> {
    let expected = sorted(right, &of_right).ok_or(Mismatch::Inconsistent { event })?;
    let tracks = sorted(found, &of_found).ok_or(Mismatch::Inconsistent { event })?;
    for index in 0..expected.len().max(tracks.len()) {
        let (track, right_track) = match (tracks.get(index), expected.get(index)) {
            (Some(track), Some(right)) if track.slots == right.slots => (*track, *right),
            (Some(track), right) if right.is_none_or(|right| track.slots < right.slots) => {
                return Err(Mismatch::Unexpected { event, slots: track.slots.to_vec() });
            }
            (_, right) => {
                let slots = right.map(|right| right.slots.to_vec()).unwrap_or_default();
                return Err(Mismatch::Missing { event, slots });
            }
        };
        if contents(right, right_track) != contents(found, track) {
            return Err(Mismatch::Contents { event, slots: track.slots.to_vec() });
        }
    }
    Ok(())
}

/// Identifiers and bits of positions of the hits of a track.
fn contents(tracks: &Tracks, Track { slots, first }: Track<'_>) -> Vec<(u32, [u32; 3])> {
    let hits = first..first + slots.len();
    let positions =
        tracks.positions[hits.clone()].iter().map(|position| position.map(f32::to_bits));
    tracks.ids[hits].iter().copied().zip(positions).collect()
}

impl Hit {
    /// All its numbers as bits, to be compared.
    fn bits(&self) -> (i64, [u32; 3]) {
        (self.key(), self.position.map(f32::to_bits))
    }
}

impl Output<VeloTask> for VeloOutput {
    fn nothing() -> Self {
        VeloOutput { hits: Hits::new(), tracks: Tracks::new() }
    }

    /// Copies with a hit or a track changed, dropped, doubled or swapped.
    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let mut mutants = Vec::new();
        if let Some(slot) = self.any_hit(choose) {
            let mut change = |mutation, change: &dyn Fn(&mut Hits)| {
                let mut copy = self.clone();
                change(&mut copy.hits);
                mutants.push((mutation, copy));
            };
            change(Mutation::Changed, &|hits| hits.arrays.phi[slot] ^= 1);
            change(Mutation::Changed, &|hits| {
                hits.arrays.x[slot] = f32::from_bits(hits.arrays.x[slot].to_bits() ^ 1);
            });
            change(Mutation::Changed, &|hits| hits.arrays.ids[slot] ^= 1);
        }
        if let Some(pair) = self.hits.pairs.iter().rposition(|pair| pair.count > 0) {
            let mut copy = self.clone();
            copy.hits.pairs[pair].count -= 1;
            mutants.push((Mutation::Dropped, copy));
        }
        mutants.extend(
            self.tracks.mutants(choose).into_iter().map(|(mutation, tracks)| {
                (mutation, VeloOutput { hits: self.hits.clone(), tracks })
            }),
        );
        mutants
    }
}

impl VeloOutput {
    /// Index among all slots of a hit.
    fn any_hit(&self, choose: Choose<'_>) -> Option<usize> {
        let with_hits: Vec<_> =
            (0..self.hits.pairs.len()).filter(|pair| self.hits.pairs[*pair].count > 0).collect();
        let pair =
            *with_hits.get(if with_hits.is_empty() { 0 } else { choose(with_hits.len()) })?;
        let range = self.hits.pairs[pair];
        let event = self.hits.offsets[pair / MODULE_PAIRS];
        Some((event + range.start) as usize + choose(range.count as usize))
    }
}

impl Tracks {
    fn mutants(&self, choose: Choose<'_>) -> Mutants<Tracks> {
        if self.offsets.len() < 2 {
            return Vec::new();
        }
        let track = choose(self.offsets.len() - 1);
        let hit = self.offsets[track] as usize;
        let event = self.of_events().position(|range| range.contains(&track)).unwrap_or(0);
        let mutate = |mutation, mutate: &dyn Fn(&mut Tracks)| {
            let mut copy = self.clone();
            mutate(&mut copy);
            (mutation, copy)
        };
        vec![
            mutate(Mutation::Changed, &|tracks| tracks.slots[hit] ^= 1),
            mutate(Mutation::Changed, &|tracks| tracks.ids[hit] ^= 1),
            mutate(Mutation::Changed, &|tracks| {
                let x = &mut tracks.positions[hit][0];
                *x = f32::from_bits(x.to_bits() ^ 1);
            }),
            mutate(Mutation::Dropped, &|tracks| tracks.remove_track(event, track)),
            mutate(Mutation::Changed, &|tracks| tracks.slots.swap(hit, hit + 1)),
        ]
    }

    fn remove_track(&mut self, event: usize, track: usize) {
        let hits = self.offsets[track] as usize..self.offsets[track + 1] as usize;
        let len = hits.len() as u32;
        self.slots.drain(hits.clone());
        self.ids.drain(hits.clone());
        self.positions.drain(hits);
        self.offsets.remove(track);
        self.offsets[track..].iter_mut().for_each(|offset| *offset -= len);
        let counts = &mut self.counts[event];
        if counts.long > 0 { counts.long -= 1 } else { counts.three_hit -= 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velo::model::{EventTracks, PairRange};

    fn hit(index: u32) -> Hit {
        Hit { id: 0x2000_0000 | index, position: [index as f32, 1.0, 2.0], phi: index as i16 }
    }

    /// Four hits in the first pair of modules, and these tracks.
    fn output(hits: [u32; 4], tracks: EventTracks) -> VeloOutput {
        let mut output = VeloOutput::nothing();
        let mut pairs = [PairRange { start: 4, count: 0 }; MODULE_PAIRS];
        pairs[0] = PairRange { start: 0, count: 4 };
        output.hits.push_event(&pairs, &hits.map(hit));
        let mut slots = VeloOutput::nothing().hits;
        slots.push_event(&pairs, &[0, 1, 2, 3].map(hit));
        output.tracks.push_event(&tracks, slots.event(0));
        output
    }

    fn tracks(long: &[[u32; 4]], three_hit: &[[u32; 3]]) -> EventTracks {
        EventTracks {
            long: long.iter().map(|track| track.to_vec()).collect(),
            three_hit: three_hit.to_vec(),
        }
    }

    #[test]
    fn clusters_are_compared_in_any_order_and_sorted_hits_in_place() {
        let none = || tracks(&[], &[]);
        let right = output([0, 1, 2, 3], none());
        let moved = output([2, 0, 3, 1], none());
        assert_eq!(compare(Stage::Clusters, &right, &moved), Ok(()));
        assert!(compare(Stage::Sort, &right, &moved).is_err());
        for wrong in [[0, 1, 2, 2], [0, 1, 2, 4], [3, 3, 0, 1]] {
            assert!(compare(Stage::Clusters, &right, &output(wrong, none())).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn tracks_are_compared_in_any_order_and_their_hits_in_order() {
        let right = tracks(&[[0, 1, 2, 3], [3, 2, 1, 0]], &[[0, 1, 2], [1, 2, 3]]);
        let right = output([0, 1, 2, 3], right);
        let compare = |found| compare(Stage::Tracks, &right, &output([0, 1, 2, 3], found));
        let moved = tracks(&[[3, 2, 1, 0], [0, 1, 2, 3]], &[[1, 2, 3], [0, 1, 2]]);
        assert_eq!(compare(moved), Ok(()));
        let wrong = [
            tracks(&[[0, 1, 3, 2], [3, 2, 1, 0]], &[[0, 1, 2], [1, 2, 3]]),
            tracks(&[[0, 1, 2, 3], [0, 1, 2, 3]], &[[0, 1, 2], [1, 2, 3]]),
            tracks(&[[0, 1, 2, 3], [3, 2, 1, 0]], &[[0, 1, 2], [0, 1, 2]]),
            tracks(&[[0, 1, 2, 3], [3, 2, 1, 0]], &[[0, 1, 2]]),
            tracks(&[[0, 1, 2, 3]], &[[0, 1, 2], [1, 2, 3], [3, 2, 1]]),
        ];
        for wrong in wrong {
            assert!(compare(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}
