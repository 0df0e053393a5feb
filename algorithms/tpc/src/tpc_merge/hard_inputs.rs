//! Small, difficult inputs, and smaller ones of those that a variant merges wrongly.

use generators_common::random::hash;
use generators_tpc::slice_tracks::{
    Ids, NONE, Relations, SliceTrack, SliceTracks, TrackShape, generate,
};

use tasks::algorithm::shrink::without_parts;

/// Sizes around those of warps and blocks.
const SIZES: [usize; 12] = [1, 2, 31, 32, 33, 63, 65, 255, 257, 1023, 1025, 4097];
/// Maximum number of slice tracks of random inputs.
const RANDOM: u64 = 1500;

pub(super) fn all(seed: u64) -> Vec<(String, SliceTracks)> {
    let mut inputs = generated(seed);
    inputs.extend(links());
    inputs.extend(kinematics());
    inputs.extend(random(seed));
    inputs
}

fn generated(seed: u64) -> Vec<(String, SliceTracks)> {
    let make = |tracks, ids| generate(&TrackShape { tracks, ids }, seed);
    let shapes = SIZES.map(|tracks| (tracks, Ids::Local));
    let shapes = shapes.into_iter().chain([(5000, Ids::Shuffled)]);
    shapes
        .filter_map(|(tracks, ids)| {
            let input = make(tracks, ids).ok()?;
            Some((format!("{tracks} slice tracks, ids {ids}"), input))
        })
        .collect()
}

/// Links that form a special graph of slice tracks without prior relations.
fn links() -> Vec<(String, SliceTracks)> {
    type Pattern = (&'static str, fn(u32) -> u32);
    const TRACKS: u32 = 700;
    let patterns: [Pattern; 11] = [
        ("no links", |_| NONE),
        ("one giant chain, upwards", |i| i + 1),
        ("one giant chain, downwards", |i| i.wrapping_sub(1)),
        ("one giant chain, from both ends", |i| match i % 2 {
            0 => i + 1,
            _ => i.wrapping_sub(2),
        }),
        ("one giant ring", |i| (i + 1) % TRACKS),
        ("all to one", |i| if i == 400 { NONE } else { 400 }),
        ("all to the next but one of three", |i| i / 3 * 3 + (i + 1) % 3),
        ("pairs that name each other", |i| i ^ 1),
        ("pairs far apart", |i| (i + TRACKS / 2) % TRACKS),
        ("components of growing size", |i| {
            let root = f64::from(8 * i + 1).sqrt() as u32;
            let first = (root - 1) / 2 * ((root - 1) / 2 + 1) / 2;
            if i == first { NONE } else { first }
        }),
        ("one giant component among small ones", |i| match i % 3 {
            0 => (i + 3) % TRACKS / 3 * 3,
            1 => i + 1,
            _ => NONE,
        }),
    ];
    let input = |(name, link): Pattern| {
        let in_range = |link| if link < TRACKS { link } else { NONE };
        let tracks = (0..TRACKS).map(stiff).collect();
        Some((name.to_owned(), linked(tracks, |i| in_range(link(i)))?))
    };
    let apart = ("components that numbers keep apart".to_owned(), apart());
    let none = ("no slice tracks".to_owned(), SliceTracks::default());
    let inputs = patterns.into_iter().filter_map(input);
    inputs.chain([apart, none]).collect()
}

/// Components of adjacent slice tracks, except for a few across any boundary between 3000 slice
/// tracks and the next ones.
fn apart() -> SliceTracks {
    const APART: u32 = 30_000;
    let link = |i: u32| match i % 3000 {
        0..4 => (i + 2997) % APART,
        _ => i ^ 1,
    };
    linked((0..APART).map(stiff).collect(), link).unwrap_or_default()
}

/// Slice tracks with no relations except these links.
fn linked(tracks: Vec<SliceTrack>, link: impl Fn(u32) -> u32) -> Option<SliceTracks> {
    let links = (0..tracks.len() as u32).map(link).collect();
    let relations = vec![Relations::ALONE; tracks.len()];
    SliceTracks::new(tracks, relations, links).ok()
}

/// A track that does not curl.
fn stiff(index: u32) -> SliceTrack {
    SliceTrack {
        q_over_pt: if index.is_multiple_of(2) { 0.5 } else { -0.5 },
        zt_min: index as f32,
        zt_max: index as f32 + 1.0,
        n_clusters: 10,
    }
}

/// Pairs of slice tracks at the limits of the conditions for one leg, and for the leg above.
fn kinematics() -> Vec<(String, SliceTracks)> {
    let momenta = [-2.0, 2.0, 1.999_999_9, 2.000_000_2, -0.0, 0.0, 1e-30, -3.0, 3.0];
    let extents = [(0.0, 1.0), (1.0, 2.0), (0.5, 0.5), (-1.0, 3.0)];
    let clusters = [50, 51];
    let mut kinds = Vec::new();
    for q_over_pt in momenta {
        for (zt_min, zt_max) in extents {
            kinds.extend(clusters.map(|n_clusters| SliceTrack {
                q_over_pt,
                zt_min,
                zt_max,
                n_clusters,
            }));
        }
    }
    let pairs = kinds.iter().flat_map(|a| kinds.iter().map(|b| [*a, *b]));
    let tracks: Vec<_> = pairs.flatten().collect();
    let input = linked(tracks, |i| if i % 2 == 0 { i + 1 } else { NONE });
    let name = "kinematics at the edges".to_owned();
    input.map(|input| (name, input)).into_iter().collect()
}

/// Random tracks of some legs of some pieces, linked at random within a range of indices.
fn random(seed: u64) -> Vec<(String, SliceTracks)> {
    let shapes =
        [(1, 2, 3), (4, 1, 4), (3, 3, 6), (2, 6, 12), (8, 2, 40), (1, 1, 1500), (5, 4, 1500)];
    let inputs = shapes.into_iter().enumerate();
    inputs
        .filter_map(|(case, (legs, pieces, within))| {
            let draw = Draw { seed, case, from: 0 };
            let input = random_tracks(draw, legs, pieces, within)?;
            let name = format!(
                "tracks of up to {legs} legs of up to {pieces} pieces, linked within {within}"
            );
            Some((name, input))
        })
        .collect()
}

/// Random numbers.
struct Draw {
    seed: u64,
    case: usize,
    from: u64,
}

impl Draw {
    fn below(&mut self, range: u64) -> u64 {
        self.from += 1;
        hash(self.seed, [self.case as u64, self.from]) % range
    }
}

fn random_tracks(mut draw: Draw, legs: u64, pieces: u64, within: u64) -> Option<SliceTracks> {
    let tracks = (0..RANDOM).map(|_| random_track(&mut draw)).collect();
    let mut relations = vec![Relations::ALONE; RANDOM as usize];
    let mut next = 0;
    while next < RANDOM {
        let mut below = None;
        for _ in 0..=draw.below(legs) {
            let leg = next..RANDOM.min(next + 1 + draw.below(pieces));
            next = leg.end;
            below = add_leg(&mut relations, leg, below);
        }
    }
    let link = |track: u64, draw: &mut Draw| {
        let other = track / within * within + draw.below(within);
        if other == track || other >= RANDOM || draw.below(4) == 0 { NONE } else { other as u32 }
    };
    let links = (0..RANDOM).map(|track| link(track, &mut draw)).collect();
    SliceTracks::new(tracks, relations, links).ok()
}

fn random_track(draw: &mut Draw) -> SliceTrack {
    let zt_min = draw.below(50) as f32;
    SliceTrack {
        q_over_pt: draw.below(9) as f32 - 4.0,
        zt_min,
        zt_max: zt_min + draw.below(20) as f32,
        n_clusters: draw.below(5) as u32,
    }
}

/// Adds a chain above the leg with that head; returns its own head. In every second chain the links
/// are in descending order of indices.
fn add_leg(
    relations: &mut [Relations],
    leg: std::ops::Range<u64>,
    below: Option<u32>,
) -> Option<u32> {
    let mut pieces: Vec<u32> = leg.map(|piece| piece as u32).collect();
    if pieces.first().is_some_and(|first| first % 2 == 1) {
        pieces.reverse();
    }
    for pair in pieces.windows(2) {
        relations[pair[0] as usize].segment_next = pair[1];
        relations[pair[1] as usize].segment_prev = pair[0];
    }
    let head = *pieces.first()?;
    if let Some(below) = below {
        relations[below as usize].neighbours[1] = head;
        relations[head as usize].neighbours[0] = below;
    }
    Some(head)
}

/// Copies of the input without a part of the links. The slice tracks remain, so that their indices
/// do.
pub(super) fn shrunk(input: &SliceTracks) -> impl Iterator<Item = SliceTracks> + '_ {
    let linked = (0..input.len()).filter(|&track| input.links()[track] != NONE);
    let linked: Vec<usize> = linked.collect();
    without_parts(linked.len(), move |gone| {
        let mut links = input.links().to_vec();
        for &track in &linked[gone] {
            links[track] = NONE;
        }
        let tracks = input.tracks().to_vec();
        let relations = input.relations().to_vec();
        SliceTracks::new(tracks, relations, links).ok()
    })
}

#[cfg(test)]
mod tests {
    use generators_tpc::slice_tracks::{Relations, SliceTrack};

    use super::*;

    #[test]
    fn no_hard_input_is_inconsistent() {
        assert_eq!(generated(1).len(), SIZES.len() + 1);
        assert_eq!(links().len(), 13);
        assert_eq!(kinematics().len(), 1);
        assert_eq!(random(1).len(), 7);
    }

    #[test]
    fn a_single_link_can_be_reached() {
        let tracks = vec![SliceTrack::default(); 6];
        let input = SliceTracks::new(tracks, vec![Relations::ALONE; 6], vec![1, 2, 3, 4, 5, NONE]);
        let has_it = |left: &SliceTracks| left.links()[3] == 4;
        let smaller = |left: &SliceTracks| shrunk(left).find(has_it);
        let steps = std::iter::successors(input.ok(), smaller);
        let left = steps.last().expect("the first");
        assert_eq!(left.links(), [NONE, NONE, NONE, 4, NONE, NONE]);
    }
}
