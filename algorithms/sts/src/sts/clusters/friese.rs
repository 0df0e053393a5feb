//! In order of time, one active digi per channel: the offline reconstruction.
//!
//! After V. Friese: a first pass groups digis into clusters and stores their indices, a second one
//! computes the clusters' properties. Objects, lists and maps are those of the experiment's code.

use std::collections::BTreeMap;
use std::ops::Range;

use generators_sts::setup::{Asic, Setup};
use generators_sts::{CHANNELS_PER_SIDE, MAX_ADC};

use crate::sts::formulas::{ChargeModel, Shapes, Side, charge, digi_window, variance};
use crate::sts::{OfflineCluster, OfflineDigi};

const CHANNELS: usize = CHANNELS_PER_SIDE as usize;

/// The finder for one side at a time.
pub(in crate::sts) struct Friese {
    shapes: Shapes<f64, LandauMap>,
    window: f64,
    active: Vec<Option<Active>>,
    /// For the second pass.
    adcs: Vec<u8>,
}

/// The digi that a channel is waiting with.
#[derive(Clone, Copy)]
struct Active {
    time: u64,
    index: u32,
}

impl Friese {
    pub(in crate::sts) fn new(setup: &Setup) -> Self {
        Friese {
            shapes: Shapes::with_charges(setup, LandauMap::new(setup)),
            window: digi_window(setup),
            active: vec![None; CHANNELS],
            adcs: Vec::new(),
        }
    }

    /// The clusters of digis of one side, in order of time.
    pub(in crate::sts) fn find(
        &mut self,
        digis: &[OfflineDigi],
        side: Side,
    ) -> Vec<OfflineCluster> {
        let mut clusters = Vec::new();
        for (index, digi) in digis.iter().enumerate() {
            self.take(digi, index as u32, &mut clusters);
        }
        for channel in 0..CHANNELS {
            self.close(channel, &mut clusters);
        }
        for cluster in &mut clusters {
            self.analyse(cluster, digis, side);
        }
        clusters
    }

    /// The first pass: a second digi within the window of its channel is dropped; any other one
    /// closes the clusters that are out of the window in its own channel and in the neighbouring
    /// ones.
    fn take(&mut self, digi: &OfflineDigi, index: u32, clusters: &mut Vec<OfflineCluster>) {
        let channel = usize::from(digi.channel);
        if let Some(active) = self.active[channel] {
            if self.is_near(active, digi) {
                return;
            }
            self.close(channel, clusters);
        }
        let neighbours = channel.saturating_sub(1)..CHANNELS.min(channel + 2);
        for neighbour in neighbours {
            if self.active[neighbour].is_some_and(|active| !self.is_near(active, digi)) {
                self.close(neighbour, clusters);
            }
        }
        self.active[channel] = Some(Active { time: digi.time, index });
    }

    fn is_near(&self, active: Active, digi: &OfflineDigi) -> bool {
        digi.time as f64 - active.time as f64 <= self.window
    }

    /// Stores the cluster that a channel is in, if it has an active digi.
    // Checked without a call, because most channels have none, especially at the end of a side.
    #[inline]
    fn close(&mut self, channel: usize, clusters: &mut Vec<OfflineCluster>) {
        if self.active[channel].is_some() {
            self.store(channel, clusters);
        }
    }

    /// Stores the indices of the active digis around an active channel as a cluster.
    fn store(&mut self, channel: usize, clusters: &mut Vec<OfflineCluster>) {
        let channels = self.active_around(channel);
        let active = &mut self.active[channels];
        let digis = active.iter_mut().filter_map(Option::take);
        clusters.push(OfflineCluster {
            digis: digis.map(|active| active.index).collect(),
            ..OfflineCluster::default()
        });
    }

    /// The active channels that are connected with this active one.
    fn active_around(&self, channel: usize) -> Range<usize> {
        let is_active = |channel: &usize| self.active[*channel].is_some();
        let below = (0..channel).rev().take_while(is_active).count();
        let above = (channel..CHANNELS).take_while(is_active).count();
        channel - below..channel + above
    }

    /// The second pass.
    fn analyse(&mut self, cluster: &mut OfflineCluster, digis: &[OfflineDigi], side: Side) {
        let of = |&index: &u32| &digis[index as usize];
        let Some(first) = cluster.digis.first().map(of) else {
            return;
        };
        self.adcs.clear();
        self.adcs.extend(cluster.digis.iter().map(|index| of(index).adc as u8));
        let shape = self.shapes.shape(first.channel, &self.adcs);
        let offset = match side {
            Side::Front => 0.0,
            Side::Back => f64::from(CHANNELS_PER_SIDE),
        };
        let times = cluster.digis.iter().map(|index| of(index).time as f64);
        cluster.time = times.sum::<f64>() / cluster.digis.len() as f64;
        cluster.time_error = self.shapes.time_error(cluster.digis.len());
        cluster.charge = shape.charge;
        cluster.position = shape.position + offset;
        cluster.position_error = shape.position_error;
        cluster.size = cluster.digis.len() as u32;
        cluster.address = first.address;
    }
}

/// The widths of the distribution of charges, by charge, in a tree.
struct LandauMap {
    asic: Asic,
    /// Keyed by the bits of the charge, which have the same order as charges.
    widths: BTreeMap<u64, f64>,
}

impl LandauMap {
    fn new(setup: &Setup) -> Self {
        let landau = setup.landau();
        let entries = landau.values.iter().enumerate();
        let entry =
            |(index, &width): (usize, &f64)| ((landau.step_size * index as f64).to_bits(), width);
        LandauMap { asic: setup.asic().clone(), widths: entries.map(entry).collect() }
    }

    fn width(&self, charge: f64) -> f64 {
        let number = |(&bits, &width): (&u64, &f64)| (f64::from_bits(bits), width);
        let above = self.widths.range(charge.to_bits()..).next().map(number);
        let below = self.widths.range(..charge.to_bits()).next_back().map(number);
        match (below, above) {
            (Some((left, low)), Some((right, high))) => {
                low + (charge - left) * (high - low) / (right - left)
            }
            (Some((_, width)), None) | (None, Some((_, width))) => width,
            (None, None) => 0.0,
        }
    }
}

impl ChargeModel<f64> for LandauMap {
    fn charge(&self, adc: u8) -> f64 {
        charge(&self.asic, adc & MAX_ADC)
    }

    fn variance(&self, adc: u8) -> f64 {
        variance(&self.asic, self.width(self.charge(adc)))
    }
}
