//! Which digi follows which, and the clusters that this makes.

use generators::sts::Digi;

use super::ClusterFormulas;
use super::formulas::{Chain, offset};
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
        Links { followers: Vec::new(), follows: Vec::new(), chain: Chain::new() }
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
        let (offset, mut count) = (offset(side), 0);
        let heads = digis.iter().zip(&self.followers).zip(&self.follows);
        for ((&digi, &next), &follows) in heads {
            if follows != 0 {
                continue;
            }
            clusters[count] = if next == NOBODY {
                formulas.single(digi, offset)
            } else {
                let second = digis[next as usize];
                match self.followers[next as usize] {
                    NOBODY => formulas.pair::<P>(digi, second, offset),
                    third => {
                        self.chain.begin();
                        self.chain.push(digi);
                        self.chain.push(second);
                        follow(third, &self.followers, digis, &mut self.chain);
                        formulas.cluster::<P>(digi.channel(), &self.chain, offset)
                    }
                }
            };
            count += 1;
        }
        count
    }
}

/// Adds a digi and all that follow it.
#[inline]
fn follow(mut next: u32, followers: &[u32], digis: &[Digi], chain: &mut Chain) {
    while next != NOBODY {
        chain.push(digis[next as usize]);
        next = followers[next as usize];
    }
}
