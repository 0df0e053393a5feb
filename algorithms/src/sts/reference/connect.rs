//! Links between digis.

use std::ops::Range;

use generators::sts::{CHANNELS_PER_SIDE, Digi};

use crate::sts::rules::{Rules, Successors, Window};

/// For each digi of a side in order of channel and time, the index of its successor: a digi of the
/// next channel, the earliest that is within the window and, if successors are exclusive, that no
/// earlier digi of the channel has taken.
pub(super) fn successors<P: Rules>(digis: &[Digi], window: &Window) -> Vec<Option<usize>> {
    let mut successors = vec![None; digis.len()];
    for channel in 0..CHANNELS_PER_SIDE {
        let next = range_of(digis, channel + 1);
        let mut free = next.start;
        for index in range_of(digis, channel) {
            let time = digis[index].time_ns();
            let too_early = |digi: &Digi| !P::not_before(window, time, digi.time_ns());
            let earliest = next.start + digis[next.clone()].partition_point(too_early);
            let follower = match P::SUCCESSORS {
                Successors::Shared => earliest,
                Successors::Exclusive => earliest.max(free),
            };
            if follower < next.end && P::not_after(window, time, digis[follower].time_ns()) {
                successors[index] = Some(follower);
                free = follower + 1;
            }
        }
    }
    successors
}

/// Range of the digis of a channel; empty after the last channel.
fn range_of(digis: &[Digi], channel: u16) -> Range<usize> {
    if channel >= CHANNELS_PER_SIDE {
        return 0..0;
    }
    let start = digis.partition_point(|digi| digi.channel() < channel);
    start..start + digis[start..].partition_point(|digi| digi.channel() == channel)
}

#[cfg(test)]
mod tests {
    use generators::sts::Address;
    use generators::sts::setup::Setup;

    use super::*;
    use crate::sts::rules::{Exact, Published};

    fn digi(channel: u16, time: u32) -> Digi {
        Digi::new(Address::from_packed(0), channel, time, 5)
    }

    fn followers<P: Rules>(digis: &[Digi]) -> Vec<Option<usize>> {
        let setup = Setup::regular(1).expect("sensible");
        successors::<P>(digis, &Window::new(&setup))
    }

    #[test]
    fn neighbours_within_21_ns_follow_each_other_both_ends_included() {
        let digis = [digi(4, 100), digi(5, 79), digi(6, 100), digi(7, 122)];
        let expected = [Some(1), Some(2), None, None];
        assert_eq!(followers::<Exact>(&digis), expected);
        assert_eq!(followers::<Published>(&digis), expected);
    }

    #[test]
    fn nothing_follows_the_last_channel_or_skips_one() {
        let digis = [digi(0, 100), digi(2, 100), digi(1023, 100)];
        assert_eq!(followers::<Exact>(&digis), [None; 3]);
    }

    #[test]
    fn a_shared_successor_is_published_an_exclusive_one_exact() {
        let digis = [digi(4, 100), digi(4, 110), digi(5, 100), digi(5, 115)];
        assert_eq!(followers::<Published>(&digis), [Some(2), Some(2), None, None]);
        assert_eq!(followers::<Exact>(&digis), [Some(2), Some(3), None, None]);
    }

    #[test]
    fn single_precision_loses_nanoseconds_late_in_a_timeslice() {
        let late = 2_000_000_000;
        let digis = [digi(4, late), digi(5, late + 60)];
        assert_eq!(followers::<Published>(&digis), [Some(1), None]);
        assert_eq!(followers::<Exact>(&digis), [None, None]);
    }
}
