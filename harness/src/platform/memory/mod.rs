//! How much memory there is to be had, and how much cache to be exceeded.

use algorithms::axis::parse_count;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::Topology;

/// Bytes that this process can allocate without swapping: what the machine has
/// left, or what the control group of the process has, if that is less.
/// Without knowledge, no limit.
pub fn available_memory() -> u64 {
    let wanted = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(wanted));
    let available = |system: System| {
        let group = system.cgroup_limits().map(|limits| limits.free_memory);
        system.available_memory().min(group.unwrap_or(u64::MAX))
    };
    system.map_or(u64::MAX, available)
}

/// Set to a number of bytes such as `8M`, it is taken for the size of the last-level
/// caches: virtual machines tell that of their host, of which they have a small part.
const VARIABLE: &str = "RECOBENCH_LAST_LEVEL_CACHE";

/// The bytes of all last-level caches together, by the machine or by who knows better;
/// and what a reader of results should know of it.
pub fn last_level_bytes(topology: &Topology) -> (u64, Option<String>) {
    let told = std::env::var(VARIABLE).ok();
    chosen(told.as_deref(), topology.last_level_bytes())
}

fn chosen(told: Option<&str>, known: u64) -> (u64, Option<String>) {
    let Some(told) = told else {
        return (known, None);
    };
    match parse_count(told) {
        Ok(bytes) => {
            let note = format!("{VARIABLE} says {bytes} bytes, the machine {known}");
            (bytes, Some(note))
        }
        Err(problem) => {
            let note = format!("{VARIABLE} \"{told}\" is left aside: {problem}");
            (known, Some(note))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_counts_if_it_makes_sense_and_is_noted() {
        for (told, expected, words) in [
            (None, 300, ""),
            (Some("8M"), 8_000_000, "says 8000000 bytes"),
            (Some("much"), 300, "left aside"),
        ] {
            let (bytes, note) = chosen(told, 300);
            assert_eq!((bytes, note.is_some()), (expected, told.is_some()));
            assert!(note.unwrap_or_default().contains(words), "{told:?}");
        }
    }
}
