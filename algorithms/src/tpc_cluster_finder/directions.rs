//! The cells around a peak.

/// A step of pads and time bins.
pub(in crate::tpc_cluster_finder) type Step = (i16, i16);

/// The neighbours of a peak, each with the outer cells next to it.
pub(in crate::tpc_cluster_finder) const DIRECTIONS: [(Step, &[Step]); 8] = [
    ((-1, -1), &[(-2, -1), (-2, -2), (-1, -2)]),
    ((-1, 0), &[(-2, 0)]),
    ((-1, 1), &[(-2, 1), (-2, 2), (-1, 2)]),
    ((0, -1), &[(0, -2)]),
    ((0, 1), &[(0, 2)]),
    ((1, -1), &[(2, -1), (2, -2), (1, -2)]),
    ((1, 0), &[(2, 0)]),
    ((1, 1), &[(2, 1), (2, 2), (1, 2)]),
];

/// All outer cells.
pub(super) const RING: [Step; 16] = [
    (-2, -2),
    (-2, -1),
    (-2, 0),
    (-2, 1),
    (-2, 2),
    (-1, -2),
    (-1, 2),
    (0, -2),
    (0, 2),
    (1, -2),
    (1, 2),
    (2, -2),
    (2, -1),
    (2, 0),
    (2, 1),
    (2, 2),
];
