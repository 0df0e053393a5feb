//! A worker for each side: digis of neighbouring channels are merged in order of time.

use std::ops::Range;

use generators_sts::{CHANNELS_PER_SIDE, Digi};

use super::links::Links;
use super::{ClusterFormulas, FoundClusters};
use crate::sts::Cluster;
use crate::sts::formulas::Side;
use crate::sts::rules::{Rules, Successors, Window};

/// Scratch buffers for finding clusters.
pub(in crate::sts) struct ByChannel {
    links: Links,
}

impl ByChannel {
    pub(in crate::sts) fn new() -> Self {
        ByChannel { links: Links::new() }
    }

    /// Finds the clusters of digis of one side, in order of channel and time. `clusters` has one
    /// element for each digi.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        digis: &[Digi],
        formulas: &ClusterFormulas,
        side: Side,
        clusters: &mut [Cluster],
    ) -> FoundClusters {
        self.links.clear(digis.len());
        let mut channel = 0..end_of_channel(digis, 0);
        while channel.start < digis.len() {
            let next = channel.end..end_of_channel(digis, channel.end);
            if are_neighbours(digis, &channel, &next) {
                self.connect::<P>(digis, channel, next.clone(), &formulas.window);
            }
            channel = next;
        }
        self.links.clusters::<P>(digis, formulas, side, clusters)
    }

    /// Connects two neighbouring channels by a merge: both are in order of time, so the searched
    /// indices ascend too.
    fn connect<P: Rules>(
        &mut self,
        digis: &[Digi],
        channel: Range<usize>,
        next: Range<usize>,
        window: &Window,
    ) {
        let mut follower = next.start;
        for index in channel {
            let time = digis[index].time_ns();
            while follower < next.end && !P::not_before(window, time, digis[follower].time_ns()) {
                follower += 1;
            }
            if follower == next.end {
                return;
            }
            if P::not_after(window, time, digis[follower].time_ns()) {
                self.links.link(index, follower);
                follower += usize::from(P::SUCCESSORS == Successors::Exclusive);
            }
        }
    }
}

/// End of the channel whose first digi is at `start`.
fn end_of_channel(digis: &[Digi], start: usize) -> usize {
    let Some(first) = digis.get(start) else {
        return start;
    };
    let same = |digi: &&Digi| digi.channel() == first.channel();
    start + digis[start..].iter().take_while(same).count()
}

fn are_neighbours(digis: &[Digi], channel: &Range<usize>, next: &Range<usize>) -> bool {
    let of = |index: usize| digis.get(index).map(|digi| digi.channel());
    let left = of(channel.start);
    let right = of(next.start);
    left.zip(right).is_some_and(|(left, right)| right == left + 1 && right < CHANNELS_PER_SIDE)
}
