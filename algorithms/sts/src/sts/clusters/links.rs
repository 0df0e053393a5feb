//! Links between digis, and the clusters that follow.

use generators_sts::Digi;

use super::formulas::offset;
use super::long_chains::{LongChain, LongChains};
use super::{ClusterFormulas, FoundClusters};
use crate::sts::Cluster;
use crate::sts::formulas::Side;
use crate::sts::rules::Rules;

/// Digis whose chain heads are listed together.
const HEADS: usize = 256;

/// Successor of each digi, and a flag for digis that have a predecessor. One more element at the
/// end takes the writes that concern no digi.
pub(super) struct Links {
    pub(super) followers: Vec<u32>,
    pub(super) follows: Vec<u8>,
    /// Index of the extra element after the last digi.
    pub(super) extra: u32,
    long: Box<LongChains>,
}

impl Links {
    pub(super) fn new() -> Self {
        Links {
            followers: Vec::new(),
            follows: Vec::new(),
            extra: 0,
            long: Box::new(LongChains::new()),
        }
    }

    /// Resizes the links to `digis` digis; their values are unspecified.
    pub(super) fn resize(&mut self, digis: usize) {
        self.extra = digis as u32;
        self.followers.resize(digis + 1, self.extra);
        self.follows.resize(digis + 1, 0);
    }

    /// Resets to no links between `digis` digis.
    pub(super) fn clear(&mut self, digis: usize) {
        self.followers.clear();
        self.follows.clear();
        self.resize(digis);
    }

    /// Makes `follower` follow a digi.
    #[inline]
    pub(super) fn link(&mut self, digi: usize, follower: usize) {
        self.followers[digi] = follower as u32;
        self.follows[follower] = 1;
    }

    /// Follows each chain from its first digi, in the order of first digis.
    pub(super) fn clusters<P: Rules>(
        &mut self,
        digis: &[Digi],
        formulas: &ClusterFormulas,
        side: Side,
        clusters: &mut [Cluster],
    ) -> FoundClusters {
        let offset = offset(side);
        let extra = self.extra;
        let followers = &self.followers[..];
        let mut heads = [0; HEADS];
        let mut count = 0;
        let mut latest_error = 0.0_f32;
        for (first, follows) in (0..extra).step_by(HEADS).zip(self.follows.chunks(HEADS)) {
            let follows = &follows[..follows.len().min((extra - first) as usize)];
            for &head in list_heads(first, follows, &mut heads) {
                let digi = digis[head as usize];
                let next = followers[head as usize];
                let cluster = if next == extra {
                    formulas.single(digi, offset)
                } else {
                    let second = digis[next as usize];
                    let third = followers[next as usize];
                    if third == extra {
                        formulas.pair::<P>(digi, second, offset)
                    } else {
                        let mut chain = LongChain::<P>::new(digi, second, formulas);
                        follow(third, followers, digis, |digi| chain.push(digi, formulas));
                        if self.long.is_full() {
                            self.long.finish(clusters, offset);
                        }
                        self.long.push(count, &chain);
                        chain.cluster(formulas)
                    }
                };
                latest_error = latest_error.max(cluster.time_error);
                clusters[count] = cluster;
                count += 1;
            }
        }
        self.long.finish(clusters, offset);
        FoundClusters { clusters: count, latest_error }
    }
}

/// Lists the digis without a predecessor, branch-free because the branch would be unpredictable;
/// `first` is the index of the first digi.
#[inline]
fn list_heads<'h>(first: u32, follows: &[u8], heads: &'h mut [u32; HEADS]) -> &'h [u32] {
    let mut count = 0;
    for (index, &follows) in (first..).zip(follows) {
        heads[count] = index;
        count += usize::from(follows == 0);
    }
    &heads[..count]
}

/// Hands out a digi and all that follow it.
#[inline]
fn follow(mut next: u32, followers: &[u32], digis: &[Digi], mut found: impl FnMut(Digi)) {
    while let Some(&digi) = digis.get(next as usize) {
        found(digi);
        next = followers[next as usize];
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::mix;
    use generators_sts::Address;
    use generators_sts::setup::Setup;

    use super::*;
    use crate::sts::clusters::formulas::Chain;
    use crate::sts::rules::Exact;

    /// Consecutive chains of 1 to 7 digis, every second one backwards: links, first digis, and the
    /// digis of each chain.
    fn chains(digis: &[Digi], links: &mut Links) -> Vec<(usize, Vec<Digi>)> {
        let mut chains = Vec::new();
        let mut start = 0;
        links.clear(digis.len());
        while start < digis.len() {
            let end = digis.len().min(start + 1 + mix(start as u64) as usize % 7);
            let mut indices: Vec<_> = (start..end).collect();
            if chains.len() % 2 == 1 {
                indices.reverse();
            }
            indices.windows(2).for_each(|pair| links.link(pair[0], pair[1]));
            chains.push((indices[0], indices.iter().map(|&index| digis[index]).collect()));
            start = end;
        }
        chains.sort_by_key(|(head, _)| *head);
        chains
    }

    #[test]
    fn chains_of_all_lengths_are_clusters_in_the_order_of_their_first_digis() {
        let formulas = ClusterFormulas::new(&Setup::regular(1).expect("sensible"));
        let digi = |index: u64| {
            let bits = mix(index);
            let address = Address::of_module(0);
            Digi::new(address, bits as u16 % 1000, (index * 3) as u32, (bits >> 32) as u8)
        };
        for count in [0, 1, 2, 1000] {
            let digis: Vec<_> = (0..count as u64).map(digi).collect();
            let mut links = Links::new();
            let expected = chains(&digis, &mut links);
            let mut clusters = vec![Cluster::default(); count];
            let found = links.clusters::<Exact>(&digis, &formulas, Side::Back, &mut clusters);
            let errors = clusters.iter().map(|cluster| cluster.time_error);
            let latest_error = errors.fold(0.0, f32::max);
            assert_eq!(found, FoundClusters { clusters: expected.len(), latest_error });
            for (cluster, (_, digis)) in clusters.iter().zip(expected) {
                let mut chain = Chain::new();
                digis.iter().for_each(|&digi| chain.push(digi));
                let offset = offset(Side::Back);
                let expected = formulas.cluster::<Exact>(digis[0].channel(), &chain, offset);
                assert_eq!(*cluster, expected, "{} digis", digis.len());
            }
        }
    }
}
