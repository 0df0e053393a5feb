//! What can be wrong with slice tracks.

use std::fmt;

/// How a slice track names another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The one to be joined with.
    Link,
    /// The piece before it.
    SegmentPrev,
    /// The piece behind it.
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

    /// What the other one must say of the first.
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
    /// More than numbers of 32 bits can name.
    #[error("{0} slice tracks are too many; there can be {max}", max = super::MAX_TRACKS)]
    TooMany(usize),
    /// Not a number, or an extent with its ends exchanged.
    #[error("slice track {track}: q_over_pt, zt_min and zt_max must be finite, in this order of z")]
    Kinematics {
        /// Which.
        track: usize,
    },
    /// A number that no slice track has.
    #[error("slice track {track}: {property} {other} is none of the {tracks} slice tracks")]
    OutOfRange {
        /// Which.
        track: usize,
        /// What names the other one.
        property: Property,
        /// The number.
        other: u32,
        /// How many there are.
        tracks: usize,
    },
    /// One that names itself.
    #[error("slice track {track}: {property} is the slice track itself")]
    Itself {
        /// Which.
        track: usize,
        /// What does.
        property: Property,
    },
    /// A successor of two.
    #[error("slice track {successor} is segment_next of both {first} and {second}")]
    TwoPredecessors {
        /// The one named twice.
        successor: u32,
        /// By this one.
        first: usize,
        /// And by this one.
        second: usize,
    },
    /// A relation that only one side knows of.
    #[error(
        "slice track {track}: {property} is {other}, but {back} of {other} is not {track}",
        back = property.counterpart()
    )]
    NotMutual {
        /// Which.
        track: usize,
        /// What names the other one.
        property: Property,
        /// The other one.
        other: u32,
    },
    /// A neighbour of something that is not the head of a chain.
    #[error("slice track {track} has a {property}, but is not the head of its segment chain")]
    NeighbourOfPiece {
        /// Which.
        track: usize,
        /// On which side.
        property: Property,
    },
    /// A chain without an end.
    #[error("slice track {track}: following {property} leads back to it")]
    Cycle {
        /// One of those in it.
        track: usize,
        /// What goes round.
        property: Property,
    },
}
