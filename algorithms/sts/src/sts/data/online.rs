//! Clusters and hits as the online reconstruction keeps them.

use bytemuck::{Pod, Zeroable};

/// Neighbouring digis of a module side from one particle, in 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Cluster {
    /// Charge in electrons.
    pub charge: f32,
    /// Number of strips.
    pub size: i32,
    /// Centre in channels; on the back side, 1024 more.
    pub position: f32,
    /// Its standard deviation, in channels.
    pub position_error: f32,
    /// Time in ns.
    pub time: u32,
    /// Its standard deviation, in ns.
    pub time_error: f32,
}

/// Sort key of a cluster: its time and index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClusterEntry {
    /// Time of the cluster in ns.
    pub time: u32,
    /// Index of the cluster in its segment.
    pub index: u32,
}

impl Cluster {
    /// A total order of clusters: by time, position, charge, size and errors. Unlike the values
    /// themselves, the key distinguishes all bit patterns.
    pub fn order(&self) -> [u32; 6] {
        [
            self.time,
            ascending(self.position),
            ascending(self.charge),
            self.size as u32,
            ascending(self.position_error),
            ascending(self.time_error),
        ]
    }
}

/// Bits whose order is that of the values; distinct for distinct bit patterns.
pub(super) fn ascending(value: f32) -> u32 {
    let bits = value.to_bits();
    let sign = 1 << 31;
    if bits & sign == 0 { bits | sign } else { !bits }
}

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

// Sizes are as published.
const _: () = assert!(size_of::<Cluster>() == 24 && size_of::<ClusterEntry>() == 8);
const _: () = assert!(size_of::<Hit>() == 48);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_the_order_of_values() {
        let numbers = [f32::NEG_INFINITY, -2.0, -1e-30, -0.0, 0.0, 1e-30, 1.0, 3e38];
        assert!(numbers.map(ascending).is_sorted());
        assert_ne!(ascending(0.0), ascending(-0.0));
    }
}
