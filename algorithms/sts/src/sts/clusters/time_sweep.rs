//! One pass in order of time, with a look at both neighbouring channels.
//!
//! Digis of adjacent channels belong together if they are near in time. So only the latest digi of
//! each channel can matter to a new one, and the latest ones of all channels fit into the
//! first-level cache. Digis of a chain are close in memory, so chains are followed in cached data,
//! whatever the size of the side; and clusters come out in order of their first digis, nearly in
//! order of time, which makes the next stage fast.
//!
//! This is exact as long as no two digis of a channel are so near to each other that a third one
//! may be near both, as the dead time guarantees. Otherwise, the digis are sorted by channel, and
//! channels are merged.

use std::hint::select_unpredictable;

use generators_sts::{CHANNELS_PER_SIDE, Digi};

use super::by_channel::ByChannel;
use super::links::Links;
use super::{ClusterFormulas, FoundClusters};
use crate::sts::Cluster;
use crate::sts::data::digi_order;
use crate::sts::formulas::Side;
use crate::sts::rules::{Rules, Window};

const CHANNELS: usize = CHANNELS_PER_SIDE as usize;
/// All channels, with one beyond either end where there is never a digi.
const SLOTS: usize = CHANNELS + 2;

/// Scratch buffers for finding clusters.
pub(in crate::sts) struct TimeSweep {
    latest: Box<[Latest; SLOTS]>,
    links: Links,
    by_channel: ByChannel,
    sorted: Vec<Digi>,
}

/// The latest digi of a channel.
#[derive(Clone, Copy)]
struct Latest {
    time: u32,
    /// Index of the digi, or [`NO_INDEX`].
    index: u32,
}

const NO_INDEX: u32 = u32::MAX;
const NO_DIGI: Latest = Latest { time: 0, index: NO_INDEX };

/// Presence of two digis of a channel that may both be near a third one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crowding {
    None,
    Some,
}

impl TimeSweep {
    pub(in crate::sts) fn new() -> Self {
        TimeSweep {
            latest: Box::new([NO_DIGI; SLOTS]),
            links: Links::new(),
            by_channel: ByChannel::new(),
            sorted: Vec::new(),
        }
    }

    /// Finds the clusters of digis of one side, in order of time. `clusters` has one element for
    /// each digi.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        digis: &[Digi],
        formulas: &ClusterFormulas,
        side: Side,
        clusters: &mut [Cluster],
    ) -> FoundClusters {
        if self.connect::<P>(digis, &formulas.window) == Crowding::None {
            return self.links.clusters::<P>(digis, formulas, side, clusters);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(digis);
        self.sorted.sort_unstable_by_key(digi_order);
        let sorted = std::mem::take(&mut self.sorted);
        let found = self.by_channel.find::<P>(&sorted, formulas, side, clusters);
        self.sorted = sorted;
        found
    }

    /// Not inlined: its loop needs all registers.
    #[inline(never)]
    fn connect<P: Rules>(&mut self, digis: &[Digi], window: &Window) -> Crowding {
        // Each element is written before it is read.
        self.links.resize(digis.len());
        let latest = &mut *self.latest;
        latest.fill(NO_DIGI);
        let last = digis.last().map_or(0, |digi| digi.time_ns());
        let crowd_ns = window.crowd_ns::<P>(last);
        let Links { followers, follows, extra, .. } = &mut self.links;
        let extra = *extra;
        let followers = &mut followers[..];
        let follows = &mut follows[..];
        let mut crowded = false;
        for (index, digi) in (0..extra).zip(digis) {
            let channel = usize::from(digi.channel()) % CHANNELS;
            let time = digi.time_ns();
            let left = latest[channel];
            let right = latest[channel + 2];
            let previous = std::mem::replace(&mut latest[channel + 1], Latest { time, index });
            // Branch-free because branches would be unpredictable: without a link, the extra
            // element is written.
            crowded |= (previous.index != NO_INDEX) & (time - previous.time <= crowd_ns);
            let has_left = (left.index != NO_INDEX) & P::not_after(window, left.time, time);
            let has_right = (right.index != NO_INDEX) & P::not_before(window, time, right.time);
            let before = select_unpredictable(has_left, left.index, extra);
            let after = select_unpredictable(has_right, right.index, extra);
            followers[before as usize] = index;
            followers[index as usize] = after;
            follows[index as usize] = u8::from(has_left);
            follows[after as usize] = 1;
        }
        if crowded { Crowding::Some } else { Crowding::None }
    }
}
