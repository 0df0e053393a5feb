//! Unpacking of messages: by vectors where there are kernels for the machine's instructions,
//! otherwise one by one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod blocks;

use generators_sts::Digi;
use generators_sts::raw::MicrosliceCounts;

use crate::sts_unpack::cpu::microslice;
use crate::sts_unpack::cpu::microslice::Microslice;

/// Writes the digis of a microslice to the beginning of a list, which has capacity for one per
/// message and [`SLACK`]; returns its counts.
pub(super) type Messages = fn(Microslice<'_>, &mut [Digi]) -> MicrosliceCounts;

/// Elements after the last digi that may be overwritten.
pub(super) const SLACK: usize = 16;

/// The widest that this machine has.
pub(super) fn best() -> Messages {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available().or_else(avx2::if_available) {
        return widest;
    }
    portable
}

/// One by one.
fn portable(microslice: Microslice<'_>, digis: &mut [Digi]) -> MicrosliceCounts {
    let mut slots = digis.iter_mut();
    microslice::unpack(microslice, microslice::looked_up, |digi| {
        if let Some(index) = slots.next() {
            *index = digi;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_unpack::StsUnpack;
    use crate::sts_unpack::cpu::UnpackInput;
    use crate::sts_unpack::survey::{Job, survey};
    use tasks::algorithm::Algorithm;

    /// All that this machine has, by their names.
    fn all() -> Vec<(&'static str, Messages)> {
        #[cfg(target_arch = "x86_64")]
        let wide = [("AVX2", avx2::if_available()), ("AVX-512", avx512::if_available())];
        #[cfg(not(target_arch = "x86_64"))]
        let wide = [];
        let there = |(name, messages): (_, Option<Messages>)| match messages {
            Some(messages) => Some((name, messages)),
            None => {
                eprintln!("skipped: no {name}");
                None
            }
        };
        wide.into_iter().filter_map(there).collect()
    }

    #[test]
    fn all_sets_of_instructions_make_the_same_digis() {
        for (name, input) in StsUnpack.hard_inputs(3) {
            let data = input.data();
            let tables = input.tables();
            let mut jobs = vec![Job::default(); data.microslices()];
            let jobs = survey(data, tables, input.rules(), &mut jobs).jobs;
            let bytes = data.bytes();
            let rules = input.rules();
            let input = UnpackInput { bytes, tables, rules, jobs, timeslices: &[] };
            for job in jobs {
                let Some(microslice) = input.microslice(job) else { continue };
                let mut right = vec![Digi::default(); microslice.content.len() / 4 + SLACK];
                let mut digis = right.clone();
                let counts = portable(microslice, &mut right);
                for (set, messages) in all() {
                    digis.fill(Digi::from_bits(u64::MAX));
                    let found = messages(microslice, &mut digis);
                    assert_eq!(found, counts, "{name}, {set}");
                    let count = counts.digis as usize;
                    assert!(digis[..count] == right[..count], "{name}, {set}");
                }
            }
        }
    }
}
