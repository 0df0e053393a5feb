//! Clusters of an event's pixels, as the FPGA of the readout finds them: pixels that touch at an edge
//! or a corner, with their centre.
//!
//! Patches are connected, so patches that touch are joined. They are in order of sensors and columns: those
//! that may touch are close to each other.

use super::patch::{PATCH_PIXELS, Patch};

/// Columns between patches that may touch, and rows.
const REACH: u32 = 2;

/// Coordinate of a centre: a pixel, and a fraction of its width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Coordinate {
    /// Column or row.
    pub pixel: u16,
    /// Fraction in the units that were asked for.
    pub fraction: u8,
}

/// Cluster of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PixelCluster {
    /// Index of the sensor.
    pub sensor: u16,
    sums: Sums,
}

/// Number of pixels, and the sums of their columns and rows, in one number: from the lowest, 24 bits of rows,
/// 24 of columns and 16 of pixels. Clusters that need more do not occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums(u64);

impl Sums {
    const SUM_BITS: u32 = 24;

    #[inline]
    const fn new(pixels: u64, columns: u64, rows: u64) -> Self {
        Sums(pixels << (2 * Self::SUM_BITS) | columns << Self::SUM_BITS | rows)
    }

    /// Those of a patch with this pattern.
    #[inline]
    fn of_patch(patch: Patch, pattern: u8) -> Self {
        let Sums(own) = PATCH_SUMS[usize::from(pattern) % PATCH_SUMS.len()];
        let Sums(first) = Sums::new(0, patch.column() as u64, patch.row() as u64);
        Sums((own >> (2 * Sums::SUM_BITS)) * first + own)
    }

    #[inline]
    fn pixels(self) -> u32 {
        (self.0 >> (2 * Self::SUM_BITS)) as u32
    }

    /// Sums of columns and rows.
    #[inline]
    fn positions(self) -> [u32; 2] {
        [self.0 >> Self::SUM_BITS, self.0].map(|sum| sum as u32 & ((1 << Self::SUM_BITS) - 1))
    }
}

impl PixelCluster {
    /// Number of pixels.
    #[inline]
    pub(super) fn pixels(&self) -> u32 {
        self.sums.pixels()
    }

    /// Centre along columns and rows, with fractions in units of `1 / 2^unit_bits` of a pixel.
    #[inline]
    pub(super) fn centre(&self, unit_bits: u32) -> [Coordinate; 2] {
        let pixels = self.pixels();
        self.sums.positions().map(|sum| {
            let mean = (sum << unit_bits) / pixels;
            Coordinate {
                pixel: (mean >> unit_bits) as u16,
                fraction: (mean & ((1 << unit_bits) - 1)) as u8,
            }
        })
    }
}

/// Number of pixels of each pattern, and their sums of columns and rows.
static PATCH_SUMS: [Sums; 1 << PATCH_PIXELS] = patch_sums();

const fn patch_sums() -> [Sums; 1 << PATCH_PIXELS] {
    let mut sums = [Sums(0); 1 << PATCH_PIXELS];
    let mut pattern = 0;
    while pattern < 1 << PATCH_PIXELS {
        let bits = pattern as u64;
        sums[pattern] = Sums::new(
            bits.count_ones() as u64,
            (bits >> 2).count_ones() as u64,
            (bits & 0b1010).count_ones() as u64,
        );
        pattern += 1;
    }
    sums
}

/// Clusters of an event.
#[derive(Default)]
pub(super) struct EventClusters {
    /// The clusters by sensor.
    pub clusters: Vec<PixelCluster>,
    /// Index of the cluster of each patch.
    pub cluster_of: Vec<u32>,
    /// Pixels of each patch that no patch before has.
    patterns: Vec<u8>,
    /// Address of each patch, after those of patches that are far from all.
    addresses: Vec<Address>,
    near: Vec<NearPatches>,
    /// Indices of patches with others near.
    crowded: Vec<u32>,
}

/// Patches before a patch of which all near ones are found at once.
const NEAREST: usize = 4;

/// Which of the patches before a patch are near: the first bit is for the one before it, and so on.
#[derive(Clone, Copy)]
struct NearPatches(u8);

impl NearPatches {
    /// Stands for patches farther back, which may be near too.
    const MORE: u8 = 1 << NEAREST;
}

/// Sensor, column and row of a patch in one number, from the highest bits.
#[derive(Clone, Copy)]
struct Address(u32);

impl Address {
    /// More bits than a row has, so that differences of rows have a sign.
    const ROW_BITS: u32 = 9;
    /// Before all patches and not near any.
    const FAR: Address = Address(0);

    #[inline]
    fn new(patch: Patch) -> Self {
        let column = patch.key() as u32 + REACH + 1;
        Address(column << Self::ROW_BITS | patch.row() as u32)
    }

    /// Offset from another patch at the same column of the sensor or before.
    #[inline]
    fn offset_from(self, other: Address) -> Offset {
        Offset(self.0.wrapping_sub(other.0).wrapping_add(REACH))
    }

    /// True if the patch is too many columns after another one to be near.
    #[inline]
    fn is_beyond(self, other: Address) -> bool {
        (self.0 >> Self::ROW_BITS).wrapping_sub(other.0 >> Self::ROW_BITS) > REACH
    }
}

/// Difference of two addresses: columns, and rows plus `REACH`.
#[derive(Clone, Copy)]
struct Offset(u32);

impl Offset {
    #[inline]
    fn rows(self) -> u32 {
        self.0 & ((1 << Address::ROW_BITS) - 1)
    }

    #[inline]
    fn columns(self) -> u32 {
        self.0 >> Address::ROW_BITS
    }

    /// True if patches at this offset may touch.
    #[inline]
    fn is_near(self) -> bool {
        (self.columns() <= REACH) & (self.rows() <= 2 * REACH)
    }
}

impl EventClusters {
    /// Finds the clusters of patches, which are in order of sensors and columns.
    pub(super) fn find(&mut self, patches: &[Patch]) {
        self.patterns.clear();
        self.patterns.extend(patches.iter().map(|patch| patch.pattern() as u8));
        self.cluster_of.clear();
        self.cluster_of.extend(0..patches.len() as u32);
        self.find_near(patches);
        for crowded in 0..self.crowded.len() {
            self.join_near(patches, self.crowded[crowded] as usize);
        }
        self.add_up(patches);
    }

    /// Finds the patches that have others near, without branches.
    fn find_near(&mut self, patches: &[Patch]) {
        let count = patches.len();
        self.addresses.clear();
        self.addresses.extend([Address::FAR; NEAREST]);
        self.addresses.extend(patches.iter().map(|patch| Address::new(*patch)));
        self.near.resize(count, NearPatches(0));
        // The patches themselves, and those before.
        let [own, one, two, three, four] =
            [0, 1, 2, 3, 4].map(|back| &self.addresses[NEAREST - back..][..count]);
        for (index, near) in self.near[..count].iter_mut().enumerate() {
            let bit = |other: Address, back: u32| {
                u32::from(own[index].offset_from(other).is_near()) << (back - 1)
            };
            let more = u32::from(!own[index].is_beyond(four[index])) << NEAREST;
            let bits = bit(one[index], 1) | bit(two[index], 2) | bit(three[index], 3);
            *near = NearPatches((bits | bit(four[index], 4) | more) as u8);
        }
        self.crowded.resize(count + 1, 0);
        let mut end = 0;
        for (index, near) in (0..).zip(&self.near[..count]) {
            self.crowded[end] = index;
            end += usize::from(near.0 != 0);
        }
        self.crowded.truncate(end);
    }

    /// Joins a patch with those before it that touch it.
    #[inline]
    fn join_near(&mut self, patches: &[Patch], index: usize) {
        let NearPatches(mut near) = self.near[index];
        let has_more = near & NearPatches::MORE != 0;
        near &= !NearPatches::MORE;
        while near != 0 {
            self.join_if_touching(patches, index, index - 1 - near.trailing_zeros() as usize);
            near &= near - 1;
        }
        if has_more {
            let address = self.addresses[index + NEAREST];
            let mut back = NEAREST + 1;
            while back <= index && !address.is_beyond(self.addresses[index + NEAREST - back]) {
                if address.offset_from(self.addresses[index + NEAREST - back]).is_near() {
                    self.join_if_touching(patches, index, index - back);
                }
                back += 1;
            }
        }
    }

    #[inline]
    fn join_if_touching(&mut self, patches: &[Patch], index: usize, earlier: usize) {
        let [own, other] = [index, earlier].map(|patch| self.addresses[patch + NEAREST]);
        let patterns = [earlier, index].map(|patch| patches[patch].pattern());
        let contact = Contact::new(own.offset_from(other), patterns);
        self.patterns[index] &= !contact.shared;
        if contact.is_touching {
            join(&mut self.cluster_of, index, earlier);
        }
    }

    fn add_up(&mut self, patches: &[Patch]) {
        self.clusters.resize(patches.len(), PixelCluster::default());
        let mut count = 0;
        for (index, (&patch, &pattern)) in patches.iter().zip(&self.patterns).enumerate() {
            // A parent comes before its patch, and is the index of a cluster by now.
            let parent = self.cluster_of[index] as usize;
            let is_new = parent == index;
            let known = self.cluster_of[parent];
            let cluster = if is_new { count } else { known };
            count += u32::from(is_new);
            self.cluster_of[index] = cluster;
            let cluster = &mut self.clusters[cluster as usize];
            let sums = if is_new { 0 } else { cluster.sums.0 };
            cluster.sensor = patch.sensor() as u16;
            cluster.sums = Sums(sums + Sums::of_patch(patch, pattern).0);
        }
        self.clusters.truncate(count as usize);
    }
}

/// Pixels of a patch as bits of eight columns of eight rows, at column and row 0, and those with their
/// neighbours, at column and row 1.
#[derive(Clone, Copy)]
struct PatchBits {
    own: u64,
    near: u64,
}

/// Rows of a column of bits.
const BIT_ROWS: u32 = 8;

static PATCH_BITS: [PatchBits; 1 << PATCH_PIXELS] = patch_bits();

const fn patch_bits() -> [PatchBits; 1 << PATCH_PIXELS] {
    let mut table = [PatchBits { own: 0, near: 0 }; 1 << PATCH_PIXELS];
    let mut index = 0;
    while index < PATCH_PIXELS << PATCH_PIXELS {
        let bit = index % PATCH_PIXELS;
        let pattern = index / PATCH_PIXELS;
        if pattern >> bit & 1 != 0 {
            let pixel = BIT_ROWS as usize * (bit / 2) + bit % 2;
            table[pattern].own |= 1 << pixel;
            // Three rows of three columns.
            table[pattern].near |= 0x0007_0707 << pixel;
        }
        index += 1;
    }
    table
}

/// Relation of a patch to another one near it, at its column or before.
struct Contact {
    /// True if pixels of both touch, or are the same.
    is_touching: bool,
    /// Pixels of the patch that the other has too, as its pattern.
    shared: u8,
}

impl Contact {
    /// The relation at an offset, given the patterns of the other patch and of this one.
    #[inline]
    fn new(offset: Offset, [other, own]: [usize; 2]) -> Contact {
        // The other one is at column 1 and row 1 + REACH.
        let shift = BIT_ROWS * (offset.columns() + 1) + offset.rows() + 1;
        let other = PATCH_BITS[other];
        let own = PATCH_BITS[own].own << shift;
        let shared = (own & other.own << (BIT_ROWS + 1 + REACH)) >> shift;
        Contact {
            is_touching: own & other.near << REACH != 0,
            shared: (shared | shared >> (BIT_ROWS - 2)) as u8 & 0xF,
        }
    }
}

/// The first patch of the tree of a patch; ways to it are halved.
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
    use std::collections::{BTreeMap, BTreeSet};

    use generators_common::random::hash;

    use super::*;

    fn find(patches: &[Patch]) -> EventClusters {
        let mut found = EventClusters::default();
        found.find(patches);
        found
    }

    fn single(particle: u32, column: usize, row: usize) -> Patch {
        Patch::new(0, particle).with_pixels(column, row, 1)
    }

    #[test]
    fn a_cluster_may_join_two_late() {
        // A fork that opens to lower columns.
        let fork = [(0, 0), (0, 4), (1, 0), (1, 4), (2, 1), (2, 3), (3, 2)];
        let found = find(&fork.map(|(column, row)| single(5, column, row)));
        let expected = PixelCluster { sensor: 0, sums: Sums::new(7, 9, 14) };
        assert_eq!(found.clusters, [expected]);
        assert!(found.cluster_of.iter().all(|cluster| *cluster == 0));
    }

    #[test]
    fn borders_separate() {
        let mut patches =
            vec![single(0, 0, 255), single(1, 1, 0), single(2, 2, 0), single(3, 767, 9)];
        patches.push(Patch::new(1, 4).with_pixels(0, 9, 1));
        assert_eq!(find(&patches).cluster_of, [0, 1, 1, 2, 3]);
    }

    #[test]
    fn centres_are_rounded_down() {
        let cluster = PixelCluster { sensor: 0, sums: Sums::new(3, 31, 32) };
        let [column, row] = cluster.centre(2);
        assert_eq!(column, Coordinate { pixel: 10, fraction: 1 });
        assert_eq!(row, Coordinate { pixel: 10, fraction: 2 });
        assert_eq!(cluster.centre(3)[1].fraction, 5);
    }

    /// Sums of all clusters, each with its particles: pixel by pixel.
    fn expected(patches: &[Patch]) -> Vec<([u32; 3], BTreeSet<u32>)> {
        let mut rest = BTreeMap::<_, BTreeSet<_>>::new();
        for patch in patches {
            for bit in (0..PATCH_PIXELS).filter(|bit| patch.pattern() >> bit & 1 != 0) {
                let pixel = (patch.column() + bit / 2, patch.row() + bit % 2);
                rest.entry(pixel).or_default().insert(patch.particle());
            }
        }
        let mut clusters = Vec::new();
        while let Some((first, mut particles)) = rest.pop_first() {
            let mut cluster = vec![first];
            let mut next = 0;
            while let Some(&(column, row)) = cluster.get(next) {
                for other in rest.keys().copied().collect::<Vec<_>>() {
                    if other.0.abs_diff(column) <= 1 && other.1.abs_diff(row) <= 1 {
                        particles.extend(rest.remove(&other).expect("a key"));
                        cluster.push(other);
                    }
                }
                next += 1;
            }
            let columns: usize = cluster.iter().map(|pixel| pixel.0).sum();
            let rows: usize = cluster.iter().map(|pixel| pixel.1).sum();
            clusters.push(([cluster.len(), columns, rows].map(|sum| sum as u32), particles));
        }
        clusters.sort();
        clusters
    }

    #[test]
    fn clusters_are_those_of_single_pixels() {
        for seed in 0..400 {
            let patch = |index: u64| {
                let bits = hash(seed, [index]);
                // Close together, and at the borders.
                let column = bits as usize % 20 + if bits & 1 << 60 == 0 { 0 } else { 747 };
                let row = (bits >> 8) as usize % 20 + if bits & 1 << 61 == 0 { 0 } else { 235 };
                let pattern = (bits >> 16) as usize % 15 + 1;
                Patch::new(0, index as u32 / 2).with_pixels(column, row, pattern)
            };
            let mut patches: Vec<_> = (0..seed % 60).map(patch).collect();
            patches.sort_by_key(|patch| patch.key());
            let found = find(&patches);
            let mut particles = vec![BTreeSet::new(); found.clusters.len()];
            for (patch, cluster) in patches.iter().zip(&found.cluster_of) {
                particles[*cluster as usize].insert(patch.particle());
            }
            let sums = found.clusters.iter().map(|cluster| {
                let [columns, rows] = cluster.sums.positions();
                [cluster.pixels(), columns, rows]
            });
            let mut clusters: Vec<_> = sums.zip(particles).collect();
            clusters.sort();
            assert_eq!(clusters, expected(&patches), "seed {seed}");
        }
    }
}
