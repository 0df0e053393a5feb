//! Tests on the emulator: segments, groups and tiles of all sizes.

use generators_common::partition::Partition;
use generators_common::random::mix;

use portable_gpu::emulator::{self, Config};

use super::*;
use crate::kernels::sts_sort_channel_bucket::{CHANNEL_BITS, CHANNEL_SHIFT};

const CHANNELS: u64 = (1 << CHANNEL_BITS) - 1;
const TIMES: u64 = (1 << 31) - 1;

/// `count` digis of any channel and charge, with times `time(random number)`.
fn digis(count: u64, time: impl Fn(u64) -> u64) -> Vec<u64> {
    let one = |index| (mix(index) & !TIMES) | (time(mix(!index)) & TIMES);
    (0..count).map(one).collect()
}

/// Channel and time.
fn key(digi: u64) -> (u64, u64) {
    (digi >> CHANNEL_SHIFT & CHANNELS, digi & TIMES)
}

/// The two halves of some digis.
fn halves(digis: &[u64]) -> Partition {
    Partition::from_lengths([digis.len() / 2, digis.len() - digis.len() / 2])
}

fn sorted(gpu: &Gpu, mut sort: ChannelBucket, digis: &[u64]) -> Vec<u64> {
    gpu.upload(&sort.digis, digis).expect("a copy");
    sort.sort(gpu).expect("an order");
    let mut sorted = vec![0; digis.len()];
    gpu.download(&mut sorted[..], &sort.digis).expect("a copy");
    gpu.wait().expect("an end");
    sorted
}

/// Random digis, some of the same channel and time, many at nearly the same time, so that bins
/// do not help, and those of one channel.
fn hard() -> [Vec<u64>; 4] {
    let any = digis(70_000, |any| any);
    let equal = digis(70_000, |any| any % 10_000);
    let crowded = digis(70_000, |any| any % 3);
    let of_one_channel = any.iter().map(|digi| digi & !(CHANNELS << CHANNEL_SHIFT)).collect();
    [any, equal, crowded, of_one_channel]
}

#[test]
fn large_groups_are_sorted() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    for mut digis in hard() {
        let partition = halves(&digis);
        let mut sort = ChannelBucket::new(&gpu, &partition).expect("enough space");
        sort.tables.regions.widen_from(1000);
        let mut sorted = sorted(&gpu, sort, &digis);
        for segment in partition.split(&sorted) {
            assert!(segment.is_sorted_by_key(|&digi| key(digi)));
        }
        sorted.sort_unstable();
        digis.sort_unstable();
        assert!(sorted == digis, "digis are missing, or others came");
    }
}

#[test]
fn large_tiles_and_groups_keep_the_order_of_arrival() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    for digis in hard() {
        let partition = halves(&digis);
        let mut sort = ChannelBucket::stable(&gpu, &partition).expect("enough space");
        sort.tables.regions.widen_from(1000);
        sort.tables.regions.enlarge_tiles();
        let mut expected = digis.clone();
        let (first, second) = expected.split_at_mut(digis.len() / 2);
        first.sort_by_key(|&digi| key(digi));
        second.sort_by_key(|&digi| key(digi));
        assert!(sorted(&gpu, sort, &digis) == expected);
    }
}
