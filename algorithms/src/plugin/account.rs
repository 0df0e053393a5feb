//! The memory that a plugin takes, against what it says.
//!
//! What it takes is seen from outside: on the host by what the system counts as
//! resident, on a GPU by what is no longer free. Neither is exact, so a difference has
//! to be larger than what the counters are off by.

use super::resident::{forget_peak, resident};

/// The host's counters are kept by CPU, and gathered after so many pages on each.
const LEAST_BATCH: u64 = 32;
const PAGE: u64 = 4 << 10;
/// What else comes and goes meanwhile.
const LEAST_ERROR: u64 = 1 << 20;
/// Code that a first launch loads counts as well.
const DEVICE_ERROR: u64 = 64 << 20;

/// What was said, and what was seen.
pub(super) struct Account {
    declared: u64,
    seen: u64,
    error: u64,
    counted: &'static str,
}

impl Account {
    /// On the host, with so many threads.
    pub(super) fn on_host(declared: u64, threads: usize) -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let batch = PAGE * LEAST_BATCH.max(2 * cpus);
        Account {
            declared,
            seen: 0,
            error: LEAST_ERROR.max(batch * (threads as u64 + 1)),
            counted: "were resident",
        }
    }

    pub(super) fn on_gpu(declared: u64) -> Self {
        Account {
            declared,
            seen: 0,
            error: DEVICE_ERROR,
            counted: "were taken from the GPU",
        }
    }

    /// So many bytes more are the plugin's.
    pub(super) fn see(&mut self, bytes: u64) {
        self.seen += bytes;
    }

    /// What counts: the larger one.
    pub(super) fn bytes(&self) -> u64 {
        match self.is_off() {
            true => self.seen,
            false => self.declared,
        }
    }

    /// What a reader should know.
    pub(super) fn remark(&self) -> Option<String> {
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let (declared, seen) = (megabytes(self.declared), megabytes(self.seen));
        let counted = self.counted;
        self.is_off().then(|| {
            format!("it says that it allocates {declared}, but {seen} {counted}: they count")
        })
    }

    fn is_off(&self) -> bool {
        self.seen > self.declared + self.error
    }
}

/// How much more of the process is resident than at the start, at the most.
pub(super) struct HostMeter {
    start: Option<u64>,
}

impl HostMeter {
    /// From now on.
    pub(super) fn start() -> Self {
        forget_peak();
        HostMeter {
            start: resident().map(|resident| resident.now),
        }
    }

    /// Until now.
    pub(super) fn grown(&self) -> u64 {
        let grown = |start: u64| Some(resident()?.peak.saturating_sub(start));
        self.start.and_then(grown).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_number_counts_if_the_difference_is_real() {
        let mut account = Account::on_gpu(100 << 20);
        account.see(120 << 20);
        assert_eq!((account.bytes(), account.remark()), (100 << 20, None));
        account.see(80 << 20);
        assert_eq!(account.bytes(), 200 << 20);
        let remark = account.remark().expect("a remark");
        assert!(
            remark.starts_with("it says that it allocates 104.9 MB, but 209.7 MB"),
            "{remark}"
        );
    }

    #[test]
    fn less_than_was_said_is_no_reason_to_count_less() {
        let mut account = Account::on_host(1 << 30, 2);
        account.see(1 << 20);
        assert_eq!((account.bytes(), account.remark()), (1 << 30, None));
    }
}
