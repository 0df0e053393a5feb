//! Which digi follows which, and the clusters that this makes.

use generators::sts::Digi;

use super::formulas::offset;
use super::long_chains::{LongChain, LongChains};
use super::{ClusterFormulas, Found};
use crate::sts::Cluster;
use crate::sts::formulas::Side;
use crate::sts::rules::Rules;

/// Digis whose heads of chains are listed at once.
const HEADS: usize = 256;

/// For each of many digis who follows it, and whether it follows another one. Behind
/// the last one there is a place for what concerns nobody.
pub(super) struct Links {
    pub(super) followers: Vec<u32>,
    pub(super) follows: Vec<u8>,
    /// The place behind the last digi.
    pub(super) nobody: u32,
    long: Box<LongChains>,
}

impl Links {
    pub(super) fn new() -> Self {
        Links {
            followers: Vec::new(),
            follows: Vec::new(),
            nobody: 0,
            long: Box::new(LongChains::new()),
        }
    }

    /// Room for links between so many digis, which may be any.
    pub(super) fn resize(&mut self, digis: usize) {
        self.nobody = digis as u32;
        self.followers.resize(digis + 1, self.nobody);
        self.follows.resize(digis + 1, 0);
    }

    /// No links between so many digis.
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
    ) -> Found {
        let (offset, nobody, followers) = (offset(side), self.nobody, &self.followers[..]);
        let (mut heads, mut count, mut latest_error) = ([0; HEADS], 0, 0.0_f32);
        for (first, follows) in (0..nobody).step_by(HEADS).zip(self.follows.chunks(HEADS)) {
            let follows = &follows[..follows.len().min((nobody - first) as usize)];
            for &head in list_heads(first, follows, &mut heads) {
                let (digi, next) = (digis[head as usize], followers[head as usize]);
                let cluster = if next == nobody {
                    formulas.single(digi, offset)
                } else {
                    let (second, third) = (digis[next as usize], followers[next as usize]);
                    if third == nobody {
                        formulas.pair::<P>(digi, second, offset)
                    } else {
                        let mut chain = LongChain::<P>::new([digi, second], formulas);
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
        Found { clusters: count, latest_error }
    }
}

/// Lists the digis that follow none, without a branch, as nobody could predict which they are;
/// the first one has that number.
#[inline]
fn list_heads<'h>(first: u32, follows: &[u8], heads: &'h mut [u32; HEADS]) -> &'h [u32] {
    let mut count = 0;
    for (number, &follows) in (first..).zip(follows) {
        heads[count] = number;
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
    use generators::random::mix;
    use generators::sts::Address;
    use generators::sts::setup::Setup;

    use super::*;
    use crate::sts::clusters::formulas::Chain;
    use crate::sts::rules::Exact;

    /// Chains of 1 to 7 digis that lie behind each other, each second one backwards: links, first
    /// digis, and the digis of each chain.
    fn chains(digis: &[Digi], links: &mut Links) -> Vec<(usize, Vec<Digi>)> {
        let (mut chains, mut start) = (Vec::new(), 0);
        links.clear(digis.len());
        while start < digis.len() {
            let end = digis.len().min(start + 1 + mix(start as u64) as usize % 7);
            let mut places: Vec<_> = (start..end).collect();
            if chains.len() % 2 == 1 {
                places.reverse();
            }
            places.windows(2).for_each(|pair| links.link(pair[0], pair[1]));
            chains.push((places[0], places.iter().map(|&place| digis[place]).collect()));
            start = end;
        }
        chains.sort_by_key(|(head, _)| *head);
        chains
    }

    #[test]
    fn chains_of_all_lengths_are_clusters_in_the_order_of_their_first_digis() {
        let formulas = ClusterFormulas::new(&Setup::regular(1).expect("sensible"));
        let digi = |place: u64| {
            let (bits, address) = (mix(place), Address::of_module(0));
            Digi::new(address, bits as u16 % 1000, (place * 3) as u32, (bits >> 32) as u8)
        };
        for count in [0, 1, 2, 1000] {
            let digis: Vec<_> = (0..count as u64).map(digi).collect();
            let mut links = Links::new();
            let expected = chains(&digis, &mut links);
            let mut clusters = vec![Cluster::default(); count];
            let found = links.clusters::<Exact>(&digis, &formulas, Side::Back, &mut clusters);
            let errors = clusters.iter().map(|cluster| cluster.time_error);
            let latest_error = errors.fold(0.0, f32::max);
            assert_eq!(found, Found { clusters: expected.len(), latest_error });
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
