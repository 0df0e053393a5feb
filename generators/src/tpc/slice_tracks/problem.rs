//! Errors of slice tracks.

use std::fmt;

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
    /// The neighbour on a side.
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
