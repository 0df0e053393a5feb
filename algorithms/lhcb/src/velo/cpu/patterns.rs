//! Clusters of flagged super-pixels, by pattern.

use std::sync::LazyLock;

/// A cluster of a super-pixel: its column, row and fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatternCluster {
    /// Column in the super-pixel.
    pub column: u16,
    /// Row in the super-pixel.
    pub row: u16,
    /// Fraction of the column.
    pub column_fraction: f32,
    /// Fraction of the row.
    pub row_fraction: f32,
}

/// Clusters of a pattern: one or two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatternClusters {
    /// Number of clusters.
    pub count: usize,
    /// The clusters, that with the lowest bit first.
    pub clusters: [PatternCluster; 2],
}

/// Clusters of all patterns.
pub static PATTERNS: LazyLock<[PatternClusters; 256]> =
    LazyLock::new(|| std::array::from_fn(|pattern| clusters_of(pattern as u8)));

/// Rows that have pixels: two clusters are separated by an empty row.
fn clusters_of(pattern: u8) -> PatternClusters {
    let rows = pattern | pattern >> 4;
    let in_rows = |rows: u8| pattern & (rows | rows << 4);
    let first_row = rows.trailing_zeros();
    let gap = (first_row..4).find(|row| rows >> row & 1 == 0).unwrap_or(4);
    let below = in_rows((1_u8 << gap) - 1);
    let above = in_rows(0xF & !((1_u8 << gap) - 1));
    if above == 0 {
        return PatternClusters { count: 1, clusters: [mean(pattern), PatternCluster::default()] };
    }
    // Bits count columns first: the lower cluster may have the higher first bit.
    let is_below_first = below.trailing_zeros() < above.trailing_zeros();
    let [first, second] = if is_below_first { [below, above] } else { [above, below] };
    PatternClusters { count: 2, clusters: [mean(first), mean(second)] }
}

fn mean(pixels: u8) -> PatternCluster {
    let n = pixels.count_ones();
    if n == 0 {
        return PatternCluster::default();
    }
    let bits = (0..8).filter(|bit| pixels >> bit & 1 != 0);
    let x: u32 = bits.clone().map(|bit| bit / 4).sum();
    let y: u32 = bits.map(|bit| bit % 4).sum();
    let fraction = |sum: u32| sum as f32 / n as f32 - (sum / n) as f32;
    PatternCluster {
        column: (x / n) as u16,
        row: (y / n) as u16,
        column_fraction: fraction(x),
        row_fraction: fraction(y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clusters_have_an_empty_row_between_them() {
        let with_two = PATTERNS.iter().filter(|clusters| clusters.count == 2).count();
        assert_eq!((with_two, PATTERNS[0].count), (81, 1));
    }
}
