//! Reference: the stages of the experiment's cluster finder, one after the other over a whole row,
//! in the simplest form.
//!
//! All charges are whole sixteenths of an ADC unit, so that nothing is rounded before the means and
//! widths of clusters. Rows are independent, and clusters don't depend on how a time frame is cut
//! into fragments.

use std::collections::BTreeMap;

use generators_tpc::PadId;
use generators_tpc::charges::{Charge, ChargeCase, Labels};
use generators_tpc::geometry::{ROWS, pads_in_row};
use parallel::{map, map_dynamic};

use super::cluster::{Cluster, Peak, RowCluster, Sums};
use super::labels::{Clusters, counted};
use super::row::{Cell, DIRECTIONS, Grid, Step, plus, steps};
use super::{Settings, sixteenths};

/// Neighbours that a peak may equal: those on the previous pad, and the previous one on its own
/// pad. It is larger than the others, so that of equal charges the last is the peak.
const BEFORE: [Cell; 4] = [(-1, -1), (-1, 0), (-1, 1), (0, -1)];
const BEHIND: [Cell; 4] = [(0, 1), (1, -1), (1, 0), (1, 1)];

/// Results of all stages for a row.
#[derive(Clone, Debug)]
pub struct RowClusters {
    /// Local maxima, each with a flag that is false for noise on the slope of another one.
    pub peaks: Vec<(Cell, bool)>,
    /// Share of the charge of each sample that several clusters claim.
    pub shares: Vec<(Cell, Share)>,
    /// Clusters, in the order of [`Cluster`].
    pub clusters: Vec<Cluster>,
    /// For each cluster, the cells whose samples give it their labels, in the order in which these
    /// are collected.
    pub labelled: Vec<Vec<Cell>>,
}

/// A charge after its division among the peaks that claim it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Charge in sixteenths of an ADC unit.
    pub charge: i32,
    /// True if the cell is a peak or next to one.
    pub is_at_peak: bool,
    /// True if it was divided.
    pub is_divided: bool,
}

/// A row with the state of the stages.
struct Row<'a> {
    settings: &'a Settings,
    samples: Grid<Option<u16>>,
    is_noisy: &'a [bool],
}

/// Finds the clusters of a row.
///
/// `is_noisy` is true for each pad of the row whose charges can't be peaks; `times` is the number
/// of time bins, and no sample lies outside of them.
pub fn clusters(
    charges: &[Charge],
    is_noisy: &[bool],
    times: usize,
    settings: &Settings,
) -> RowClusters {
    let mut grid = Grid::new(is_noisy.len(), times);
    for sample in charges {
        grid.set((sample.pad.pad().into(), sample.time as i32), Some(sample.charge));
    }
    let row = Row { settings, samples: grid, is_noisy };
    let is_raw = row.samples.map(|cell| row.is_raw_peak(cell));
    let is_peak = row.samples.map(|cell| is_raw.at(cell) && !row.is_noise(cell, &is_raw));
    let shares = row.samples.map(|cell| row.share(cell, &is_peak));
    let cells = || row.samples.cells();
    let peaks = || cells().filter(|&cell| is_peak.at(cell));
    let cluster = |cell| Some((row.cluster(cell, &shares)?, row.labelled(cell, &shares)));
    let mut found: Vec<_> = peaks().filter_map(cluster).collect();
    found.sort();
    let (clusters, labelled) = found.into_iter().unzip();
    let raw = cells().filter(|&cell| is_raw.at(cell));
    let kept = raw.map(|cell| (cell, is_peak.at(cell)));
    let sampled = cells().filter(|&cell| row.samples.at(cell).is_some());
    RowClusters {
        peaks: kept.collect(),
        shares: sampled.map(|cell| (cell, shares.at(cell))).collect(),
        clusters,
        labelled,
    }
}

impl Row<'_> {
    fn charge(&self, cell: Cell) -> i32 {
        self.samples.at(cell).map_or(0, i32::from)
    }

    /// The charge if it may be a peak: 0 for noisy pads.
    fn own_charge(&self, cell: Cell) -> i32 {
        let is_noisy = self.is_noisy.get(cell.0 as usize).copied().unwrap_or(false);
        if is_noisy { 0 } else { self.charge(cell) }
    }

    /// True if the cell has a charge beyond which the cluster may continue.
    fn is_above_inner_threshold(&self, cell: Cell) -> bool {
        self.own_charge(cell) > sixteenths(self.settings.inner_threshold)
    }

    /// True for a local maximum. Charges of noisy pads count as neighbours.
    fn is_raw_peak(&self, cell: Cell) -> bool {
        let charge = self.own_charge(cell);
        let of = |step: &Cell| self.charge(plus(cell, *step));
        charge > sixteenths(self.settings.qmax_cutoff)
            && BEFORE.iter().all(|step| charge >= of(step))
            && BEHIND.iter().all(|step| charge > of(step))
    }

    /// True if a peak is a bump on the slope of a larger one, without a valley between them.
    fn is_noise(&self, cell: Cell, is_raw: &Grid<bool>) -> bool {
        let charge = self.charge(cell);
        let near = steps(2, 3).filter(|(a, b)| a.abs().max(b.abs()) >= 2);
        let mut larger = near.filter(|step| {
            let other = plus(cell, *step);
            is_raw.at(other) && self.charge(other) > charge
        });
        larger.any(|step| !between(step).any(|step| self.is_valley(charge, plus(cell, step))))
    }

    fn is_valley(&self, peak: i32, cell: Cell) -> bool {
        let charge = self.charge(cell);
        let difference = peak - charge;
        let relative = i32::from(self.settings.noise_eps_rel) * peak.max(charge);
        difference > sixteenths(self.settings.noise_eps) && 255 * difference > relative
    }

    /// Divides a charge among the adjacent peaks, or, without any, among those that are two steps
    /// away.
    fn share(&self, cell: Cell, is_peak: &Grid<bool>) -> Share {
        let Some(charge) = self.samples.at(cell).map(i32::from) else { return Share::default() };
        if is_peak.at(cell) {
            return Share { charge, is_at_peak: true, is_divided: false };
        }
        let adjacent = steps(1, 1).filter(|step| is_peak.at(plus(cell, *step))).count() as i32;
        if adjacent > 0 {
            return Share { charge: charge / adjacent, is_at_peak: true, is_divided: adjacent > 1 };
        }
        let behind = outer_ring().filter(|step| {
            let inner = plus(cell, halved(*step));
            is_peak.at(plus(cell, *step)) && self.is_above_inner_threshold(inner)
        });
        let behind = behind.count() as i32;
        Share { charge: charge / behind.max(1), is_at_peak: false, is_divided: behind > 1 }
    }

    /// The cluster around a peak: the adjacent cells, and those one step further out where the
    /// inner cell has charge and belongs to no other peak.
    fn cluster(&self, peak: Cell, shares: &Grid<Share>) -> Option<Cluster> {
        let mut sums = Sums::default();
        let of = |step: Cell| shares.at(plus(peak, step));
        let mut add = |step: Cell| sums.add(step.0, step.1, of(step).charge, of(step).is_divided);
        add((0, 0));
        steps(1, 1).for_each(&mut add);
        let threshold = sixteenths(self.settings.inner_threshold);
        let counts = |step: &Cell| of(towards(*step)).charge > threshold && !of(*step).is_at_peak;
        outer_ring().filter(counts).for_each(&mut add);
        let (pad, time) = peak;
        let peak = Peak { pad, time, charge: self.charge(peak) };
        sums.cluster(peak, self.samples.pads(), self.settings)
    }

    /// Cells whose samples give their labels to the cluster around a peak: those that are examined
    /// and have charge, even that of another peak.
    fn labelled(&self, peak: Cell, shares: &Grid<Share>) -> Vec<Cell> {
        let charge = |step: Cell| shares.at(plus(peak, step)).charge;
        let threshold = sixteenths(self.settings.inner_threshold);
        let adjacent = DIRECTIONS.iter().map(|(inner, _)| wide(*inner));
        let behind = DIRECTIONS.iter().flat_map(|(inner, behind)| {
            let is_seen = charge(wide(*inner)) > threshold;
            behind.iter().filter(move |_| is_seen).map(|step| wide(*step))
        });
        let steps = [(0, 0)].into_iter().chain(adjacent).chain(behind);
        steps.filter(|step| charge(*step) > 0).map(|step| plus(peak, step)).collect()
    }
}

/// The 16 steps of two pads or two time bins.
fn outer_ring() -> impl Iterator<Item = Cell> {
    steps(2, 2).filter(|(a, b)| a.abs().max(b.abs()) == 2)
}

/// The cell between a peak and a cell two steps away: the neighbour in that direction.
fn towards((a, b): Cell) -> Cell {
    (a.signum(), b.signum())
}

/// The cell between a charge and a peak two steps away, which is the same cell.
fn halved((a, b): Cell) -> Cell {
    (a / 2, b / 2)
}

/// The cells that may be a valley between two peaks, relative to the smaller one.
fn between(step: Cell) -> impl Iterator<Item = Cell> {
    let (a, b) = towards(step);
    let second = (step.1.abs() == 3).then_some((a, 2 * b));
    std::iter::once((a, b)).chain(second)
}

fn wide((a, b): Step) -> Cell {
    (a.into(), b.into())
}

/// The clusters of all rows of some sectors, by sector, row and their own order, with their labels
/// if requested.
pub(super) fn find(cases: &[ChargeCase], with_labels: bool) -> Clusters {
    let rows = (0..cases.len()).flat_map(|case| (0..ROWS).map(move |row| (case, row)));
    let by_row = map(cases, charges_by_row);
    let found = map_dynamic(rows, |(index, row)| {
        let case = &cases[index];
        let charges = &by_row[index][row];
        if charges.is_empty() {
            return Vec::new();
        }
        let pads = (0..pads_in_row(row)).map(|pad| PadId::new(row as u8, pad as u8));
        let is_noisy: Vec<_> = pads.map(|pad| case.noisy.binary_search(&pad).is_ok()).collect();
        let found = clusters(charges, &is_noisy, case.time_bins as usize, &case.settings);
        let labels = LabelsOfRow::new(case, row);
        let case = index as u32;
        let row = row as u8;
        let clusters = found.clusters.into_iter().zip(&found.labelled);
        let labelled = clusters.map(|(cluster, cells)| {
            let labels = if with_labels { labels.collected(cells) } else { Vec::new() };
            (RowCluster { case, row, cluster }, labels)
        });
        labelled.collect()
    });
    if with_labels {
        Clusters::labelled(found.concat())
    } else {
        found.concat().into_iter().map(|(cluster, _)| cluster).collect::<Vec<_>>().into()
    }
}

/// The labels of the samples of a row.
struct LabelsOfRow<'c> {
    labels: Option<&'c Labels>,
    /// Indices of the samples, by cell.
    indices: BTreeMap<Cell, usize>,
}

impl<'c> LabelsOfRow<'c> {
    fn new(case: &'c ChargeCase, row: usize) -> Self {
        let Some(labels) = &case.labels else {
            return LabelsOfRow { labels: None, indices: BTreeMap::new() };
        };
        let samples = case.charges.iter().enumerate();
        let own = samples.filter(|(_, sample)| usize::from(sample.pad.row()) == row);
        let cell = |sample: &Charge| (sample.pad.pad().into(), sample.time as i32);
        let indices = own.map(|(index, sample)| (cell(sample), index)).collect();
        LabelsOfRow { labels: Some(labels), indices }
    }

    /// Labels of the samples in some cells, each once.
    fn collected(&self, cells: &[Cell]) -> Vec<u64> {
        let Some(labels) = self.labels else { return Vec::new() };
        let mut found: Vec<u64> = Vec::new();
        let indices = cells.iter().filter_map(|cell| self.indices.get(cell));
        for &label in indices.flat_map(|&index| labels.list(index)) {
            if !found.iter().any(|other| counted(*other) == counted(label)) {
                found.push(label);
            }
        }
        found
    }
}

fn charges_by_row(case: &ChargeCase) -> Vec<Vec<Charge>> {
    let mut rows = vec![Vec::new(); ROWS];
    for charge in &case.charges {
        rows[usize::from(charge.pad.row())].push(*charge);
    }
    rows
}
