//! Clusters of a sensor's pixels, as the FPGA of the readout finds them: pixels that touch at an edge
//! or a corner, with their centre.

use super::neighbours::for_each_pair;

/// Bits of the row in the address of a pixel.
const ROW_BITS: u32 = 8;
const LAST_ROW: u32 = (1 << ROW_BITS) - 1;

/// Cluster of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PixelCluster {
    pixels: u32,
    column_sum: u32,
    row_sum: u32,
}

/// Coordinate of a centre: a pixel, and a fraction of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Centre {
    /// Column or row.
    pub pixel: u16,
    /// Fraction in the units that were asked for.
    pub fraction: u8,
}

impl PixelCluster {
    /// Centres along columns and rows, with fractions in units of `1 / units` of a pixel.
    pub(super) fn centres(&self, units: u32) -> [Centre; 2] {
        [self.column_sum, self.row_sum].map(|sum| Centre {
            pixel: (sum / self.pixels) as u16,
            fraction: (sum % self.pixels * units / self.pixels) as u8,
        })
    }
}

/// Clusters of a sensor.
#[derive(Default)]
pub(super) struct SensorClusters {
    /// The clusters in order of their first pixels.
    pub clusters: Vec<PixelCluster>,
    /// Index of the cluster of each pixel.
    pub cluster_of: Vec<u32>,
}

impl SensorClusters {
    /// Finds the clusters of pixels, which are in order of columns and rows.
    pub(super) fn find(&mut self, pixels: &[u32]) {
        let parents = &mut self.cluster_of;
        parents.clear();
        parents.extend(0..pixels.len() as u32);
        for_each_pair(pixels, ROW_BITS, |index, earlier| join(parents, index, earlier));
        self.clusters.clear();
        for (index, &pixel) in pixels.iter().enumerate() {
            // A parent comes before its pixel, and is the index of a cluster by now.
            let parent = self.cluster_of[index] as usize;
            let cluster = if parent == index {
                self.clusters.push(PixelCluster::default());
                self.clusters.len() - 1
            } else {
                self.cluster_of[parent] as usize
            };
            self.cluster_of[index] = cluster as u32;
            let cluster = &mut self.clusters[cluster];
            cluster.pixels += 1;
            cluster.column_sum += pixel >> ROW_BITS;
            cluster.row_sum += pixel & LAST_ROW;
        }
    }
}

/// The first pixel of the tree of a pixel; ways to it are halved.
fn root(parents: &mut [u32], mut index: usize) -> usize {
    while parents[index] as usize != index {
        let parent = parents[index] as usize;
        parents[index] = parents[parent];
        index = parent;
    }
    index
}

fn join(parents: &mut [u32], a: usize, b: usize) {
    let a = root(parents, a);
    let b = root(parents, b);
    parents[a.max(b)] = a.min(b) as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pixels: &[(u32, u32)]) -> SensorClusters {
        let mut addresses: Vec<_> = pixels.iter().map(|(column, row)| column << 8 | row).collect();
        addresses.sort_unstable();
        let mut found = SensorClusters::default();
        found.find(&addresses);
        found
    }

    #[test]
    fn a_cluster_may_join_two_late() {
        // A fork that opens to lower columns.
        let fork = [(0, 0), (1, 0), (0, 4), (1, 4), (2, 1), (3, 2), (2, 3)];
        let found = find(&fork);
        assert_eq!(found.clusters, [PixelCluster { pixels: 7, column_sum: 9, row_sum: 14 }]);
        assert!(found.cluster_of.iter().all(|cluster| *cluster == 0));
    }

    #[test]
    fn borders_of_columns_separate() {
        let found = find(&[(0, 255), (1, 0), (2, 0)]);
        assert_eq!(found.cluster_of, [0, 1, 1]);
    }

    #[test]
    fn centres_are_rounded_down() {
        let cluster = PixelCluster { pixels: 3, column_sum: 31, row_sum: 32 };
        let [column, row] = cluster.centres(4);
        assert_eq!(column, Centre { pixel: 10, fraction: 1 });
        assert_eq!(row, Centre { pixel: 10, fraction: 2 });
        assert_eq!(cluster.centres(8)[1].fraction, 5);
    }
}
