//! Emptying the caches before a sample.

use std::hint::black_box;

use algorithms::device::Team;

/// Times the last-level cache that is written: enough to displace everything
/// where the replacement is not strictly by age.
const TIMES: u64 = 2;
/// What is written where no cache is known.
const UNKNOWN_CACHE_BYTES: u64 = 64 << 20;
const LINE: usize = 64;

/// A buffer larger than the last-level caches, a part for each worker.
pub(super) struct CacheFlush {
    parts: Vec<std::sync::Mutex<Vec<u8>>>,
}

impl CacheFlush {
    /// For a team on CPUs with so many bytes of last-level cache.
    pub(super) fn new(team: &Team, last_level_bytes: u64) -> Self {
        let bytes = if last_level_bytes == 0 {
            UNKNOWN_CACHE_BYTES
        } else {
            TIMES * last_level_bytes
        };
        let part = bytes as usize / team.threads();
        let parts = (0..team.threads()).map(|_| vec![0; part].into());
        CacheFlush {
            parts: parts.collect(),
        }
    }

    /// Writes every line of the buffer, each worker its part, so that private
    /// caches are emptied too.
    pub(super) fn flush(&self, team: &Team) {
        team.run_on_each(|worker| {
            let mut part = self.parts[worker]
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            for line in part.iter_mut().step_by(LINE) {
                *line = line.wrapping_add(1);
            }
            black_box(part.as_ptr());
        });
    }
}
