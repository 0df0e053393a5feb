//! Hits on sensors, and their positions and angles.

use generators_lhcb::geometry::Geometry;

use crate::velo::cpu::results::HitsMut;
use crate::velo::model::formulas::{phi16, transformed};

/// Hits on sensors, in runs of the same sensor.
#[derive(Clone, Debug, Default)]
pub struct SensorRuns {
    ids: Vec<u32>,
    /// Local x and y in mm.
    x: Vec<f32>,
    y: Vec<f32>,
    runs: Vec<Run>,
}

/// A hit on a sensor.
#[derive(Clone, Copy, Debug)]
pub struct SensorHit {
    /// The identifier.
    pub id: u32,
    /// Local x in mm.
    pub x: f32,
    /// Local y in mm.
    pub y: f32,
}

/// Hits of a sensor.
#[derive(Clone, Copy, Debug)]
struct Run {
    sensor: u16,
    /// Index after its last hit.
    end: usize,
}

impl SensorRuns {
    /// Removes all hits.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.x.clear();
        self.y.clear();
        self.runs.clear();
    }

    /// Number of hits.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Appends a hit.
    #[inline]
    pub fn push(&mut self, sensor: u16, hit: SensorHit) {
        self.ids.push(hit.id);
        self.x.push(hit.x);
        self.y.push(hit.y);
        let end = self.ids.len();
        match self.runs.last_mut() {
            Some(run) if run.sensor == sensor => run.end = end,
            _ => self.runs.push(Run { sensor, end }),
        }
    }

    /// Writes the hits with their positions and angles.
    pub fn write_to(&self, geometry: &Geometry, to: HitsMut<'_>) {
        let HitsMut { ids, x, y, z, phi } = to;
        let mut start = 0;
        for &Run { sensor, end } in &self.runs {
            let local = self.x[start..end].iter().zip(&self.y[start..end]);
            let hits = self.ids[start..end].iter().zip(local);
            let hit = |(id, (x, y)): (&u32, (&f32, &f32))| SensorHit { id: *id, x: *x, y: *y };
            let to = HitsMut {
                ids: &mut ids[start..end],
                x: &mut x[start..end],
                y: &mut y[start..end],
                z: &mut z[start..end],
                phi: &mut phi[start..end],
            };
            write_hits(geometry, sensor, hits.map(hit), to);
            start = end;
        }
    }
}

/// Writes hits of a sensor with their positions and angles.
#[inline]
pub fn write_hits(
    geometry: &Geometry,
    sensor: u16,
    hits: impl Iterator<Item = SensorHit>,
    to: HitsMut<'_>,
) {
    let HitsMut { ids, x, y, z, phi } = to;
    let to = ids.iter_mut().zip(phi).zip(x.iter_mut().zip(y).zip(z));
    for (hit, ((to_id, to_phi), ((to_x, to_y), to_z))) in hits.zip(to) {
        let [x, y, z] = transformed(geometry, sensor, [hit.x, hit.y]);
        *to_id = hit.id;
        *to_x = x;
        *to_y = y;
        *to_z = z;
        *to_phi = phi16(x, y);
    }
}
