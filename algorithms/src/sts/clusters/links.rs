//! Which digi follows which, and the clusters that this makes.

use generators::sts::Digi;

use super::ClusterFormulas;
use super::formulas::Chain;
use crate::sts::Cluster;
use crate::sts::formulas::Side;
use crate::sts::rules::Rules;

/// Nobody follows.
pub(super) const NOBODY: u32 = u32::MAX;

/// For each of many digis who follows it, and whether it follows another one. Behind
/// the last one there is a place for what concerns nobody.
pub(super) struct Links {
    pub(super) followers: Vec<u32>,
    pub(super) follows: Vec<u8>,
    chain: Box<Chain>,
}

impl Links {
    pub(super) fn new() -> Self {
        Links {
            followers: Vec::new(),
            follows: Vec::new(),
            chain: Chain::new(),
        }
    }

    /// No links between so many digis.
    pub(super) fn clear(&mut self, digis: usize) {
        self.followers.clear();
        self.followers.resize(digis + 1, NOBODY);
        self.follows.clear();
        self.follows.resize(digis + 1, 0);
    }

    /// Makes `follower` follow a digi.
    #[inline]
    pub(super) fn link(&mut self, digi: usize, follower: usize) {
        self.followers[digi] = follower as u32;
        self.follows[follower] = 1;
    }

    /// Follows each chain from its first digi, in the order of first digis; returns
    /// the number of clusters.
    pub(super) fn clusters<P: Rules>(
        &mut self,
        digis: &[Digi],
        formulas: &ClusterFormulas,
        side: Side,
        clusters: &mut [Cluster],
    ) -> usize {
        let mut count = 0;
        for (first, digi) in digis.iter().enumerate() {
            if self.follows[first] != 0 {
                continue;
            }
            self.chain.begin();
            self.chain.push(*digi);
            let mut next = self.followers[first];
            while next != NOBODY {
                self.chain.push(digis[next as usize]);
                next = self.followers[next as usize];
            }
            clusters[count] = formulas.cluster::<P>(digi.channel(), &self.chain, side);
            count += 1;
        }
        count
    }
}
