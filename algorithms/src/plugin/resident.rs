//! How much of this process is in memory, as the system counts.

use std::fs;

/// Bytes in memory now, and the most since [`forget_peak`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resident {
    pub(super) now: u64,
    pub(super) peak: u64,
}

/// What the system says; `None` where it does not tell.
pub(super) fn resident() -> Option<Resident> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(Resident {
        now: kilobytes(&status, "VmRSS:")? << 10,
        peak: kilobytes(&status, "VmHWM:")? << 10,
    })
}

/// From now on the peak is that of the time to come. Without the right to do so it
/// stays, and tells less.
pub(super) fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_is_seen() {
        let Some(before) = resident() else {
            eprintln!("skipped: this system does not tell");
            return;
        };
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = resident().expect("it told before");
        assert!(after.now >= before.now + (48 << 20), "{before:?} {after:?}");
        assert!(after.peak >= after.now && block[77] == 1);
    }
}
