//! All slice tracks of a timeframe, and their numbering.

use generators_common::DataError;
use generators_common::random::{Stream, below, stream, uniform};
use rand::Rng;
use rayon::prelude::*;

use super::particle::Particle;
use super::{Ids, NONE, Relations, SliceTrack, SliceTracks, TrackShape};

/// Names the streams of particles.
const PARTICLES: u64 = 2;
/// Number of slice tracks per random stream.
const CHUNK: usize = 1 << 16;
/// Probability that two consecutive pieces are already joined inside their sector, and otherwise
/// that a link proposes it.
const CHAINED: f64 = 0.1;
const LINKED: f64 = 0.95;
/// Probability that both of a pair propose it.
const MUTUAL: f64 = 0.3;
/// Probability that legs are known to be neighbours, and that a link leads to the next.
const NEIGHBOURED: f64 = 0.3;
const LEG_LINKED: f64 = 0.95;
/// Probability that a slice track without a link gets a wrong one, and the maximum distance of its
/// target.
const WRONG: f64 = 0.01;
const WRONG_WITHIN: u64 = 64;

/// Generates slice tracks; shape and seed determine them for any number of threads.
///
/// # Errors
/// If the shape is invalid.
pub fn generate(shape: &TrackShape, seed: u64) -> Result<SliceTracks, DataError> {
    shape.validate()?;
    let chunks: Vec<_> = (0..shape.tracks.div_ceil(CHUNK))
        .into_par_iter()
        .map(|index| {
            let first = index * CHUNK;
            let capacity = CHUNK.min(shape.tracks - first);
            Chunk::new(first as u32, capacity, &mut stream(seed, [PARTICLES, index as u64]))
        })
        .collect();
    let numbers = numbers(shape.tracks, shape.ids, seed);
    Ok(renumbered(&chunks, &numbers))
}

/// The slice tracks of some particles, one particle after the other.
struct Chunk {
    /// Index of the first one.
    first: u32,
    capacity: usize,
    tracks: Vec<SliceTrack>,
    relations: Vec<Relations>,
    links: Vec<u32>,
}

impl Chunk {
    fn new(first: u32, capacity: usize, stream: &mut Stream) -> Self {
        let mut chunk = Chunk {
            first,
            capacity,
            tracks: Vec::with_capacity(capacity),
            relations: vec![Relations::ALONE; capacity],
            links: vec![NONE; capacity],
        };
        while chunk.tracks.len() < capacity {
            chunk.add_particle(stream);
        }
        chunk.add_wrong_links(stream);
        chunk
    }

    /// Adds a particle, cut off at the capacity.
    fn add_particle(&mut self, stream: &mut Stream) {
        let mut particle = Particle::draw(stream);
        let mut before = 0..0;
        for _ in 0..particle.legs() {
            let pieces = particle.next_leg(stream);
            let head = self.tracks.len();
            let capacity = self.capacity - head;
            self.tracks.extend(pieces.iter().take(capacity));
            let leg = head..self.tracks.len();
            if leg.is_empty() {
                return;
            }
            // Legs first, while the head has no link yet: otherwise many loopers would be split.
            if !before.is_empty() {
                self.join_legs(before.start, head, particle.rises(), stream);
                if uniform(stream) < LEG_LINKED {
                    self.link(before.end - 1, head, stream);
                }
            }
            for piece in leg.clone().skip(1) {
                self.join_pieces(piece - 1, piece, stream);
            }
            before = leg;
        }
    }

    fn join_pieces(&mut self, piece: usize, next: usize, stream: &mut Stream) {
        if uniform(stream) < CHAINED {
            self.relations[piece].segment_next = self.number(next);
            self.relations[next].segment_prev = self.number(piece);
        } else if uniform(stream) < LINKED {
            self.link(piece, next, stream);
        }
    }

    fn join_legs(&mut self, head: usize, next: usize, rises: bool, stream: &mut Stream) {
        if uniform(stream) < NEIGHBOURED {
            let up = usize::from(rises);
            self.relations[head].neighbours[up] = self.number(next);
            self.relations[next].neighbours[1 - up] = self.number(head);
        }
    }

    /// A link from either to the other, or from both, where they have none yet.
    fn link(&mut self, one: usize, other: usize, stream: &mut Stream) {
        let (from, to) = match stream.next_u32() >> 31 {
            0 => (one, other),
            _ => (other, one),
        };
        let is_taken = self.links[from] != NONE;
        self.propose(from, to);
        if is_taken || uniform(stream) < MUTUAL {
            self.propose(to, from);
        }
    }

    fn propose(&mut self, from: usize, to: usize) {
        if self.links[from] == NONE {
            self.links[from] = self.number(to);
        }
    }

    fn add_wrong_links(&mut self, stream: &mut Stream) {
        for track in 0..self.capacity {
            if self.links[track] == NONE && uniform(stream) < WRONG {
                let distance = 1 + below(stream.next_u32(), WRONG_WITHIN) as usize;
                if track + distance < self.capacity {
                    self.propose(track, track + distance);
                }
            }
        }
    }

    fn number(&self, track: usize) -> u32 {
        self.first + track as u32
    }
}

/// The slice tracks of all chunks, each at the index of its new number.
fn renumbered(chunks: &[Chunk], numbers: &[u32]) -> SliceTracks {
    let old_indices = inverse(numbers);
    let old_index = |&old_index: &u32| {
        let old_index = old_index as usize;
        (&chunks[old_index / CHUNK], old_index % CHUNK)
    };
    let new = |old: u32| match old {
        NONE => NONE,
        old => numbers[old as usize],
    };
    let relations_of = |(chunk, at): (&Chunk, usize)| {
        let old = chunk.relations[at];
        Relations {
            segment_prev: new(old.segment_prev),
            segment_next: new(old.segment_next),
            neighbours: old.neighbours.map(new),
        }
    };
    let all = || old_indices.par_iter().map(old_index);
    SliceTracks {
        tracks: all().map(|(chunk, at)| chunk.tracks[at]).collect(),
        relations: all().map(relations_of).collect(),
        links: all().map(|(chunk, at)| new(chunk.links[at])).collect(),
    }
}

/// Names the streams of numbers.
const NUMBERS: u64 = 1;
/// Local numbers are shuffled within windows of this length.
const WINDOW: usize = 4096;

/// The new number of each slice track.
pub(super) fn numbers(tracks: usize, ids: Ids, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..tracks as u32).into_par_iter().collect();
    match ids {
        Ids::Local => numbers
            .par_chunks_mut(WINDOW)
            .enumerate()
            .for_each(|(window, numbers)| shuffle(numbers, seed, window as u64)),
        Ids::Shuffled => shuffle(&mut numbers, seed, 0),
    }
    numbers
}

/// Every order is as likely as any other one (Fisher and Yates).
fn shuffle(numbers: &mut [u32], seed: u64, window: u64) {
    let mut stream = stream(seed, [NUMBERS, window]);
    for last in (1..numbers.len()).rev() {
        let other = below(stream.next_u32(), last as u64 + 1) as usize;
        numbers.swap(last, other);
    }
}

/// The inverse permutation.
pub(super) fn inverse(numbers: &[u32]) -> Vec<u32> {
    let mut indices = vec![0; numbers.len()];
    for (index, &number) in numbers.iter().enumerate() {
        indices[number as usize] = index as u32;
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::super::validate;
    use super::*;

    fn made(tracks: usize, ids: Ids) -> SliceTracks {
        generate(&TrackShape { tracks, ids }, 5).expect("made")
    }

    #[test]
    fn generated_tracks_can_be_merged() {
        for (tracks, ids) in [
            (1, Ids::Local),
            (2, Ids::Shuffled),
            (CHUNK + 77, Ids::Local),
            (CHUNK + 77, Ids::Shuffled),
        ] {
            let made = made(tracks, ids);
            assert_eq!(made.len(), tracks);
            let valid = validate::all(&made.tracks, &made.relations, &made.links);
            assert_eq!(valid, Ok(()), "{tracks} {ids}");
        }
    }

    #[test]
    fn most_have_a_link_and_some_belong_together_already() {
        let made = made(50_000, Ids::Local);
        let share = |count: usize| count as f64 / 50_000.0;
        let linked = made.links.iter().filter(|link| **link != NONE).count();
        assert!((0.6..0.9).contains(&share(linked)), "{linked}");
        let chained = made.relations.iter();
        let chained = chained.filter(|track| track.segment_prev != NONE).count();
        assert!((0.03..0.1).contains(&share(chained)), "{chained}");
        let lower = made.relations.iter();
        let lower = lower.filter(|track| track.neighbours[0] != NONE).count();
        assert!((0.02..0.2).contains(&share(lower)), "{lower}");
    }

    #[test]
    fn threads_change_nothing() {
        let shape = TrackShape { tracks: 3 * CHUNK, ids: Ids::Shuffled };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let alone = pool.expect("a thread").install(|| generate(&shape, 9));
        assert_eq!(alone.expect("made"), generate(&shape, 9).expect("made"));
    }

    #[test]
    fn each_number_is_given_once() {
        for ids in [Ids::Local, Ids::Shuffled] {
            let mut numbers = numbers(10_000, ids, 3);
            assert_ne!(numbers[..3], [0, 1, 2]);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..10_000));
        }
    }

    #[test]
    fn local_numbers_stay_near() {
        let far = |ids| {
            let numbers = numbers(10 * WINDOW, ids, 3).into_iter().enumerate();
            numbers.filter(|(index, number)| index / WINDOW != *number as usize / WINDOW).count()
        };
        assert_eq!(far(Ids::Local), 0);
        assert!(far(Ids::Shuffled) > 8 * WINDOW);
    }

    #[test]
    fn indices_belong_to_numbers() {
        let numbers = numbers(1000, Ids::Shuffled, 7);
        let indices = inverse(&numbers);
        assert!((0..1000).all(|index| indices[numbers[index] as usize] as usize == index));
    }
}
