//! CPU affinity of the process and of threads, current CPU, and CPU time.

use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use super::placement::list;

/// CPUs in the inherited affinity mask, in ascending order.
pub fn usable_cpus() -> Vec<usize> {
    let in_mask = |mask: CpuSet| -> Vec<usize> {
        let is_set = |&cpu: &usize| mask.is_set(cpu).unwrap_or(false);
        (0..CpuSet::count()).filter(is_set).collect()
    };
    match sched_getaffinity(Pid::from_raw(0)).map(in_mask) {
        Ok(cpus) if !cpus.is_empty() => cpus,
        // A machine with more CPUs than a mask has bits, or an unusual system: see `assumption`.
        _ => assumed_cpus(),
    }
}

/// A note if the system does not report the CPUs of this process.
pub fn assumption() -> Option<String> {
    let error = sched_getaffinity(Pid::from_raw(0)).err()?;
    Some(format!(
        "the CPUs that may be used are not known ({}): the first {} are assumed, and may be others \
         than this process runs on; name them by --places",
        error.desc(),
        assumed_cpus().len()
    ))
}

/// CPUs up to the number that the standard library reports.
pub(super) fn assumed_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

/// Number of CPUs in the inherited affinity mask.
pub fn usable_threads() -> usize {
    usable_cpus().len()
}

/// CPU that the calling thread currently runs on.
pub fn current_cpu() -> Option<usize> {
    nix::sched::sched_getcpu().ok()
}

/// CPU time of the calling thread, if available.
pub fn thread_time() -> Option<Duration> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.ok().map(Duration::from)
}

/// CPU time of all threads of this process, if available.
pub fn process_time() -> Option<Duration> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.ok().map(Duration::from)
}

/// CPU time of another process; `None` if it has ended or the time is not available.
pub fn process_time_of(process: u32) -> Option<Duration> {
    let process = Pid::from_raw(i32::try_from(process).ok()?);
    let time = clock_getcpuclockid(process).and_then(clock_gettime);
    time.ok().map(Duration::from)
}

/// Binds the calling thread to these CPUs.
pub(crate) fn pin_current_thread(cpus: &[usize]) -> Result<(), String> {
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

    #[test]
    fn a_pinned_thread_is_where_it_was_pinned_to() {
        for cpu in usable_cpus() {
            let pinned = move || pin_current_thread(&[cpu]).map(|()| current_cpu());
            let seen = std::thread::spawn(pinned);
            assert_eq!(seen.join().expect("no panic"), Ok(Some(cpu)));
        }
    }

    #[test]
    fn cpu_time_of_other_processes_is_available() {
        let [before, own, after] = [
            process_time().expect("available"),
            process_time_of(std::process::id()).expect("available"),
            process_time().expect("available"),
        ];
        assert!(before <= own && own <= after, "{before:?} {own:?} {after:?}");
        assert_eq!(process_time_of(u32::MAX), None);
    }

    #[test]
    fn missing_cpus_are_named() {
        let error = pin_current_thread(&[1000]).expect_err("no such CPU");
        assert!(error.contains("1000"), "{error}");
        assert!(pin_current_thread(&[usize::MAX]).is_err());
    }
}
