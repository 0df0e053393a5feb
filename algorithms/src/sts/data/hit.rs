//! Hits as the online reconstruction keeps them.

use bytemuck::{Pod, Zeroable};

use super::cluster::ascending;

/// Crossing of a particle through a module, in 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hit {
    /// Global coordinates, in cm.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// See `x`.
    pub z: f32,
    /// Time in ns.
    pub time: u32,
    /// Standard deviations of the coordinates, in cm.
    pub dx: f32,
    /// See `dx`.
    pub dy: f32,
    /// See `dx`.
    pub dz: f32,
    /// Covariance of x and y, in cm².
    pub dxy: f32,
    /// Standard deviation of the time, in ns.
    pub time_error: f32,
    /// Standard deviation across the strips of the front, in cm.
    pub du: f32,
    /// Error of the coordinate across the strips of the back.
    pub dv: f32,
    /// The full address of the module.
    pub address: u32,
}

impl Hit {
    /// Hits in an order in which equal ones only are interchangeable: by time, x, y
    /// and so on.
    pub fn order(&self) -> [u32; 12] {
        [
            self.time,
            ascending(self.x),
            ascending(self.y),
            ascending(self.z),
            ascending(self.dx),
            ascending(self.dy),
            ascending(self.dz),
            ascending(self.dxy),
            ascending(self.time_error),
            ascending(self.du),
            ascending(self.dv),
            self.address,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_as_published() {
        assert_eq!(size_of::<Hit>(), 48);
    }
}
