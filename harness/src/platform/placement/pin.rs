//! Pinning a thread.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use super::places::list;

/// Restricts the calling thread to these CPUs.
///
/// # Errors
/// If the system refuses, as it does for CPUs that went away.
pub fn pin_current_thread(cpus: &[usize]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu).map_err(|_| format!("there is no CPU {cpu}"))?;
    }
    let this_thread = Pid::from_raw(0);
    sched_setaffinity(this_thread, &set)
        .map_err(|error| format!("CPUs {} can't be used: {}", list(cpus), error.desc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{current_cpu, usable_cpus};

    #[test]
    fn a_pinned_thread_is_where_it_was_pinned_to() {
        for cpu in usable_cpus() {
            let seen =
                std::thread::spawn(move || pin_current_thread(&[cpu]).map(|()| current_cpu()));
            assert_eq!(seen.join().expect("no panic"), Ok(Some(cpu)));
        }
    }

    #[test]
    fn cpus_that_are_not_there_are_named() {
        let error = pin_current_thread(&[1000]).expect_err("so many?");
        assert!(error.contains("1000"), "{error}");
        assert!(pin_current_thread(&[usize::MAX]).is_err());
    }
}
