//! Banks with the truth. Of particles without hits in the VELO all but these hits is read, too; hits in
//! other detectors, mothers, and numbers of tracks of vertices are neither read nor written.

use crate::truth::{Particle, ParticleFlags, Truth};

use super::bank::MAX_BODY;
use super::problem::TruthProblem;

/// Properties of a particle.
const FLAGS: usize = 9;
/// Numbers of four bytes of a particle after its properties: mother, origin, charge.
const ANCESTRY: usize = 7;
/// Key of a mother that is not known.
const NO_KEY: i32 = -1;
/// Kind of a mother that is not known.
const NO_PID: i32 = -999_999;
/// Transverse momentum, lifetime, charge that are not known.
const NO_NUMBER: f32 = -1.0;

/// Banks with the truth of an event.
#[derive(Default)]
pub(super) struct TruthBanks<'a> {
    /// Parts of the list of particles.
    particles: Vec<(u16, &'a [u8])>,
    vertices: Option<&'a [u8]>,
}

impl<'a> TruthBanks<'a> {
    /// Adds a part of the list of particles.
    pub(super) fn add_particles(&mut self, part: u16, body: &'a [u8]) {
        self.particles.push((part, body));
    }

    /// Sets the vertices.
    pub(super) fn add_vertices(&mut self, body: &'a [u8]) {
        self.vertices.get_or_insert(body);
    }

    /// Bytes of all banks.
    pub(super) fn bytes(&self) -> u64 {
        let particles = self.particles.iter().map(|(_, body)| body.len());
        (particles.sum::<usize>() + self.vertices.unwrap_or_default().len()) as u64
    }

    /// Reads the truth; `None` if there are no banks.
    pub(super) fn read(&self) -> Option<Result<Truth, TruthProblem>> {
        match (self.particles.is_empty(), self.vertices) {
            (true, None) => None,
            (true, Some(_)) => Some(Err(TruthProblem::Missing("particles"))),
            (false, None) => Some(Err(TruthProblem::Missing("vertices"))),
            (false, Some(body)) => Some(self.read_both(body)),
        }
    }

    fn read_both(&self, vertices: &[u8]) -> Result<Truth, TruthProblem> {
        let mut parts = self.particles.clone();
        parts.sort_by_key(|(part, _)| *part);
        for (expected, &(found, _)) in (0..).zip(&parts) {
            if found != expected {
                return Err(TruthProblem::Part { found, expected });
            }
        }
        let particles: Vec<_> = parts.iter().map(|(_, body)| *body).collect();
        Ok(Truth {
            particles: read_particles(&particles.concat())?,
            vertices: read_vertices(vertices)?,
        })
    }
}

/// Numbers that are read one after the other.
struct Numbers<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Numbers<'a> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TruthProblem> {
        let (bytes, rest) =
            self.rest.split_first_chunk().ok_or(TruthProblem::TooShort(self.what))?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn u32(&mut self) -> Result<u32, TruthProblem> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn i32(&mut self) -> Result<i32, TruthProblem> {
        self.bytes().map(i32::from_le_bytes)
    }

    fn f32(&mut self) -> Result<f32, TruthProblem> {
        self.bytes().map(f32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, TruthProblem> {
        self.bytes().map(f64::from_le_bytes)
    }

    /// A list after its length.
    fn list(&mut self) -> Result<&'a [[u8; 4]], TruthProblem> {
        let length = self.u32()? as usize;
        let (words, _) = self.rest.as_chunks::<4>();
        let list = words.get(..length).ok_or(TruthProblem::TooShort(self.what))?;
        self.rest = &self.rest[4 * length..];
        Ok(list)
    }

    fn end(&self) -> Result<(), TruthProblem> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(TruthProblem::TooLong { what: self.what, bytes }),
        }
    }
}

fn read_particles(bytes: &[u8]) -> Result<Vec<Particle>, TruthProblem> {
    let mut numbers = Numbers { rest: bytes, what: "particles" };
    let count = numbers.u32()?;
    // The count is not trusted: the list grows as far as there are bytes.
    let mut particles = Vec::new();
    for index in 0..count {
        particles.push(read_particle(&mut numbers, index)?);
    }
    numbers.end()?;
    Ok(particles)
}

fn read_particle(numbers: &mut Numbers<'_>, index: u32) -> Result<Particle, TruthProblem> {
    let mut particle = Particle {
        key: numbers.u32()?,
        pid: numbers.i32()?,
        p: numbers.f32()?,
        pt: numbers.f32()?,
        eta: numbers.f32()?,
        phi: numbers.f32()?,
        origin: [numbers.f32()?, numbers.f32()?, numbers.f32()?],
        ..Particle::default()
    };
    let flags = numbers.bytes::<FLAGS>()?;
    if let Some(property) = flags.iter().position(|&value| value > 1) {
        let value = flags[property];
        return Err(TruthProblem::Property { particle: index, property, value });
    }
    particle.flags = flags_from(flags.map(|value| value != 0));
    numbers.bytes::<{ 4 * ANCESTRY }>()?;
    // Vertices of the event.
    numbers.u32()?;
    particle.velo_ids = numbers.list()?.iter().map(|id| u32::from_le_bytes(*id)).collect();
    // Hits in two other detectors.
    numbers.list()?;
    numbers.list()?;
    Ok(particle)
}

fn flags_from(flags: [bool; FLAGS]) -> ParticleFlags {
    let [is_long, is_down, has_velo, has_ut, has_scifi, beauty, charm, strange, signal] = flags;
    ParticleFlags {
        is_long,
        is_down,
        has_velo,
        has_ut,
        has_scifi,
        from_beauty: beauty,
        from_charm: charm,
        from_strange: strange,
        from_signal: signal,
    }
}

fn flags_to(flags: ParticleFlags) -> [bool; FLAGS] {
    [
        flags.is_long,
        flags.is_down,
        flags.has_velo,
        flags.has_ut,
        flags.has_scifi,
        flags.from_beauty,
        flags.from_charm,
        flags.from_strange,
        flags.from_signal,
    ]
}

fn read_vertices(bytes: &[u8]) -> Result<Vec<[f64; 3]>, TruthProblem> {
    let mut numbers = Numbers { rest: bytes, what: "vertices" };
    let count = numbers.i32()?;
    let count = u32::try_from(count).map_err(|_| TruthProblem::Vertices(count))?;
    let mut vertices = Vec::new();
    for _ in 0..count {
        // Number of tracks.
        numbers.i32()?;
        vertices.push([numbers.f64()?, numbers.f64()?, numbers.f64()?]);
    }
    numbers.end()?;
    Ok(vertices)
}

/// The parts of the list of particles.
pub(super) fn particles_to_parts(truth: &Truth) -> Vec<Vec<u8>> {
    let mut bytes = (truth.particles.len() as u32).to_le_bytes().to_vec();
    for particle in &truth.particles {
        write_particle(particle, truth.vertices.len() as u32, &mut bytes);
    }
    bytes.chunks(MAX_BODY).map(<[u8]>::to_vec).collect()
}

fn write_particle(particle: &Particle, vertices: u32, to: &mut Vec<u8>) {
    to.extend(particle.key.to_le_bytes());
    to.extend(particle.pid.to_le_bytes());
    let [x, y, z] = particle.origin;
    for number in [particle.p, particle.pt, particle.eta, particle.phi, x, y, z] {
        to.extend(number.to_le_bytes());
    }
    to.extend(flags_to(particle.flags).map(u8::from));
    for number in [NO_KEY, NO_PID, NO_KEY, NO_PID] {
        to.extend(number.to_le_bytes());
    }
    for number in [NO_NUMBER; 3] {
        to.extend(number.to_le_bytes());
    }
    to.extend(vertices.to_le_bytes());
    to.extend((particle.velo_ids.len() as u32).to_le_bytes());
    to.extend(particle.velo_ids.iter().flat_map(|id| id.to_le_bytes()));
    // Hits in two other detectors.
    to.extend([0; 8]);
}

/// The body of the bank with the vertices; `None` if there are more than fit into it.
pub(super) fn vertices_to_body(truth: &Truth) -> Option<Vec<u8>> {
    let mut bytes = (truth.vertices.len() as i32).to_le_bytes().to_vec();
    for vertex in &truth.vertices {
        // Number of tracks, which is not known.
        bytes.extend(0_i32.to_le_bytes());
        bytes.extend(vertex.iter().flat_map(|coordinate| coordinate.to_le_bytes()));
    }
    (bytes.len() <= MAX_BODY).then_some(bytes)
}
