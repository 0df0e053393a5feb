//! The memory that a plugin takes, against what it says.
//!
//! What it takes is seen from outside: on the host by what the system counts as
//! resident, on a GPU by what is no longer free. Neither is exact, so a difference has
//! to be larger than what the counters are off by.

use std::fs;
use std::sync::Arc;

use crate::device::gpu::Gpu;

/// The host's counters are kept by CPU, and gathered after so many pages on each.
const LEAST_BATCH: u64 = 32;
const PAGE: u64 = 4 << 10;
/// What else comes and goes meanwhile.
const LEAST_ERROR: u64 = 1 << 20;
/// Code that a first launch loads counts as well.
const DEVICE_ERROR: u64 = 64 << 20;

/// What was said, and what was seen.
pub(super) struct Account {
    gpu: Option<Arc<Gpu>>,
    declared: u64,
    seen: u64,
    /// What the counters may be off by.
    error: u64,
    /// Bytes that were resident on the host, or free on the GPU, when watching began.
    before: Option<u64>,
}

impl Account {
    /// Of a GPU, or else of the host with so many threads; watches from now on.
    pub(super) fn open(gpu: Option<&Arc<Gpu>>, threads: usize) -> Self {
        let mut account = Account {
            gpu: gpu.cloned(),
            declared: 0,
            seen: 0,
            error: gpu.map_or_else(|| error_on_host(threads), |_| DEVICE_ERROR),
            before: None,
        };
        account.watch();
        account
    }

    /// The plugin says that it takes so much.
    pub(super) fn declare(&mut self, bytes: u64) {
        self.declared = bytes;
    }

    /// From now on memory that is taken counts as the plugin's.
    pub(super) fn watch(&mut self) {
        self.before = match &self.gpu {
            Some(gpu) => free_bytes(gpu),
            None => {
                forget_peak();
                resident("VmRSS:")
            }
        };
    }

    /// What was watched is over.
    pub(super) fn count(&mut self) {
        let Some(before) = self.before.take() else {
            return;
        };
        let taken = match &self.gpu {
            Some(gpu) => free_bytes(gpu).map(|free| before.saturating_sub(free)),
            None => resident("VmHWM:").map(|peak| peak.saturating_sub(before)),
        };
        self.seen += taken.unwrap_or(0);
    }

    /// What counts: the larger one.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_off() { self.seen } else { self.declared }
    }

    /// What a reader should know.
    pub(super) fn remark(&self) -> Option<String> {
        let [declared, seen] = [self.declared, self.seen].map(|bytes| bytes as f64 / 1e6);
        let counted = match self.gpu {
            Some(_) => "were taken from the GPU",
            None => "were resident",
        };
        self.is_off().then(|| {
            format!(
                "it says that it allocates {declared:.1} MB, but {seen:.1} MB {counted}: they count"
            )
        })
    }

    fn is_off(&self) -> bool {
        self.seen > self.declared + self.error
    }
}

fn error_on_host(threads: usize) -> u64 {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let batch = PAGE * LEAST_BATCH.max(2 * cpus);
    LEAST_ERROR.max(batch * (threads as u64 + 1))
}

fn free_bytes(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}

/// From now on the peak is that of the time to come. Without the right to do so it
/// stays, and tells less.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Bytes of this process in memory: now (`VmRSS:`), or the most since [`forget_peak`]
/// (`VmHWM:`); `None` where the system does not tell.
fn resident(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_number_counts_if_the_difference_is_real() {
        let mut account = Account::open(None, 2);
        account.declare(100 << 20);
        account.seen = (100 << 20) + account.error;
        assert_eq!((account.bytes(), account.remark()), (100 << 20, None));
        account.seen = 200 << 20;
        assert_eq!(account.bytes(), 200 << 20);
        let expected = "it says that it allocates 104.9 MB, but 209.7 MB were resident: they count";
        assert_eq!(account.remark().as_deref(), Some(expected));
        account.seen = 1 << 20;
        assert_eq!((account.bytes(), account.remark()), (100 << 20, None));
    }

    #[test]
    fn what_is_touched_is_seen() {
        if resident("VmRSS:").is_none() {
            eprintln!("skipped: this system does not tell");
            return;
        }
        let mut account = Account::open(None, 1);
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        account.count();
        assert!(account.seen >= 48 << 20 && block[77] == 1);
    }
}
