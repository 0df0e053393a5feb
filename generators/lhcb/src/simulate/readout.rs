//! Words of banks, and the clusters of each particle, from the pixels of the sensors.

use crate::format::{BankFormat, BankKind};
use crate::geometry::SENSORS;
use crate::pixel::Pixel;
use crate::words::{ClusterWord, SuperPixel, fraction_bits};

use super::clusters::{EventClusters, PixelCluster};
use super::particle_ids::{ParticleId, ParticleIds};
use super::patch::{NO_PARTICLE, Patch};
use super::pixels::EventPixels;
use super::random::Random;
use super::super_pixels::SensorSuperPixels;

/// Version whose fractions identifiers are marked with, and that of banks without clusters.
const MARKED_VERSION: u8 = 3;
/// Version whose identifiers have no marks.
const UNMARKED_VERSION: u8 = 2;
/// Pixels of clusters that can't enclose another one.
const MAX_OPEN: u32 = 4;

/// Content of the banks of an event.
#[derive(Default)]
pub(super) struct Banks {
    /// Words of all banks, with the counts of words.
    pub words: Vec<u32>,
    /// End of the words of each bank.
    pub ends: Vec<usize>,
    /// Clusters of all sensors.
    pub clusters: usize,
}

/// Buffers for events, one after the other.
#[derive(Default)]
pub(super) struct ReadoutBuffers {
    clusters: EventClusters,
    /// Identifier of each cluster.
    ids: Vec<u32>,
    super_pixels: SensorSuperPixels,
    words: Vec<u32>,
}

/// Readout of events into banks.
#[derive(Clone, Copy)]
pub(super) struct Readout {
    /// Content and version of the banks.
    pub format: BankFormat,
    /// Share of the super-pixels whose mark as isolated is inverted.
    pub wrong_flags: f32,
}

impl Readout {
    /// Makes the banks of an event, and adds the identifiers of clusters to those of each particle.
    pub(super) fn read(
        &self,
        pixels: &mut EventPixels,
        random: &mut Random,
        buffers: &mut ReadoutBuffers,
        particle_ids: &mut ParticleIds,
    ) -> Banks {
        let patches = pixels.sort();
        buffers.clusters.find(patches);
        self.identify(buffers);
        buffers.add_truth(patches, particle_ids);
        buffers.words.clear();
        let mut ends = Vec::with_capacity(self.format.banks());
        let mut content = match self.format.kind {
            BankKind::SuperPixel => Content::SuperPixels(patches),
            BankKind::Retina => Content::Clusters(0),
        };
        let sensors_of_bank = SENSORS / self.format.banks();
        for first in (0..SENSORS).step_by(sensors_of_bank) {
            let start = buffers.words.len();
            if !self.format.has_sensor_pairs() {
                buffers.words.push(0);
            }
            let first_word = buffers.words.len();
            for sensor in first..first + sensors_of_bank {
                match &mut content {
                    Content::SuperPixels(rest) => {
                        self.add_super_pixels(sensor, rest, random, buffers);
                    }
                    Content::Clusters(next) => self.add_clusters(sensor, next, buffers),
                }
            }
            // Several chips are read out side by side.
            random.shuffle(&mut buffers.words[first_word..]);
            if first_word > start {
                buffers.words[start] = (buffers.words.len() - first_word) as u32;
            }
            ends.push(buffers.words.len());
        }
        let clusters = buffers.clusters.clusters.len();
        Banks { words: buffers.words.clone(), ends, clusters }
    }

    /// Version of the fractions of clusters.
    fn fractions_version(&self) -> u8 {
        match self.format.kind {
            BankKind::SuperPixel => MARKED_VERSION,
            BankKind::Retina => self.format.version,
        }
    }

    /// True for the second sensor of a bank.
    fn is_second_sensor(&self, sensor: usize) -> bool {
        self.format.has_sensor_pairs() && sensor % 2 == 1
    }

    /// Finds the identifiers of all clusters.
    fn identify(&self, buffers: &mut ReadoutBuffers) {
        let version = self.fractions_version();
        let unit_bits = fraction_bits(version);
        let has_marks = version != UNMARKED_VERSION;
        buffers.ids.clear();
        buffers.ids.extend(buffers.clusters.clusters.iter().map(|cluster| {
            let [column, row] = cluster.centre(unit_bits);
            Pixel { sensor: cluster.sensor, column: column.pixel, row: row.pixel }
                .id_with_fractions(
                    has_marks && column.fraction != 0,
                    has_marks && row.fraction != 0,
                )
        }));
    }

    /// Adds the words of a sensor, whose patches are the first of the rest.
    fn add_super_pixels(
        &self,
        sensor: usize,
        rest: &mut &[Patch],
        random: &mut Random,
        buffers: &mut ReadoutBuffers,
    ) {
        let count = rest.iter().take_while(|patch| patch.sensor() == sensor).count();
        let (patches, others) = rest.split_at(count);
        *rest = others;
        let start = buffers.words.len();
        buffers.super_pixels.add_words(patches, &mut buffers.words);
        let words = &mut buffers.words[start..];
        if self.is_second_sensor(sensor) {
            words.iter_mut().for_each(|word| *word |= SuperPixel::SECOND_SENSOR);
        }
        if self.wrong_flags > 0.0 {
            let is_wrong = |_: &&mut u32| random.chance(self.wrong_flags);
            words.iter_mut().filter(is_wrong).for_each(|word| *word ^= SuperPixel::ISOLATED);
        }
    }

    /// Adds the words of a sensor, given the index of its first cluster.
    fn add_clusters(&self, sensor: usize, next: &mut usize, buffers: &mut ReadoutBuffers) {
        let version = self.format.version;
        let is_second_sensor = self.is_second_sensor(sensor);
        let first = *next;
        let is_own = |cluster: &&PixelCluster| usize::from(cluster.sensor) == sensor;
        let all = &buffers.clusters.clusters[first..];
        let clusters = &all[..all.iter().take_while(is_own).count()];
        *next = first + clusters.len();
        let ids = &buffers.ids[first..*next];
        // Clusters in each other may have the same centre; sorting needs one key of each.
        let may_repeat = clusters.iter().any(|cluster| cluster.pixels() > MAX_OPEN);
        for (index, cluster) in clusters.iter().enumerate() {
            if may_repeat && ids[..index].contains(&ids[index]) {
                continue;
            }
            let [column, row] = cluster.centre(fraction_bits(version));
            let word = ClusterWord {
                is_second_sensor,
                column: column.pixel,
                column_fraction: column.fraction,
                row: row.pixel,
                row_fraction: row.fraction,
            }
            .encode(version);
            // The word 0 is no cluster.
            if word != 0 {
                buffers.words.push(word);
            }
        }
    }
}

/// Content of the banks that are not made yet.
enum Content<'a> {
    /// Patches of their sensors.
    SuperPixels(&'a [Patch]),
    /// Index of the first cluster.
    Clusters(usize),
}

impl ReadoutBuffers {
    /// Adds the identifiers of the clusters to those of the particles that contributed.
    fn add_truth(&self, patches: &[Patch], particle_ids: &mut ParticleIds) {
        let clusters = patches.iter().zip(&self.clusters.cluster_of);
        let of_particles = clusters.filter(|(patch, _)| patch.particle() != NO_PARTICLE);
        particle_ids.collect(of_particles.map(|(patch, cluster)| ParticleId {
            particle: patch.particle(),
            id: self.ids[*cluster as usize],
        }));
    }
}
