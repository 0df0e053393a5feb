//! Identifiers of the clusters of each particle.

/// Bits of an identifier that name the sensor.
const SENSOR: u32 = 0xFF << 18;

/// Identifiers of the clusters of each particle, in order of sensors.
#[derive(Default)]
pub(super) struct ParticleIds {
    particles: Vec<IdRange>,
    ids: Vec<u32>,
}

/// Identifiers of a particle.
#[derive(Clone, Copy, Default)]
struct IdRange {
    start: u32,
    end: u32,
    /// The last identifier, or 0.
    last: u32,
}

/// Cluster of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParticleId {
    /// Index of the particle.
    pub particle: u32,
    /// Identifier of the cluster, which is not 0.
    pub id: u32,
}

impl ParticleIds {
    /// Removes all identifiers; particles are counted from here on.
    pub(super) fn reset(&mut self, particles: usize) {
        self.particles.clear();
        self.particles.resize(particles, IdRange::default());
    }

    /// Collects the clusters of particles in order of sensors, of which some may be there several times; once
    /// after [`ParticleIds::reset`].
    pub(super) fn collect(&mut self, clusters: impl Iterator<Item = ParticleId> + Clone) {
        for cluster in clusters.clone() {
            self.particles[cluster.particle as usize].end += 1;
        }
        let mut start = 0;
        for range in &mut self.particles {
            range.start = start;
            start += std::mem::replace(&mut range.end, start);
        }
        self.ids.resize(start as usize, 0);
        for ParticleId { particle, id } in clusters {
            let range = &mut self.particles[particle as usize];
            // Without a branch, which can't be predicted.
            self.ids[range.end as usize] = id;
            range.end += u32::from(range.last != id);
            range.last = id;
        }
    }

    /// Number of particles with a cluster.
    pub(super) fn particles(&self) -> usize {
        self.particles.iter().filter(|range| range.start < range.end).count()
    }

    /// The identifiers of a particle, each once.
    pub(super) fn of_particle(&mut self, particle: usize) -> &[u32] {
        let IdRange { start, end, .. } = self.particles[particle];
        let ids = &mut self.ids[start as usize..end as usize];
        let mut count = 0;
        for index in 0..ids.len() {
            let id = ids[index];
            // Clusters of a sensor are one after the other.
            let is_in_sensor = |other: &&u32| (*other ^ id) & SENSOR == 0;
            if !ids[..count].iter().rev().take_while(is_in_sensor).any(|other| *other == id) {
                ids[count] = id;
                count += 1;
            }
        }
        &ids[..count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_have_each_cluster_once() {
        let pairs = [(2, 7), (0, 7), (2, 7), (2, 8), (2, 7), (0, 3), (3, 3), (3, 3)];
        let clusters = pairs.into_iter().map(|(particle, id)| ParticleId { particle, id });
        let mut ids = ParticleIds::default();
        for _ in 0..2 {
            ids.reset(5);
            ids.collect(clusters.clone());
            assert_eq!(ids.particles(), 3);
            assert_eq!(ids.of_particle(0), [7, 3]);
            assert!(ids.of_particle(1).is_empty());
            assert_eq!(ids.of_particle(2), [7, 8]);
            assert_eq!(ids.of_particle(3), [3]);
            assert!(ids.of_particle(4).is_empty());
        }
    }
}
