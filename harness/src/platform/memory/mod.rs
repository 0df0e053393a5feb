//! Available memory, and sizes of last-level caches.

mod control_groups;
mod limits;
mod nodes;

use std::path::Path;

use algorithms::axis::parse_count;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use text::Untrusted;

use super::Topology;

/// Bytes that this process can allocate without swapping: available memory of the machine, or what
/// the limits of the process, of its control groups or of its NUMA nodes allow, if that is less.
/// Unlimited if unknown.
pub fn available_memory() -> u64 {
    let root = Path::new("/");
    let limits = [
        machine(),
        control_groups::available_bytes(root),
        nodes::available_bytes(root),
        limits::available_bytes(),
    ];
    limits.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Available memory of the machine; `None` without `/proc`, where it is reported as 0.
fn machine() -> Option<u64> {
    let wanted = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(wanted)).ok()?;
    (system.total_memory() > 0).then(|| system.available_memory())
}

/// Environment variable for the total size of the last-level caches, such as `8M`: virtual machines
/// report that of their host, of which they have a small part.
const VARIABLE: &str = "RECOBENCH_LAST_LEVEL_CACHE";

/// Total bytes of all last-level caches, as reported by the machine or set by the user, and a note
/// for readers.
pub fn last_level_bytes(topology: &Topology) -> (u64, Option<String>) {
    let setting = std::env::var(VARIABLE).ok();
    chosen(setting.as_deref(), topology.last_level_bytes())
}

fn chosen(setting: Option<&str>, known: u64) -> (u64, Option<String>) {
    let Some(setting) = setting else {
        return (known, None);
    };
    match parse_count(setting) {
        Ok(bytes) => {
            let note = format!("{VARIABLE} says {bytes} bytes, the machine {known}");
            (bytes, Some(note))
        }
        Err(problem) => {
            let note = format!("{VARIABLE} {} is ignored: {problem}", setting.quoted());
            (known, Some(note))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_settings_are_used_and_noted() {
        for (setting, expected, words) in [
            (None, 300, ""),
            (Some("8M"), 8_000_000, "says 8000000 bytes"),
            (Some("much"), 300, "is ignored"),
        ] {
            let (bytes, note) = chosen(setting, 300);
            assert_eq!((bytes, note.is_some()), (expected, setting.is_some()));
            assert!(note.unwrap_or_default().contains(words), "{setting:?}");
        }
    }
}
