//! Clusters as the online reconstruction keeps them.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_published() {
        assert_eq!(size_of::<Cluster>(), 24);
        assert_eq!(size_of::<ClusterEntry>(), 8);
    }

    #[test]
    fn bits_have_the_order_of_values() {
        let numbers = [f32::NEG_INFINITY, -2.0, -1e-30, -0.0, 0.0, 1e-30, 1.0, 3e38];
        assert!(numbers.map(ascending).is_sorted());
        assert_ne!(ascending(0.0), ascending(-0.0));
    }
}
