//! Memory of a plugin, compared with its declaration.
//!
//! The memory is measured from outside: on the host as the resident memory that the system counts,
//! on a GPU as the decrease of free memory. Neither is exact, so a difference has to be larger than
//! the error of the counters.

use std::fs;
use std::sync::Arc;

use portable_gpu::Gpu;

/// The host's counters are kept per CPU, and updated after at least this number of pages on each.
const MIN_BATCH: u64 = 32;
const PAGE: u64 = 4 << 10;
/// Allocations of other code meanwhile.
const MIN_ERROR: u64 = 1 << 20;
/// Code that is loaded at the first launch counts as well.
const DEVICE_ERROR: u64 = 64 << 20;

/// Declared and measured memory of a plugin.
pub(super) struct Account {
    gpu: Option<Arc<Gpu>>,
    declared: u64,
    seen: u64,
    /// Error of the counters.
    error: u64,
    /// Resident bytes of the host, or free bytes of the GPU, at the start of the measurement.
    before: Option<u64>,
}

impl Account {
    /// Starts a measurement on a GPU, or else on the host with `threads` threads.
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

    /// Sets the plugin's declaration.
    pub(super) fn declare(&mut self, bytes: u64) {
        self.declared = bytes;
    }

    /// Starts to attribute allocations to the plugin.
    pub(super) fn watch(&mut self) {
        self.before = match &self.gpu {
            Some(gpu) => free_bytes(gpu),
            None => {
                forget_peak();
                resident("VmRSS:")
            }
        };
    }

    /// Ends a measurement and adds the allocated bytes.
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

    /// Memory that counts: the measured bytes if they exceed the declaration by more than the
    /// error, else the declared ones.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_off() { self.seen } else { self.declared }
    }

    /// Remark for readers if the measured bytes count.
    pub(super) fn remark(&self) -> Option<String> {
        let [declared, seen] = [self.declared, self.seen].map(|bytes| bytes as f64 / 1e6);
        let counted = match self.gpu {
            Some(_) => "were taken from the GPU",
            None => "were resident",
        };
        self.is_off().then(|| {
            format!(
                "it declares allocations of {declared:.1} MB, but {seen:.1} MB {counted}: they count"
            )
        })
    }

    fn is_off(&self) -> bool {
        self.seen > self.declared + self.error
    }
}

fn error_on_host(threads: usize) -> u64 {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let batch = PAGE * MIN_BATCH.max(2 * cpus);
    MIN_ERROR.max(batch * (threads as u64 + 1))
}

fn free_bytes(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}

/// Resets the peak of resident memory. Without permission it stays, and is less informative.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Resident bytes of this process: now (`VmRSS:`), or at most since [`forget_peak`] (`VmHWM:`);
/// `None` if the system does not report them.
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
    fn the_larger_value_counts_if_the_difference_is_significant() {
        let mut account = Account::open(None, 2);
        account.declare(100 << 20);
        account.seen = (100 << 20) + account.error;
        assert_eq!((account.bytes(), account.remark()), (100 << 20, None));
        account.seen = 200 << 20;
        assert_eq!(account.bytes(), 200 << 20);
        let expected =
            "it declares allocations of 104.9 MB, but 209.7 MB were resident: they count";
        assert_eq!(account.remark().as_deref(), Some(expected));
        account.seen = 1 << 20;
        assert_eq!((account.bytes(), account.remark()), (100 << 20, None));
    }

    #[test]
    fn touched_memory_is_measured() {
        if resident("VmRSS:").is_none() {
            eprintln!("skipped: this system does not report resident memory");
            return;
        }
        let mut account = Account::open(None, 1);
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        account.count();
        assert!(account.seen >= 48 << 20 && block[77] == 1);
    }
}
