//! Measured bandwidths of host memory: copy, triad and stores.
//!
//! As in STREAM (McCalpin 1995): arrays much larger than the caches, best of several repetitions,
//! reads and writes counted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reports::record::Bandwidth;
use tasks::device::{HostStreams, Team};

use crate::platform::available_memory;

const REPETITIONS: usize = 6;
/// Total size of the arrays, in multiples of the last-level cache.
const TIMES_CACHE: u64 = 12;
/// Minimum array size if time is short or cache sizes are unknown. Smaller arrays are used only
/// where caches are known to be small.
const MIN_ARRAY: u64 = 64 << 20;
const MAX_ARRAY: u64 = 8 << 30;
/// Minimum number of elements per worker if memory is short.
const MIN_PART: usize = 1024;
const ARRAYS: u64 = 3;

/// Bytes of an array processed per second on a slow machine, including first use and all
/// repetitions. Used only to choose the array size for a time limit.
const ARRAY_BYTES_PER_S: f64 = 150e6;

/// Measures the bandwidth of a team. Arrays exceed `last_level_bytes` of cache, unless `time` is
/// too short for that.
pub fn measure_bandwidth(team: &Team, last_level_bytes: u64, time: Option<Duration>) -> Bandwidth {
    let bytes_in = |time: Duration| (time.as_secs_f64() * ARRAY_BYTES_PER_S) as u64;
    let within = time.map_or(u64::MAX, bytes_in);
    let parts = parts(team, last_level_bytes, within);
    let bytes: usize = parts.iter().map(|part| lock(part).array_bytes()).sum();
    Bandwidth {
        copy_bytes_per_s: 2.0 * bytes as f64 / best(team, &parts, HostStreams::copy),
        triad_bytes_per_s: 3.0 * bytes as f64 / best(team, &parts, HostStreams::triad),
        store_bytes_per_s: Some(bytes as f64 / best(team, &parts, HostStreams::store)),
        link: None,
    }
}

fn parts(team: &Team, last_level_bytes: u64, within: u64) -> Vec<Mutex<HostStreams>> {
    let required = match last_level_bytes {
        0 => MIN_ARRAY,
        known => TIMES_CACHE * known / ARRAYS,
    };
    let affordable = available_memory() / (2 * ARRAYS);
    let array = required.min(within.max(MIN_ARRAY)).min(MAX_ARRAY).min(affordable);
    let length = ((array / 8) as usize / team.threads()).max(MIN_PART);
    // Each worker allocates its own part, so that its pages are on its NUMA node.
    team.run_on_each(|_| Mutex::new(HostStreams::new(length)))
}

/// Shortest time in seconds for all workers to finish.
fn best(team: &Team, parts: &[Mutex<HostStreams>], work: fn(&mut HostStreams)) -> f64 {
    let repetition = |_| {
        let start = Instant::now();
        team.run_on_each(|worker| work(&mut lock(&parts[worker])));
        start.elapsed().as_secs_f64()
    };
    let times = (0..REPETITIONS).map(repetition);
    times.fold(f64::INFINITY, f64::min)
}

fn lock(part: &Mutex<HostStreams>) -> std::sync::MutexGuard<'_, HostStreams> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_are_plausible() {
        let team = Team::new(1).expect("a thread");
        let bandwidth = measure_bandwidth(&team, 0, None);
        let store = bandwidth.store_bytes_per_s.expect("of the host");
        for rate in [bandwidth.copy_bytes_per_s, bandwidth.triad_bytes_per_s, store] {
            assert!((1e8..1e13).contains(&rate), "{rate}");
        }
    }
}
