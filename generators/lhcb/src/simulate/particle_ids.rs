//! Identifiers of the clusters of each particle.

/// Bits of an identifier that name the sensor.
const SENSOR: u32 = 0xFF << 18;

/// Identifiers of clusters, collected sensor after sensor.
#[derive(Default)]
pub(super) struct ParticleIds {
    /// Particles and identifiers in the order in which they were added.
    pairs: Vec<ParticleId>,
    /// Identifiers by particle, with repetitions.
    ids: Vec<u32>,
    /// End of the identifiers of each particle.
    ends: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct ParticleId {
    particle: u32,
    id: u32,
}

impl ParticleIds {
    /// Removes all identifiers.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Adds a cluster of a particle, which may have been added before.
    #[inline]
    pub(super) fn add(&mut self, particle: u32, id: u32) {
        let pair = ParticleId { particle, id };
        if self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Brings the identifiers in the order of particles, of which there are `count`.
    pub(super) fn sort(&mut self, count: usize) {
        self.ends.clear();
        self.ends.resize(count, 0);
        for pair in &self.pairs {
            self.ends[pair.particle as usize] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.ids.clear();
        self.ids.resize(self.pairs.len(), 0);
        for pair in &self.pairs {
            let end = &mut self.ends[pair.particle as usize];
            self.ids[*end] = pair.id;
            *end += 1;
        }
    }

    /// Number of particles with a cluster, after [`ParticleIds::sort`].
    pub(super) fn particles(&self) -> usize {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).filter(|(start, end)| start < end).count()
    }

    /// The identifiers of a particle, each once, after [`ParticleIds::sort`]. Those of a sensor are one after
    /// the other.
    pub(super) fn of_particle(&mut self, particle: usize) -> &[u32] {
        let start = particle.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        let ids = &mut self.ids[start..self.ends[particle]];
        let mut count = 0;
        for index in 0..ids.len() {
            let id = ids[index];
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
        let mut ids = ParticleIds::default();
        for (particle, id) in [(2, 7), (0, 7), (2, 8), (2, 7), (0, 3)] {
            ids.add(particle, id);
        }
        ids.sort(4);
        assert_eq!(ids.particles(), 2);
        assert_eq!(ids.of_particle(0), [7, 3]);
        assert!(ids.of_particle(1).is_empty());
        assert_eq!(ids.of_particle(2), [7, 8]);
        assert!(ids.of_particle(3).is_empty());
    }
}
