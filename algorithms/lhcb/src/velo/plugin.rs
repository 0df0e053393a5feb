//! Sorting hits and finding tracks by plugins. Their input is the expected hits of the stage before.

use bytemuck::{Pod, Zeroable, cast_slice};
use generators_lhcb::geometry::MODULE_PAIRS;

use super::{Stage, VeloInput, VeloOutput, VeloTask};
use crate::velo::model::{HitArrays, Hits, PairRange, TrackCounts, Tracks};
use tasks::plugin::abi::{Lists, SEPARATE, structs};
use tasks::plugin::{Contract, Stable};
use tasks::plugin_session::{Description, Layout, OutputLists, PluginRequest, PluginTask};

/// First version of the header with the structs below.
const SINCE: u32 = 3;

static SORT: Contract =
    Contract { task: "velo-sort", since: SINCE, cuda: &[SEPARATE], ..Contract::NEW };
/// The number of tracks is a result, so there are no plugins for GPUs.
static TRACKS: Contract =
    Contract { task: "velo-tracks", since: SINCE, stable: Stable::Never, ..Contract::NEW };

/// Features that plugins of a stage may declare; `None` if it takes none.
pub(super) fn contract(stage: Stage) -> Option<&'static Contract> {
    match stage {
        Stage::Sort => Some(&SORT),
        Stage::Tracks => Some(&TRACKS),
        Stage::Clusters | Stage::Decode | Stage::Chain => None,
    }
}

/// Hits of the shortest track.
const MIN_HITS: usize = 3;

structs! {
    "recobench_velo_pair" #[derive(Clone, Copy, Pod, Zeroable)] Pair {
        start: u32,
        count: u32,
    }

    "recobench_velo_hits" #[derive(Zeroable)] ShownHits {
        ids: *mut u32,
        x: *mut f32,
        y: *mut f32,
        z: *mut f32,
        phi: *mut i16,
    }

    "recobench_velo_track_hit" #[derive(Clone, Copy, Pod, Zeroable)] TrackHit {
        slot: u32,
        id: u32,
        position: [f32; 3],
    }

    "recobench_velo" #[derive(Zeroable)] Velo {
        size: usize,
        events: u64,
        batch: u64,
        slots: u64,
        max_slots: u64,
        event_slots: *const u32,
        pairs: *const Pair,
        hits: ShownHits,
        module_z: *const f32,
        sorted: ShownHits,
        tracks: Lists,
        track_hits: Lists,
    }
}

impl PluginTask for VeloTask {
    fn describe<'a>(&self, input: &'a VeloInput, _: PluginRequest) -> Description<'a, VeloOutput> {
        let mut layout = Layout::new();
        if self.stage == Stage::Tracks {
            let hits = input.sorted();
            show_hits(input, hits, &mut layout);
            let output = TrackLists::new(input, &mut layout);
            let read = move |outputs: &[&[u8]]| output.read(outputs);
            layout.describe(shown(input, hits), Box::new(read))
        } else {
            let hits = input.unsorted();
            show_hits(input, hits, &mut layout);
            let sorted = SortedHits::new(hits, &mut layout);
            let read = move |outputs: &[&[u8]]| {
                let hits = sorted.read(hits, outputs);
                Ok(VeloOutput { hits, tracks: Tracks::new() })
            };
            layout.describe(shown(input, hits), Box::new(read))
        }
    }
}

/// The struct without its arrays.
fn shown(input: &VeloInput, hits: &Hits) -> Velo {
    let of_events = hits.offsets.windows(2).map(|offsets| offsets[1] - offsets[0]);
    Velo {
        size: size_of::<Velo>(),
        events: hits.events() as u64,
        batch: input.batch as u64,
        slots: hits.arrays.len() as u64,
        max_slots: of_events.max().unwrap_or(0).into(),
        ..Zeroable::zeroed()
    }
}

fn show_hits<'a>(input: &'a VeloInput, hits: &'a Hits, layout: &mut Layout<'a, Velo>) {
    let Hits { offsets, pairs, arrays } = hits;
    let pair = |&PairRange { start, count }: &PairRange| Pair { start, count };
    let pairs: Vec<_> = pairs.iter().map(pair).collect();
    layout.array("the slots of its events", &offsets[..], |shown| &mut shown.event_slots);
    layout.array("its pairs of modules", pairs, |shown| &mut shown.pairs);
    layout.array("its identifiers", &arrays.ids[..], |shown| &mut shown.hits.ids);
    layout.array("its x", &arrays.x[..], |shown| &mut shown.hits.x);
    layout.array("its y", &arrays.y[..], |shown| &mut shown.hits.y);
    layout.array("its z", &arrays.z[..], |shown| &mut shown.hits.z);
    layout.array("its angles", &arrays.phi[..], |shown| &mut shown.hits.phi);
    let module_z = &input.geometry.module_z[..];
    layout.array("the positions of modules", module_z, |shown| &mut shown.module_z);
}

/// Indices of the sorted hits among the outputs.
struct SortedHits {
    ids: usize,
    x: usize,
    y: usize,
    z: usize,
    phi: usize,
}

impl SortedHits {
    fn new(hits: &Hits, layout: &mut Layout<'_, Velo>) -> Self {
        let slots = hits.arrays.len();
        SortedHits {
            ids: layout.output("its sorted identifiers", slots, |shown| &mut shown.sorted.ids),
            x: layout.output("its sorted x", slots, |shown| &mut shown.sorted.x),
            y: layout.output("its sorted y", slots, |shown| &mut shown.sorted.y),
            z: layout.output("its sorted z", slots, |shown| &mut shown.sorted.z),
            phi: layout.output("its sorted angles", slots, |shown| &mut shown.sorted.phi),
        }
    }

    /// The sorted hits, in the slots of those before.
    fn read(&self, before: &Hits, outputs: &[&[u8]]) -> Hits {
        let numbers = |index: usize| cast_slice(outputs[index]).to_vec();
        Hits {
            offsets: before.offsets.clone(),
            pairs: before.pairs.clone(),
            arrays: HitArrays {
                ids: cast_slice(outputs[self.ids]).to_vec(),
                x: numbers(self.x),
                y: numbers(self.y),
                z: numbers(self.z),
                phi: cast_slice(outputs[self.phi]).to_vec(),
            },
        }
    }
}

/// Numbers of hits of the tracks of each event, and these hits.
struct TrackLists {
    lengths: OutputLists,
    hits: OutputLists,
}

impl TrackLists {
    fn new(input: &VeloInput, layout: &mut Layout<'_, Velo>) -> Self {
        let events = input.events.len();
        let capacity = input.track_capacity();
        let tracks = capacity.tracks;
        TrackLists {
            lengths: layout
                .output_lists::<u32>("tracks", events, tracks, |shown| &mut shown.tracks),
            hits: layout.output_lists::<TrackHit>(
                "hits of tracks",
                events,
                capacity.hits,
                |shown| &mut shown.track_hits,
            ),
        }
    }

    fn read(&self, outputs: &[&[u8]]) -> Result<VeloOutput, String> {
        let lengths = self.lengths.read::<u32>(outputs)?;
        let hits = self.hits.read::<TrackHit>(outputs)?;
        let mut tracks = Tracks::new();
        for (event, (lengths, hits)) in lengths.into_iter().zip(hits).enumerate() {
            push_event(&mut tracks, lengths, hits)
                .map_err(|problem| format!("event {event}: {problem}"))?;
        }
        Ok(VeloOutput { hits: Hits::new(), tracks })
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

const _: () = assert!(MODULE_PAIRS == 26, "the header has this number");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velo::hard_inputs;
    use tasks::plugin_session::testing::Compiled;

    fn assert_right(stage: Stage, name: &str) {
        let Some(example) = Compiled::from_example(VeloTask { stage }) else { return };
        example.assert_right(&[name], &hard_inputs::all(stage, 1));
    }

    #[test]
    fn the_example_sorts_all_hard_inputs() {
        assert_right(Stage::Sort, "example-insertion");
    }

    #[test]
    fn the_example_finds_the_tracks_of_all_hard_inputs() {
        assert_right(Stage::Tracks, "example-windows");
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
