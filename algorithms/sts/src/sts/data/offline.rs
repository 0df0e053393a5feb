//! Digis, clusters and hits as the offline reconstruction keeps them: objects in double precision
//! with references to their inputs.
//!
//! Some of their bytes belong to the base classes of the experiment's objects. They are included
//! and moved, as in the experiment.

use generators_sts::Digi;

/// A digi before it is packed, in 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct OfflineDigi {
    /// Time in ns.
    pub time: u64,
    /// The full address of the module.
    pub address: u32,
    /// Channel on its side.
    pub channel: u16,
    /// Charge in ADC units.
    pub adc: u16,
}

/// A cluster, in 112 bytes.
#[derive(Clone, Debug, Default, PartialEq)]
#[repr(C)]
pub struct OfflineCluster {
    pub(crate) base: [u64; 5],
    /// Indices of its digis among the digis of the side in order of time.
    pub digis: Vec<u32>,
    /// Charge in electrons.
    pub charge: f64,
    /// Centre in channels; on the back side, 1024 more.
    pub position: f64,
    /// Its standard deviation, in channels.
    pub position_error: f64,
    /// Time in ns.
    pub time: f64,
    /// Its standard deviation, in ns.
    pub time_error: f64,
    /// Number of strips.
    pub size: u32,
    /// The full address of the module.
    pub address: u32,
}

/// A hit, in 136 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct OfflineHit {
    pub(in crate::sts) base: [u64; 4],
    /// Global coordinates, in cm.
    pub x: f64,
    /// See `x`.
    pub y: f64,
    /// See `x`.
    pub z: f64,
    /// Standard deviations of the coordinates, in cm.
    pub dx: f64,
    /// See `dx`.
    pub dy: f64,
    /// See `dx`.
    pub dz: f64,
    /// Covariance of x and y, in cm².
    pub dxy: f64,
    /// Time in ns.
    pub time: f64,
    /// Its standard deviation, in ns.
    pub time_error: f64,
    /// Standard deviation across the strips of the front, in cm.
    pub du: f64,
    /// Error of the coordinate across the strips of the back.
    pub dv: f64,
    /// The full address of the module.
    pub address: u32,
    /// Index of the front's cluster among those of its side.
    pub front: u32,
    /// Index of the back's cluster among those of its side.
    pub back: u32,
    pub(in crate::sts) kind: u32,
}

impl From<Digi> for OfflineDigi {
    fn from(digi: Digi) -> Self {
        OfflineDigi {
            time: u64::from(digi.time_ns()),
            address: digi.address().full(),
            channel: digi.channel(),
            adc: u16::from(digi.adc()),
        }
    }
}

impl OfflineDigi {
    /// Order of digis of a module side in which clusters are found: by time, then by channel and
    /// charge, so that it is deterministic.
    pub fn order(&self) -> (u64, u16, u16) {
        (self.time, self.channel, self.adc)
    }
}

impl OfflineCluster {
    /// Clusters in an order in which equal ones only are interchangeable.
    pub fn order(&self) -> [u64; 6] {
        [
            ascending(self.time),
            ascending(self.position),
            ascending(self.charge),
            u64::from(self.size),
            ascending(self.position_error),
            ascending(self.time_error),
        ]
    }
}

impl OfflineHit {
    /// A total order of hits. The indices of a hit's clusters are not part of it.
    pub fn order(&self) -> [u64; 12] {
        [
            ascending(self.time),
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
            u64::from(self.address),
        ]
    }
}

/// Bits whose order is that of the values; distinct for distinct bit patterns.
fn ascending(value: f64) -> u64 {
    let bits = value.to_bits();
    let sign = 1 << 63;
    if bits & sign == 0 { bits | sign } else { !bits }
}

// Sizes are as published.
const _: () = assert!(size_of::<OfflineDigi>() == 16 && size_of::<OfflineCluster>() == 112);
const _: () = assert!(size_of::<OfflineHit>() == 136);
