//! Pairs of neighbours in a grid, among its occupied cells in order of columns and rows.

/// Calls `found` with the indices of each pair of neighbours, the larger first: cells whose columns
/// and rows differ by one at most. A cell is `column << row_bits | row`; cells ascend.
#[inline]
pub(super) fn for_each_pair(cells: &[u32], row_bits: u32, mut found: impl FnMut(usize, usize)) {
    let last_row = (1 << row_bits) - 1;
    let mut west = 0;
    for (index, &cell) in cells.iter().enumerate() {
        let row = cell & last_row;
        if row > 0 && index > 0 && cells[index - 1] == cell - 1 {
            found(index, index - 1);
        }
        let Some(same_row) = cell.checked_sub(last_row + 1) else { continue };
        let low = same_row - u32::from(row > 0);
        let high = same_row + u32::from(row < last_row);
        while cells[west] < low {
            west += 1;
        }
        let near = cells[west..index].iter().take_while(|cell| **cell <= high);
        for neighbour in west..west + near.count() {
            found(index, neighbour);
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
