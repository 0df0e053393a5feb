//! Checks that slice tracks can be merged, and their errors.

use std::fmt;

use super::{MAX_TRACKS, NONE, Relations, SliceTrack};

/// Checks everything; reports the first that is wrong.
pub(super) fn all(
    tracks: &[SliceTrack],
    relations: &[Relations],
    links: &[u32],
) -> Result<(), TrackProblem> {
    lengths(tracks, relations, links)?;
    kinematics(tracks)?;
    numbers(relations, links)?;
    segments(relations)?;
    neighbours(relations)?;
    ends(relations, Property::SegmentPrev, |track| track.segment_prev)?;
    ends(relations, Property::LowerNeighbour, |track| track.neighbours[0])
}

fn lengths(
    tracks: &[SliceTrack],
    relations: &[Relations],
    links: &[u32],
) -> Result<(), TrackProblem> {
    let lengths = [tracks.len(), relations.len(), links.len()];
    if lengths.iter().any(|length| *length != tracks.len()) {
        let [tracks, relations, links] = lengths;
        return Err(TrackProblem::Lengths { tracks, relations, links });
    }
    if tracks.len() > MAX_TRACKS {
        return Err(TrackProblem::TooMany(tracks.len()));
    }
    Ok(())
}

fn kinematics(tracks: &[SliceTrack]) -> Result<(), TrackProblem> {
    let sensible = |track: &SliceTrack| {
        track.q_over_pt.is_finite()
            && track.zt_min.is_finite()
            && track.zt_max.is_finite()
            && track.zt_min <= track.zt_max
    };
    match tracks.iter().position(|track| !sensible(track)) {
        Some(track) => Err(TrackProblem::Kinematics { track }),
        None => Ok(()),
    }
}

/// All that names another one.
fn numbers(relations: &[Relations], links: &[u32]) -> Result<(), TrackProblem> {
    let tracks = links.len();
    for (track, (related, &link)) in relations.iter().zip(links).enumerate() {
        let named = [
            (Property::Link, link),
            (Property::SegmentPrev, related.segment_prev),
            (Property::SegmentNext, related.segment_next),
            (Property::LowerNeighbour, related.neighbours[0]),
            (Property::UpperNeighbour, related.neighbours[1]),
        ];
        for (property, other) in named.into_iter().filter(|(_, other)| *other != NONE) {
            if other as usize >= tracks {
                return Err(TrackProblem::OutOfRange { track, property, other, tracks });
            }
            if other as usize == track {
                return Err(TrackProblem::Itself { track, property });
            }
        }
    }
    Ok(())
}

/// Checks that each piece refers to the previous and the next one.
fn segments(relations: &[Relations]) -> Result<(), TrackProblem> {
    for (track, related) in relations.iter().enumerate() {
        let prev = related.segment_prev;
        let next = related.segment_next;
        if next != NONE && relations[next as usize].segment_prev as usize != track {
            return Err(one_sided_successor(relations, track, next));
        }
        if prev != NONE && relations[prev as usize].segment_next as usize != track {
            return Err(TrackProblem::NotMutual {
                track,
                property: Property::SegmentPrev,
                other: prev,
            });
        }
    }
    Ok(())
}

fn one_sided_successor(relations: &[Relations], track: usize, next: u32) -> TrackProblem {
    let known = relations[next as usize].segment_prev;
    match relations.get(known as usize) {
        Some(other) if other.segment_next == next => TrackProblem::TwoPredecessors {
            successor: next,
            first: track.min(known as usize),
            second: track.max(known as usize),
        },
        _ => TrackProblem::NotMutual { track, property: Property::SegmentNext, other: next },
    }
}

/// Checks that each neighbour is a head, and refers back.
fn neighbours(relations: &[Relations]) -> Result<(), TrackProblem> {
    for (track, related) in relations.iter().enumerate() {
        for (side, &other) in related.neighbours.iter().enumerate() {
            if other == NONE {
                continue;
            }
            let property = Property::neighbour(side);
            if related.segment_prev != NONE {
                return Err(TrackProblem::NeighbourOfPiece { track, property });
            }
            if relations[other as usize].neighbours[1 - side] as usize != track {
                return Err(TrackProblem::NotMutual { track, property, other });
            }
        }
    }
    Ok(())
}

/// Checks that a mutual relation has ends: what can't be reached from one end is in a cycle.
fn ends(
    relations: &[Relations],
    property: Property,
    before: impl Fn(&Relations) -> u32,
) -> Result<(), TrackProblem> {
    let after = |track: &Relations| match property {
        Property::SegmentPrev => track.segment_next,
        _ => track.neighbours[1],
    };
    let mut reached = vec![false; relations.len()];
    for first in 0..relations.len() {
        if before(&relations[first]) != NONE {
            continue;
        }
        let mut track = first as u32;
        while track != NONE {
            reached[track as usize] = true;
            track = after(&relations[track as usize]);
        }
    }
    match reached.iter().position(|reached| !reached) {
        Some(track) => Err(TrackProblem::Cycle { track, property }),
        None => Ok(()),
    }
}

/// Kind of a reference from one slice track to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The one to be joined with.
    Link,
    /// The piece before it.
    SegmentPrev,
    /// The next piece.
    SegmentNext,
    /// The leg on the lower side.
    LowerNeighbour,
    /// The leg on the upper side.
    UpperNeighbour,
}

impl Property {
    pub(super) fn neighbour(side: usize) -> Self {
        match side {
            0 => Property::LowerNeighbour,
            _ => Property::UpperNeighbour,
        }
    }

    /// The name of the column in files.
    pub fn name(self) -> &'static str {
        match self {
            Property::Link => "link",
            Property::SegmentPrev => "segment_prev",
            Property::SegmentNext => "segment_next",
            Property::LowerNeighbour => "neighbour_lower",
            Property::UpperNeighbour => "neighbour_upper",
        }
    }

    /// The reference that must lead back.
    fn counterpart(self) -> &'static str {
        match self {
            Property::Link => "link",
            Property::SegmentPrev => "segment_next",
            Property::SegmentNext => "segment_prev",
            Property::LowerNeighbour => "neighbour_upper",
            Property::UpperNeighbour => "neighbour_lower",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Slice tracks that can't be merged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackProblem {
    /// Arrays that should have an entry for each slice track.
    #[error("{tracks} slice tracks, {relations} relations and {links} links: each needs one")]
    Lengths {
        /// Kinematics.
        tracks: usize,
        /// Relations.
        relations: usize,
        /// Links.
        links: usize,
    },
    /// More than 32-bit indices can address.
    #[error("{0} slice tracks are too many; there can be {max}", max = super::MAX_TRACKS)]
    TooMany(usize),
    /// A value that is not a number, or an extent with its ends exchanged.
    #[error("slice track {track}: q_over_pt, zt_min and zt_max must be finite, in this order of z")]
    Kinematics {
        /// Index of the slice track.
        track: usize,
    },
    /// A number that no slice track has.
    #[error("slice track {track}: {property} {other} is none of the {tracks} slice tracks")]
    OutOfRange {
        /// Index of the slice track.
        track: usize,
        /// Its reference.
        property: Property,
        /// The number.
        other: u32,
        /// Number of slice tracks.
        tracks: usize,
    },
    /// A slice track that refers to itself.
    #[error("slice track {track}: {property} is the slice track itself")]
    Itself {
        /// Index of the slice track.
        track: usize,
        /// Its reference.
        property: Property,
    },
    /// A successor of two.
    #[error("slice track {successor} is segment_next of both {first} and {second}")]
    TwoPredecessors {
        /// The one named twice.
        successor: u32,
        /// Index of the slice track that has the reference.
        first: usize,
        /// And by this one.
        second: usize,
    },
    /// A relation that only one side has.
    #[error(
        "slice track {track}: {property} is {other}, but {back} of {other} is not {track}",
        back = property.counterpart()
    )]
    NotMutual {
        /// Index of the slice track.
        track: usize,
        /// Its reference.
        property: Property,
        /// The other one.
        other: u32,
    },
    /// A neighbour of something that is not the head of a chain.
    #[error("slice track {track} has a {property}, but is not the head of its segment chain")]
    NeighbourOfPiece {
        /// Index of the slice track.
        track: usize,
        /// Its side.
        property: Property,
    },
    /// A chain without an end.
    #[error("slice track {track}: following {property} leads back to it")]
    Cycle {
        /// One of those in it.
        track: usize,
        /// Its reference.
        property: Property,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Relations = Relations::ALONE;

    fn problem(relations: &[Relations], links: &[u32]) -> String {
        let tracks = vec![SliceTrack::default(); links.len()];
        let problem = all(&tracks, relations, links);
        problem.expect_err("refused").to_string()
    }

    fn chained(prev: u32, next: u32) -> Relations {
        Relations { segment_prev: prev, segment_next: next, ..ALONE }
    }

    fn neighbours(lower: u32, upper: u32) -> Relations {
        Relations { neighbours: [lower, upper], ..ALONE }
    }

    #[test]
    fn links_must_name_another_slice_track() {
        assert!(problem(&[ALONE; 2], &[2, NONE]).contains("slice track 0: link 2 is none of"));
        assert!(problem(&[ALONE; 2], &[NONE, 1]).contains("slice track 1: link is the"));
        assert!(problem(&[ALONE; 2], &[NONE]).contains("each needs one"));
    }

    #[test]
    fn relations_must_be_mutual() {
        let none = [NONE; 3];
        let twice = [chained(NONE, 2), chained(NONE, 2), chained(0, NONE)];
        assert!(problem(&twice, &none).contains("2 is segment_next of both 0 and 1"));
        let unknown = [chained(NONE, 1), ALONE, ALONE];
        assert!(problem(&unknown, &none).contains("segment_prev of 1 is not 0"));
        let one_sided = [chained(1, NONE), ALONE, ALONE];
        assert!(problem(&one_sided, &none).contains("segment_next of 1 is not 0"));
        let neighbour = [neighbours(NONE, 2), ALONE, neighbours(1, NONE)];
        assert!(problem(&neighbour, &none).contains("neighbour_lower of 2 is not 0"));
    }

    #[test]
    fn only_heads_have_neighbours() {
        let mut piece = chained(0, NONE);
        piece.neighbours = [2, NONE];
        let relations = [chained(NONE, 1), piece, neighbours(NONE, 1)];
        assert!(problem(&relations, &[NONE; 3]).contains("1 has a neighbour_lower, but"));
    }

    #[test]
    fn cycles_are_refused() {
        let round = [chained(1, 1), chained(0, 0), ALONE];
        assert!(problem(&round, &[NONE; 3]).contains("following segment_prev leads back"));
        let round = [ALONE, neighbours(2, 2), neighbours(1, 1)];
        assert!(problem(&round, &[NONE; 3]).contains("slice track 1: following neighbour_lower"));
    }

    #[test]
    fn kinematics_must_be_numbers() {
        let turned = SliceTrack { zt_min: 2.0, zt_max: 1.0, ..SliceTrack::default() };
        let problem = all(&[turned], &[ALONE], &[NONE]).expect_err("refused");
        assert!(problem.to_string().contains("slice track 0"));
    }

    #[test]
    fn valid_data_are_accepted() {
        let tracks = vec![SliceTrack::default(); 3];
        let relations = [chained(NONE, 1), chained(0, NONE), ALONE];
        assert_eq!(all(&tracks, &relations, &[2, NONE, 0]), Ok(()));
        assert_eq!(all(&[], &[], &[]), Ok(()));
    }
}
