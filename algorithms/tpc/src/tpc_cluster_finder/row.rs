//! The charges of a row of pads, and the cells around a peak.

/// Position of a charge, pad and time bin; or a step between two positions.
pub type Cell = (i32, i32);

/// A value for each pad and time bin of a row; the default value outside of it.
#[derive(Clone, Debug)]
pub(super) struct Grid<T> {
    pads: i32,
    times: i32,
    values: Vec<T>,
}

impl<T: Copy + Default> Grid<T> {
    pub(super) fn new(pads: usize, times: usize) -> Self {
        Grid { pads: pads as i32, times: times as i32, values: vec![T::default(); pads * times] }
    }

    pub(super) fn pads(&self) -> i32 {
        self.pads
    }

    pub(super) fn at(&self, cell: Cell) -> T {
        self.index(cell).map(|index| self.values[index]).unwrap_or_default()
    }

    /// Sets a value in the row.
    pub(super) fn set(&mut self, cell: Cell, value: T) {
        if let Some(index) = self.index(cell) {
            self.values[index] = value;
        }
    }

    /// Maps each position to a value.
    pub(super) fn map<U: Copy + Default>(&self, value: impl Fn(Cell) -> U) -> Grid<U> {
        let cells = self.cells();
        Grid { pads: self.pads, times: self.times, values: cells.map(value).collect() }
    }

    /// All positions, pad by pad.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<T> {
        let times = self.times;
        (0..self.pads).flat_map(move |pad| (0..times).map(move |time| (pad, time)))
    }

    fn index(&self, (pad, time): Cell) -> Option<usize> {
        let is_inside = (0..self.pads).contains(&pad) && (0..self.times).contains(&time);
        is_inside.then(|| (pad * self.times + time) as usize)
    }
}

/// The position a step away from another one.
pub(super) fn plus(cell: Cell, step: Cell) -> Cell {
    (cell.0 + step.0, cell.1 + step.1)
}

/// All steps of at most `pads` pads and `times` time bins, except for the step to the same cell.
pub(super) fn steps(pads: i32, times: i32) -> impl Iterator<Item = Cell> {
    let all = (-pads..=pads).flat_map(move |a| (-times..=times).map(move |b| (a, b)));
    all.filter(|step| *step != (0, 0))
}

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
