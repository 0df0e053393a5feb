//! The cells around a peak.

/// So many pads and time bins.
pub(super) type Step = (i16, i16);

/// The neighbours of a peak, and what is behind each of them.
pub(super) const DIRECTIONS: [(Step, &[Step]); 8] = [
    ((-1, -1), &[(-2, -1), (-2, -2), (-1, -2)]),
    ((-1, 0), &[(-2, 0)]),
    ((-1, 1), &[(-2, 1), (-2, 2), (-1, 2)]),
    ((0, -1), &[(0, -2)]),
    ((0, 1), &[(0, 2)]),
    ((1, -1), &[(2, -1), (2, -2), (1, -2)]),
    ((1, 0), &[(2, 0)]),
    ((1, 1), &[(2, 1), (2, 2), (1, 2)]),
];

/// What is behind all of them.
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
