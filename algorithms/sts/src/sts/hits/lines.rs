//! The clusters of a side in the form that pairs need: as lines, in columns.

use super::ModuleFormulas;
use crate::sts::formulas::{Sensor, Side};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry};

/// Elements that may be read after the last line, and written after the end of lists.
pub(super) const SLACK: usize = 16;
/// Largest number of different time errors whose cuts vectors can look up.
pub(super) const MAX_CLASSES: usize = 16;
/// Clusters whose lines are computed together: their data stay in the first-level cache.
const CLUSTERS: usize = 64;
/// Lines of nearly all clusters, at most.
const USUAL: usize = 2;
/// Edge of a padding line, which is near to no other line.
const CROSSES_NOTHING: f32 = f32::NAN;
/// Cluster sizes whose class is cached: a power of two.
const KNOWN_SIZES: usize = 16;

/// Lines of clusters as far as they decide about crossings, in order of time: a line for each
/// cluster, or several if it runs across the sensor's edge.
#[derive(Default)]
pub(super) struct Lines {
    /// Number of lines. Columns are longer: [`SLACK`] padding lines follow, which cross nothing.
    pub(super) count: usize,
    pub(super) times: Vec<u32>,
    /// Class of each line's time error.
    pub(super) classes: Vec<u32>,
    /// Points where the lines leave the edge, in cm.
    pub(super) edges: Vec<f32>,
    /// The errors of that, in cm.
    pub(super) edge_errors: Vec<f32>,
}

/// The different time errors. There is at most one for each cluster size, so few.
#[derive(Default)]
pub(super) struct ErrorClasses {
    pub(super) errors: Vec<f32>,
    /// The class of the last error of each cluster size, which has it again and again.
    of_sizes: [u32; KNOWN_SIZES],
}

impl ErrorClasses {
    pub(super) fn clear(&mut self) {
        self.errors.clear();
    }

    /// Row length of tables with an entry for each class.
    pub(super) fn stride(&self) -> usize {
        MAX_CLASSES.max(self.errors.len())
    }

    /// Index of the class of a cluster's time error.
    #[inline(always)]
    fn class_of(&mut self, cluster: &Cluster) -> u32 {
        let last = &mut self.of_sizes[cluster.size as usize % KNOWN_SIZES];
        let error = cluster.time_error;
        if self.errors.get(*last as usize) != Some(&error) {
            let known = self.errors.iter().position(|&known| known == error);
            *last = known.unwrap_or(self.errors.len()) as u32;
            if known.is_none() {
                self.errors.push(error);
            }
        }
        *last
    }
}

/// Clusters of a side, by their entries in order of time.
#[derive(Clone, Copy)]
pub(super) struct Clusters<'a> {
    pub(super) side: Side,
    pub(super) entries: &'a [ClusterEntry],
    pub(super) clusters: &'a [Cluster],
}

impl Lines {
    /// Collects the lines of clusters, except those that leave the edge outside the active area.
    #[inline(always)]
    pub(super) fn gather<P: Rules>(
        &mut self,
        from: Clusters<'_>,
        formulas: &ModuleFormulas<f32>,
        classes: &mut ErrorClasses,
    ) {
        self.count = 0;
        let mut block = Block::default();
        for entries in from.entries.chunks(CLUSTERS) {
            for (index, entry) in entries.iter().enumerate() {
                let cluster = &from.clusters[entry.index as usize];
                block.times[index] = cluster.time;
                block.classes[index] = classes.class_of(cluster);
                block.positions[index] = cluster.position;
                block.errors[index] = cluster.position_error;
            }
            block.compute::<P>(&formulas.sensor, from.side);
            self.append(&block, entries.len(), formulas.sensor.width);
        }
        self.ensure_capacity(SLACK);
        self.edges[self.count..].fill(CROSSES_NOTHING);
    }

    /// Appends the lines of the first clusters of a block; `width` is that of the sensor.
    #[inline(always)]
    fn append(&mut self, block: &Block, clusters: usize, width: f32) {
        let lines = &block.lines[..clusters];
        let capacity =
            lines.iter().fold(0, |capacity, &lines| capacity + USUAL.max(lines as usize));
        self.ensure_capacity(capacity);
        let begin = self.count;
        let mut free = Free {
            times: &mut self.times[begin..begin + capacity],
            classes: &mut self.classes[begin..begin + capacity],
            edges: &mut self.edges[begin..begin + capacity],
            edge_errors: &mut self.edge_errors[begin..begin + capacity],
        };
        if lines.iter().fold(true, |so_far, &lines| so_far & (lines == 1)) {
            free.set_first_of_all(block, clusters);
            self.count += clusters;
            return;
        }
        let mut end = 0;
        for (index, &lines) in lines.iter().enumerate() {
            let lines = lines as usize;
            // Without a branch: most have one, some two, and which can't be predicted.
            for line in 0..USUAL {
                free.set(end + line, block, index, block.edges[line][index]);
            }
            for line in USUAL..lines {
                let width_index = block.firsts[index] + line as i32;
                let edge = block.positions[index] - width_index as f32 * width;
                free.set(end + line, block, index, edge);
            }
            end += lines;
        }
        self.count = begin + end;
    }

    /// Extends the columns by `lines` lines.
    fn ensure_capacity(&mut self, lines: usize) {
        let capacity = self.count + lines;
        if self.times.len() < capacity {
            self.times.resize(capacity, 0);
            self.classes.resize(capacity, 0);
            self.edges.resize(capacity, 0.0);
            self.edge_errors.resize(capacity, 0.0);
        }
    }
}

/// Columns to write lines to.
struct Free<'a> {
    times: &'a mut [u32],
    classes: &'a mut [u32],
    edges: &'a mut [f32],
    edge_errors: &'a mut [f32],
}

impl Free<'_> {
    /// Writes a line of the cluster at `index` of a block.
    #[inline(always)]
    fn set(&mut self, line: usize, block: &Block, index: usize, edge: f32) {
        self.times[line] = block.times[index];
        self.classes[line] = block.classes[index];
        self.edges[line] = edge;
        self.edge_errors[line] = block.errors[index];
    }

    /// The first lines of some clusters.
    #[inline(always)]
    fn set_first_of_all(&mut self, block: &Block, clusters: usize) {
        self.times[..clusters].copy_from_slice(&block.times[..clusters]);
        self.classes[..clusters].copy_from_slice(&block.classes[..clusters]);
        self.edges[..clusters].copy_from_slice(&block.edges[0][..clusters]);
        self.edge_errors[..clusters].copy_from_slice(&block.errors[..clusters]);
    }
}

/// A number of each cluster.
type Column<T> = [T; CLUSTERS];

/// Some clusters.
struct Block {
    times: Column<u32>,
    classes: Column<u32>,
    /// In channels first, then the points where they leave the edge.
    positions: Column<f32>,
    errors: Column<f32>,
    /// Number of lines of each cluster.
    lines: Column<u32>,
    /// Displacement of the first line from the strip, in widths.
    firsts: Column<i32>,
    /// Points where the first lines leave the edge.
    edges: [Column<f32>; USUAL],
}

impl Default for Block {
    fn default() -> Self {
        Block {
            times: [0; CLUSTERS],
            classes: [0; CLUSTERS],
            positions: [0.0; CLUSTERS],
            errors: [0.0; CLUSTERS],
            lines: [0; CLUSTERS],
            firsts: [0; CLUSTERS],
            edges: [[0.0; CLUSTERS]; USUAL],
        }
    }
}

impl Block {
    /// From positions and their errors to lines: a plain loop, of which the compiler makes vectors.
    #[inline(always)]
    fn compute<P: Rules>(&mut self, sensor: &Sensor<f32>, side: Side) {
        for index in 0..CLUSTERS {
            let edge = sensor.edge_anywhere(side, self.positions[index]);
            let [first, last] = sensor.first_and_last_line(side, edge, P::widths);
            let lines = (last - first) as u32 + 1;
            self.lines[index] = if sensor.has_edge(edge) { lines } else { 0 };
            self.firsts[index] = first;
            self.positions[index] = edge;
            self.errors[index] = sensor.edge_error(self.errors[index]);
            for (line, edges) in (0..).zip(&mut self.edges) {
                edges[index] = edge - (first + line) as f32 * sensor.width;
            }
        }
    }
}
