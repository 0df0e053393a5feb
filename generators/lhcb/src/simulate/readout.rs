//! Words of banks, and the clusters of each particle, from the pixels of the sensors.

use crate::format::{BankFormat, BankKind};
use crate::geometry::SENSORS;
use crate::pixel::Pixel;
use crate::words::{ClusterWord, SuperPixel, fraction_bits};

use super::clusters::SensorClusters;
use super::particle_ids::ParticleIds;
use super::pixels::{EventPixels, NO_PARTICLE, PixelShare, address, particle};
use super::random::Random;
use super::super_pixels::SensorSuperPixels;

/// Version whose fractions identifiers are marked with, and that of banks without clusters.
const MARKED_VERSION: u8 = 3;
/// Version whose identifiers have no marks.
const UNMARKED_VERSION: u8 = 2;

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

/// Buffers for the sensors of an event, one after the other.
#[derive(Default)]
pub(super) struct ReadoutBuffers {
    pixels: Vec<u32>,
    clusters: SensorClusters,
    ids: Vec<u32>,
    sorted_ids: Vec<u32>,
    super_pixels: SensorSuperPixels,
    /// Words of the largest event so far.
    words_of_event: usize,
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
        random: &mut Random<'_>,
        buffers: &mut ReadoutBuffers,
        particle_ids: &mut ParticleIds,
    ) -> Banks {
        particle_ids.clear();
        pixels.sort_by_sensor();
        let mut banks = Banks {
            words: Vec::with_capacity(buffers.words_of_event),
            ends: Vec::with_capacity(self.format.banks()),
            clusters: 0,
        };
        let sensors_of_bank = SENSORS / self.format.banks();
        for first in (0..SENSORS).step_by(sensors_of_bank) {
            let start = banks.words.len();
            for sensor in first..first + sensors_of_bank {
                let shares = pixels.of_sensor(sensor);
                buffers.find_clusters(shares);
                banks.clusters += buffers.clusters.clusters.len();
                self.identify(sensor as u16, buffers);
                buffers.add_truth(shares, particle_ids);
                match self.format.kind {
                    BankKind::SuperPixel => {
                        self.add_super_pixels(sensor, random, buffers, &mut banks.words);
                    }
                    BankKind::Retina => self.add_clusters(sensor, buffers, &mut banks.words),
                }
            }
            // Several chips are read out side by side.
            random.shuffle(&mut banks.words[start..]);
            if !self.format.has_sensor_pairs() {
                let count = (banks.words.len() - start) as u32;
                banks.words.push(count);
                banks.words[start..].rotate_right(1);
            }
            banks.ends.push(banks.words.len());
        }
        buffers.words_of_event = buffers.words_of_event.max(banks.words.len());
        banks.words.shrink_to_fit();
        banks
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

    /// Finds the identifiers of the clusters of a sensor.
    fn identify(&self, sensor: u16, buffers: &mut ReadoutBuffers) {
        let version = self.fractions_version();
        let units = 1 << fraction_bits(version);
        let has_marks = version != UNMARKED_VERSION;
        let id = |cluster: &super::clusters::PixelCluster| {
            let [column, row] = cluster.centres(units);
            Pixel { sensor, column: column.pixel, row: row.pixel }.id_with_fractions(
                has_marks && column.fraction != 0,
                has_marks && row.fraction != 0,
            )
        };
        buffers.ids.clear();
        buffers.ids.extend(buffers.clusters.clusters.iter().map(id));
    }

    fn add_super_pixels(
        &self,
        sensor: usize,
        random: &mut Random<'_>,
        buffers: &mut ReadoutBuffers,
        words: &mut Vec<u32>,
    ) {
        let super_pixels = &mut buffers.super_pixels;
        super_pixels.find(&buffers.pixels);
        if self.wrong_flags > 0.0 {
            for is_isolated in &mut super_pixels.is_isolated {
                *is_isolated ^= random.chance(self.wrong_flags);
            }
        }
        let is_second_sensor = self.is_second_sensor(sensor);
        let word = |index: usize| {
            let address = super_pixels.addresses[index];
            SuperPixel {
                is_isolated: super_pixels.is_isolated[index],
                is_second_sensor,
                column: (address >> 6) as u16,
                row: (address & 0x3F) as u16,
                pattern: super_pixels.patterns[index],
            }
            .encode()
        };
        words.extend((0..super_pixels.addresses.len()).map(word));
    }

    fn add_clusters(&self, sensor: usize, buffers: &mut ReadoutBuffers, words: &mut Vec<u32>) {
        let version = self.format.version;
        let units = 1 << fraction_bits(version);
        let is_second_sensor = self.is_second_sensor(sensor);
        let has_repeated_ids = buffers.has_repeated_ids();
        for (index, cluster) in buffers.clusters.clusters.iter().enumerate() {
            // Clusters in each other may have the same centre; sorting needs one key of each.
            let id = buffers.ids[index];
            if has_repeated_ids && buffers.ids[..index].contains(&id) {
                continue;
            }
            let [column, row] = cluster.centres(units);
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
                words.push(word);
            }
        }
    }
}

impl ReadoutBuffers {
    fn find_clusters(&mut self, shares: &[PixelShare]) {
        self.pixels.clear();
        self.pixels.extend(shares.iter().map(|share| address(*share)));
        self.pixels.dedup();
        self.clusters.find(&self.pixels);
    }

    /// Adds the identifiers of the clusters to those of the particles that contributed.
    fn add_truth(&self, shares: &[PixelShare], particle_ids: &mut ParticleIds) {
        let mut pixel = 0;
        for share in shares {
            pixel += usize::from(self.pixels[pixel] != address(*share));
            let particle = particle(*share);
            if particle != NO_PARTICLE {
                particle_ids.add(particle, self.ids[self.clusters.cluster_of[pixel] as usize]);
            }
        }
    }

    fn has_repeated_ids(&mut self) -> bool {
        self.sorted_ids.clone_from(&self.ids);
        self.sorted_ids.sort_unstable();
        self.sorted_ids.windows(2).any(|pair| pair[0] == pair[1])
    }
}
