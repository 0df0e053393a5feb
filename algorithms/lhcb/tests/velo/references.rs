//! References against the experiment's own code.

use algorithms_lhcb::velo::model::search::SearchCuts;
use algorithms_lhcb::velo::model::{Hit, Hits, PairRange, Tracks};
use algorithms_lhcb::velo::reference::clusters::find_clusters;
use algorithms_lhcb::velo::reference::decode::decode;
use algorithms_lhcb::velo::reference::sort::sort;
use algorithms_lhcb::velo::reference::tracks::{EntryKind, find_tracks};
use generators_lhcb::geometry::MODULE_PAIRS;
use generators_lhcb::{BankKind, Event, Geometry};

use crate::expected::{Expected, Search, load};

/// Hits of an event after the sort.
fn sorted_hits(event: &Event<'_>, case: &Expected) -> Hits {
    let geometry = Geometry::nominal();
    let mut hits = Hits::new();
    match event.format.kind {
        BankKind::Retina => {
            let (pairs, slots) = decode(event, geometry);
            hits.push_event(&pairs, &slots);
        }
        BankKind::SuperPixel => {
            let clusters = find_clusters(event, geometry);
            assert_eq!(clusters.candidates, case.candidates, "{}: candidates", case.name);
            let sorted = sort(&clusters.pairs, &clusters.slots);
            for (&pair, created) in &case.created {
                let start = clusters.pairs[pair].start as usize;
                for (slot, created) in created.iter().enumerate() {
                    let expected = clusters.slots[*created as usize];
                    assert_eq!(sorted[start + slot], expected, "{}: pair {pair}", case.name);
                }
            }
            hits.push_event(&clusters.pairs, &sorted);
        }
    }
    hits
}

fn check_hits(hits: &Hits, case: &Expected) {
    let event = hits.event(0);
    let ends = event.pairs.iter().skip(1).map(|pair| pair.start).chain([event.ids.len() as u32]);
    let ranges = event.pairs.iter().zip(ends).enumerate();
    let with_slots = ranges.filter(|(_, (range, end))| *end > range.start);
    let with_slots = with_slots
        .map(|(pair, (PairRange { start, count }, end))| (pair, [*start, end - start, *count]));
    assert_eq!(
        with_slots.collect::<std::collections::BTreeMap<_, _>>(),
        case.pairs,
        "{}",
        case.name
    );
    let found: Vec<Hit> = (0..MODULE_PAIRS).flat_map(|pair| event.of_pair(pair)).collect();
    let bits = |hit: &Hit| (hit.id, hit.position.map(f32::to_bits), hit.phi);
    let first = found.iter().zip(&case.hits).find(|(found, right)| bits(found) != bits(right));
    assert_eq!(first, None, "{}", case.name);
    assert_eq!(found.len(), case.hits.len(), "{}", case.name);
}

/// Hash of the contents of tracks, as fixtures have it.
fn hash(tracks: &Tracks) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u32| {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for ends in tracks.offsets.windows(2) {
        add(ends[1] - ends[0]);
        for hit in ends[0] as usize..ends[1] as usize {
            add(tracks.ids[hit]);
            tracks.positions[hit].iter().for_each(|number| add(number.to_bits()));
        }
    }
    hash
}

/// Order in which the experiment found the tracks is that of the reference.
fn check_search(hits: &Hits, case: &Expected) {
    let found = find_tracks(hits.event(0), Geometry::nominal(), SearchCuts::EXPERIMENT);
    let right: &Search = &case.search;
    let name = &case.name;
    let seeds = found.queue.iter().filter(|entry| !entry.has_skipped);
    let seeds = seeds.filter_map(|entry| match entry.kind {
        EntryKind::Seed(slots) => Some(slots),
        EntryKind::Track(_) => None,
    });
    if !right.seeds.is_empty() {
        assert_eq!(seeds.collect::<Vec<_>>(), right.seeds, "{name}: seeds");
    }
    let totals = [found.three_hit.len(), found.queue.len(), found.tracks.long.len()];
    assert_eq!(totals, right.totals, "{name}: totals");
    assert_eq!(found.tracks.long, right.long, "{name}: tracks");
    assert_eq!(found.three_hit, right.weak, "{name}: tracks of three hits");
    assert_eq!(found.tracks.three_hit, right.three_hit, "{name}: accepted tracks of three hits");
    let used = (0..).zip(&found.used).filter(|(_, used)| **used).map(|(slot, _)| slot);
    assert_eq!(used.collect::<Vec<u32>>(), right.used, "{name}: used hits");
    let mut tracks = Tracks::new();
    tracks.push_event(&found.tracks, hits.event(0));
    assert_eq!(hash(&tracks), right.hash, "{name}: contents of tracks");
}

fn check(file: &str) {
    let Some((events, cases)) = load(file) else { return };
    // Of hits with equal angle and identifier the experiment loses one.
    for (event, case) in events.iter().zip(&cases).filter(|(_, case)| !case.has_duplicates) {
        let hits = sorted_hits(&event, case);
        check_hits(&hits, case);
        check_search(&hits, case);
    }
}

#[test]
fn small_super_pixels() {
    check("tiny-sp.cases.gz");
}

#[test]
fn small_retina() {
    check("tiny-retina.cases.gz");
}

#[test]
fn ties() {
    check("ties.cases.gz");
}

#[test]
fn sensor_pairs() {
    check("v4.cases.gz");
}

#[test]
fn simulated_events() {
    check("minbias-sp.cases.gz");
    check("minbias-retina.cases.gz");
}

#[test]
fn dense_events() {
    check("dense-sp.cases.gz");
    check("dense-retina.cases.gz");
}
