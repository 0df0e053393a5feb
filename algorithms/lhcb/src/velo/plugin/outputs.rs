//! Outputs of plugins: hits by slot, and lists of tracks.

use bytemuck::cast_slice;
use generators_lhcb::geometry::MODULE_PAIRS;

use super::abi::{Pair, Shown, TrackHit, VeloBanks};
use crate::velo::VeloInput;
use crate::velo::model::{HitArrays, Hits, PairRange, TrackCounts, Tracks};
use tasks::plugin_session::{Layout, OutputLists};

/// Hits of the shortest track.
const MIN_HITS: usize = 3;

/// Indices of the arrays of hits among the outputs.
pub(super) struct HitOutputs {
    ids: usize,
    x: usize,
    y: usize,
    z: usize,
    phi: usize,
}

impl HitOutputs {
    pub(super) fn new<S: Shown>(slots: usize, layout: &mut Layout<'_, S>) -> Self {
        HitOutputs {
            ids: layout.output("the identifiers of its hits", slots, |shown| {
                &mut shown.written_hits().ids
            }),
            x: layout.output("the x of its hits", slots, |shown| &mut shown.written_hits().x),
            y: layout.output("the y of its hits", slots, |shown| &mut shown.written_hits().y),
            z: layout.output("the z of its hits", slots, |shown| &mut shown.written_hits().z),
            phi: layout
                .output("the angles of its hits", slots, |shown| &mut shown.written_hits().phi),
        }
    }

    pub(super) fn read(&self, outputs: &[&[u8]]) -> HitArrays {
        let numbers = |index: usize| cast_slice(outputs[index]).to_vec();
        HitArrays {
            ids: cast_slice(outputs[self.ids]).to_vec(),
            x: numbers(self.x),
            y: numbers(self.y),
            z: numbers(self.z),
            phi: cast_slice(outputs[self.phi]).to_vec(),
        }
    }
}

/// Pairs of modules of each event, and their hits.
pub(super) struct EventHitOutputs {
    /// First slot of each event, and the end of the last one.
    offsets: Vec<u32>,
    pairs: usize,
    hits: HitOutputs,
}

impl EventHitOutputs {
    pub(super) fn new(offsets: Vec<u32>, layout: &mut Layout<'_, VeloBanks>) -> Self {
        let pairs = (offsets.len() - 1) * MODULE_PAIRS;
        let slots = offsets[offsets.len() - 1] as usize;
        EventHitOutputs {
            offsets,
            pairs: layout.output("its pairs of modules", pairs, |shown| &mut shown.pairs),
            hits: HitOutputs::new(slots, layout),
        }
    }

    /// The hits, if those of each pair of modules are within the slots of its event.
    pub(super) fn read(&self, outputs: &[&[u8]]) -> Result<Hits, String> {
        let pairs: &[Pair] = cast_slice(outputs[self.pairs]);
        let slots = self.offsets.windows(2).map(|offsets| offsets[1] - offsets[0]);
        for (event, (slots, pairs)) in slots.zip(pairs.chunks_exact(MODULE_PAIRS)).enumerate() {
            let is_outside =
                |pair: &Pair| pair.start.checked_add(pair.count).is_none_or(|end| end > slots);
            if let Some(pair) = pairs.iter().position(is_outside) {
                let Pair { start, count } = pairs[pair];
                return Err(format!(
                    "event {event}, pair of modules {pair}: {count} hits from slot {start} on, but \
                     the event has {slots} slots"
                ));
            }
        }
        Ok(Hits {
            offsets: self.offsets.clone(),
            pairs: pairs.iter().map(PairRange::from).collect(),
            arrays: self.hits.read(outputs),
        })
    }
}

/// Numbers of hits of the tracks of each event, and these hits.
pub(super) struct TrackLists {
    lengths: OutputLists,
    hits: OutputLists,
}

impl TrackLists {
    pub(super) fn new<S: Shown>(input: &VeloInput, layout: &mut Layout<'_, S>) -> Self {
        let events = input.events.len();
        let capacity = input.track_capacity();
        TrackLists {
            lengths: layout.output_lists::<u32>("tracks", events, capacity.tracks, S::tracks),
            hits: layout.output_lists::<TrackHit>(
                "hits of tracks",
                events,
                capacity.hits,
                S::track_hits,
            ),
        }
    }

    pub(super) fn read(&self, outputs: &[&[u8]]) -> Result<Tracks, String> {
        let lengths = self.lengths.read::<u32>(outputs)?;
        let hits = self.hits.read::<TrackHit>(outputs)?;
        let mut tracks = Tracks::new();
        for (event, (lengths, hits)) in lengths.into_iter().zip(hits).enumerate() {
            push_event(&mut tracks, lengths, hits)
                .map_err(|problem| format!("event {event}: {problem}"))?;
        }
        Ok(tracks)
    }
}

/// Appends the tracks of an event.
fn push_event(tracks: &mut Tracks, lengths: &[u32], hits: &[TrackHit]) -> Result<(), String> {
    let mut end = tracks.slots.len();
    let all = end + hits.len();
    let mut counts = TrackCounts::default();
    for (track, &length) in lengths.iter().enumerate() {
        match length as usize {
            ..MIN_HITS => return Err(format!("track {track} has {length} hits; use 3 or more")),
            MIN_HITS => counts.three_hit += 1,
            _ if counts.three_hit > 0 => {
                return Err(format!("track {track} has {length} hits, after one of three"));
            }
            _ => counts.long += 1,
        }
        end += length as usize;
        if end > all {
            break;
        }
        tracks.offsets.push(end as u32);
    }
    if end != all {
        let found = hits.len();
        let expected: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        return Err(format!("its tracks have {expected} hits, but its list has {found}"));
    }
    tracks.counts.push(counts);
    tracks.slots.extend(hits.iter().map(|hit| hit.slot));
    tracks.ids.extend(hits.iter().map(|hit| hit.id));
    tracks.positions.extend(hits.iter().map(|hit| hit.position));
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytemuck::{Zeroable, cast_slice};

    use super::*;

    /// Reads the hits of two events of five and two slots.
    fn read(pairs: &[Pair]) -> Result<Hits, String> {
        let outputs = EventHitOutputs::new(vec![0, 5, 7], &mut Layout::new());
        let numbers = [0_u32; 7];
        let phi = [0_i16; 7];
        let numbers = cast_slice(&numbers);
        outputs.read(&[cast_slice(pairs), numbers, numbers, numbers, numbers, cast_slice(&phi)])
    }

    #[test]
    fn hits_beyond_the_slots_of_an_event_are_refused() {
        let mut pairs = [Pair { start: 5, count: 0 }; 2 * MODULE_PAIRS];
        pairs[MODULE_PAIRS..].fill(Pair { start: 2, count: 0 });
        pairs[0] = Pair { start: 0, count: 5 };
        let hits = read(&pairs).expect("five hits");
        assert_eq!((hits.events(), hits.event(0).count(), hits.event(1).count()), (2, 5, 0));
        let problem = |pair: usize, start: u32, count: u32| {
            let mut pairs = pairs;
            pairs[pair] = Pair { start, count };
            read(&pairs).expect_err("hits beyond the slots")
        };
        let expected =
            "event 1, pair of modules 3: 2 hits from slot 1 on, but the event has 2 slots";
        assert_eq!(problem(MODULE_PAIRS + 3, 1, 2), expected);
        assert!(problem(0, 0, 6).starts_with("event 0, pair of modules 0: 6 hits"));
        assert!(problem(1, 6, 0).contains("0 hits from slot 6 on"));
        assert!(problem(25, u32::MAX, 2).contains("2 hits from slot 4294967295 on"));
    }

    #[test]
    fn lists_of_tracks_that_do_not_fit_are_refused() {
        let hits = [TrackHit::zeroed(); 7];
        let problem = |lengths: &[u32]| {
            push_event(&mut Tracks::new(), lengths, &hits).expect_err("not the tracks of 7 hits")
        };
        assert!(problem(&[5, 2]).contains("track 1 has 2 hits"));
        assert!(problem(&[3, 4]).contains("track 1 has 4 hits, after one of three"));
        assert!(problem(&[4]).contains("its tracks have 4 hits, but its list has 7"));
        assert!(problem(&[u32::MAX, 4]).contains("its list has 7"));
        let mut tracks = Tracks::new();
        push_event(&mut tracks, &[4, 3], &hits).expect("seven hits");
        assert_eq!(tracks.counts, [TrackCounts { long: 1, three_hit: 1 }]);
        assert_eq!(tracks.offsets, [0, 4, 7]);
    }
}
