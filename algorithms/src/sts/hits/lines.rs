//! The clusters of a side in the form that pairs need: as lines, in columns.

use super::ModuleFormulas;
use super::near::{MOST_CLASSES, SLACK};
use crate::sts::formulas::{Sensor, Side};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry};

/// Clusters whose lines are computed side by side: what is known of them stays in the first-level
/// cache.
const CLUSTERS: usize = 64;
/// Lines of nearly all clusters, at most.
const USUAL: usize = 2;
/// Where a line leaves the edge that is near to no other.
const CROSSES_NOTHING: f32 = f32::NAN;
/// Cluster sizes whose class is remembered: a power of two.
const KNOWN_SIZES: usize = 16;

/// Lines of clusters as far as they decide about crossings, in order of time: a line for each
/// cluster, or several if it runs across the sensor's edge.
#[derive(Default)]
pub(super) struct Lines {
    /// How many there are. Columns are longer: behind them are [`SLACK`] that cross nothing.
    pub(super) count: usize,
    pub(super) times: Vec<u32>,
    /// Which of the errors of times they have.
    pub(super) classes: Vec<u32>,
    /// Where they leave the edge, in cm.
    pub(super) edges: Vec<f32>,
    /// The errors of that, in cm.
    pub(super) edge_errors: Vec<f32>,
}

/// The different errors of times. There are as many as cluster sizes, so few.
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

    /// How long the rows of tables are that have an entry for each class.
    pub(super) fn stride(&self) -> usize {
        MOST_CLASSES.max(self.errors.len())
    }

    /// The number of a cluster's error.
    #[inline(always)]
    fn of(&mut self, cluster: &Cluster) -> u32 {
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
    /// Those of some clusters, but for clusters that leave the edge outside the active area.
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
            for (place, entry) in entries.iter().enumerate() {
                let cluster = &from.clusters[entry.index as usize];
                block.times[place] = cluster.time;
                block.classes[place] = classes.of(cluster);
                block.positions[place] = cluster.position;
                block.errors[place] = cluster.position_error;
            }
            block.compute::<P>(&formulas.sensor, from.side);
            self.append(&block, entries.len(), formulas.sensor.width);
        }
        self.make_room(SLACK);
        self.edges[self.count..].fill(CROSSES_NOTHING);
    }

    /// Appends the lines of the first clusters of a block; `width` is that of the sensor.
    #[inline(always)]
    fn append(&mut self, block: &Block, clusters: usize, width: f32) {
        let lines = &block.lines[..clusters];
        let room = lines.iter().fold(0, |room, &lines| room + USUAL.max(lines as usize));
        self.make_room(room);
        let begin = self.count;
        let mut free = Free {
            times: &mut self.times[begin..begin + room],
            classes: &mut self.classes[begin..begin + room],
            edges: &mut self.edges[begin..begin + room],
            edge_errors: &mut self.edge_errors[begin..begin + room],
        };
        if lines.iter().fold(true, |so_far, &lines| so_far & (lines == 1)) {
            free.set_first_of_all(block, clusters);
            self.count += clusters;
            return;
        }
        let mut end = 0;
        for (place, &lines) in lines.iter().enumerate() {
            let lines = lines as usize;
            // Without a branch: most have one, some two, and which can't be predicted.
            for line in 0..USUAL {
                free.set(end + line, block, place, block.edges[line][place]);
            }
            for line in USUAL..lines {
                let number = block.firsts[place] + line as i32;
                let edge = block.positions[place] - number as f32 * width;
                free.set(end + line, block, place, edge);
            }
            end += lines;
        }
        self.count = begin + end;
    }

    /// Makes room for so many lines more.
    fn make_room(&mut self, lines: usize) {
        let room = self.count + lines;
        if self.times.len() < room {
            self.times.resize(room, 0);
            self.classes.resize(room, 0);
            self.edges.resize(room, 0.0);
            self.edge_errors.resize(room, 0.0);
        }
    }
}

/// Places for lines.
struct Free<'a> {
    times: &'a mut [u32],
    classes: &'a mut [u32],
    edges: &'a mut [f32],
    edge_errors: &'a mut [f32],
}

impl Free<'_> {
    /// A line of the cluster at a place of a block.
    #[inline(always)]
    fn set(&mut self, line: usize, block: &Block, place: usize, edge: f32) {
        self.times[line] = block.times[place];
        self.classes[line] = block.classes[place];
        self.edges[line] = edge;
        self.edge_errors[line] = block.errors[place];
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
    /// In channels; then where they leave the edge.
    positions: Column<f32>,
    errors: Column<f32>,
    /// How many lines they have.
    lines: Column<u32>,
    /// By how many widths the first line is beside the strip.
    firsts: Column<i32>,
    /// Where the first lines leave the edge.
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
        for place in 0..CLUSTERS {
            let edge = sensor.edge_anywhere(side, self.positions[place]);
            let [first, last] = sensor.first_and_last_line(side, edge, P::widths);
            let lines = (last - first) as u32 + 1;
            self.lines[place] = if sensor.has_edge(edge) { lines } else { 0 };
            self.firsts[place] = first;
            self.positions[place] = edge;
            self.errors[place] = sensor.edge_error(self.errors[place]);
            for (line, edges) in (0..).zip(&mut self.edges) {
                edges[place] = edge - (first + line) as f32 * sensor.width;
            }
        }
    }
}
