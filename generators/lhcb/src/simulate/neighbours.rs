//! Pairs of neighbours in a grid, among its occupied cells in order of columns and rows.

/// Calls `found` with the indices of each pair of neighbours, the larger first: cells whose columns
/// and rows differ by one at most. A cell is `column << row_bits | row`; cells ascend.
///
/// The cells from the neighbour at the south-west up to a cell are few in all but full columns.
#[inline]
pub(super) fn for_each_pair(cells: &[u32], row_bits: u32, mut found: impl FnMut(usize, usize)) {
    let rows = 1 << row_bits;
    for (index, &cell) in cells.iter().enumerate() {
        let row = cell & (rows - 1);
        for (earlier, &other) in cells[..index].iter().enumerate().rev() {
            if cell - other > rows + 1 {
                break;
            }
            // Those of the column before the last have the other end of the rows.
            if (other & (rows - 1)).abs_diff(row) <= 1 {
                found(index, earlier);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grid of 16 columns and 8 rows.
    const ROW_BITS: u32 = 3;

    #[test]
    fn pairs_are_those_of_all_cells() {
        for seed in 0..50 {
            let is_set =
                |cell: &u32| generators_common::random::hash(seed, [u64::from(*cell)]) % 3 == 0;
            let cells: Vec<_> = (0..16 << ROW_BITS).filter(is_set).collect();
            let mut found = Vec::new();
            for_each_pair(&cells, ROW_BITS, |index, earlier| found.push((index, earlier)));
            found.sort_unstable();
            let near = |a: u32, b: u32| {
                let columns = (a >> ROW_BITS).abs_diff(b >> ROW_BITS);
                let rows = (a & 7).abs_diff(b & 7);
                columns <= 1 && rows <= 1
            };
            let mut expected = Vec::new();
            for index in 0..cells.len() {
                let earlier = (0..index).filter(|&earlier| near(cells[index], cells[earlier]));
                expected.extend(earlier.map(|earlier| (index, earlier)));
            }
            assert_eq!(found, expected);
        }
    }
}
