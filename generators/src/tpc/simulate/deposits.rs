//! Deposits of all crossings on the pads of a region, pad by pad.

use super::avx512::Avx512;
use super::deposit::{Deposit, PadDeposit};
use super::response::{BINS, Response};
use super::signal::Signal;

/// The deposits of a region: listed as they are found, then sorted by cell, so that the charge of
/// one pad after the other is added up in the cache. (The order of the additions does not matter:
/// sums are the same, saturated ones too.)
pub(super) struct Deposits {
    /// Entries up to the capacity: the first `count` are valid.
    listed: Vec<PadDeposit>,
    count: usize,
    sorted: Vec<PadDeposit>,
    /// Index of the end of each cell's deposits.
    ends: Vec<u32>,
    avx512: Option<Avx512>,
}

impl Default for Deposits {
    fn default() -> Self {
        Deposits {
            listed: Vec::new(),
            count: 0,
            sorted: Vec::new(),
            ends: Vec::new(),
            avx512: Avx512::detect(),
        }
    }
}

impl Deposits {
    /// Removes all deposits; there are `cells` cells from now on.
    pub(super) fn clear(&mut self, cells: usize) {
        self.count = 0;
        self.ends.clear();
        self.ends.resize(cells, 0);
    }

    pub(super) fn push(&mut self, deposit: PadDeposit) {
        self.free()[0] = deposit;
        self.count += 1;
    }

    /// Adds the deposits of a crossing on the pads around it, which have these cells.
    #[inline]
    pub(super) fn push_on_cells(&mut self, deposit: &Deposit<'_>, cells: &[u16; BINS]) {
        let avx512 = self.avx512;
        let free = self.free();
        self.count += match avx512 {
            Some(avx512) => deposit.list_by_vectors(avx512, cells, free),
            None => deposit.list(cells, free),
        };
    }

    /// Free entries for the next deposits.
    #[inline]
    fn free(&mut self) -> &mut [PadDeposit; BINS] {
        let end = self.count + BINS;
        if self.listed.len() < end {
            self.listed.resize(2 * end, PadDeposit::default());
        }
        let (free, _) = self.listed[self.count..end].as_chunks_mut();
        &mut free[0]
    }

    /// Sorts them by cell: a counting sort.
    pub(super) fn sort(&mut self) {
        let listed = &self.listed[..self.count];
        for deposit in listed {
            self.ends[usize::from(deposit.cell)] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        self.sorted.resize(listed.len(), PadDeposit::default());
        for deposit in listed {
            let end = &mut self.ends[usize::from(deposit.cell)];
            self.sorted[*end as usize] = *deposit;
            *end += 1;
        }
    }

    /// Adds the charge of a cell to the signal of its pad. They must be sorted.
    #[inline]
    pub(super) fn add_to(&self, signal: &mut Signal, cell: usize, response: &Response) {
        for deposit in self.of_cell(cell) {
            let shares = response.shares(deposit.in_time);
            signal.add(deposit.column.into(), deposit.charge, shares);
        }
    }

    #[inline]
    fn of_cell(&self, cell: usize) -> &[PadDeposit] {
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sorted[start as usize..self.ends[cell] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposits_come_by_cell_in_their_order() {
        let deposit = |cell, charge| PadDeposit { cell, charge, ..PadDeposit::default() };
        let mut deposits = Deposits::default();
        for _ in 0..2 {
            deposits.clear(4);
            for (cell, charge) in [(3, 1), (0, 2), (3, 3), (1, 4)] {
                deposits.push(deposit(cell, charge));
            }
            deposits.sort();
            assert_eq!(deposits.of_cell(0), [deposit(0, 2)]);
            assert_eq!(deposits.of_cell(1), [deposit(1, 4)]);
            assert_eq!(deposits.of_cell(2), []);
            assert_eq!(deposits.of_cell(3), [deposit(3, 1), deposit(3, 3)]);
        }
    }
}
