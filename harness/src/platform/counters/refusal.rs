//! Why there are no counters, and what to do.

use std::io;

/// Up to here the kernel lets a process count its own user code.
const PARANOID_ENOUGH: i64 = 2;

/// Why there are no counters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The kernel is told to let nobody count.
    #[error(
        "the kernel forbids them (kernel.perf_event_paranoid is {0}); as root: sysctl \
         kernel.perf_event_paranoid=2"
    )]
    Paranoid(i64),
    /// Something else forbids the call.
    #[error(
        "perf_event_open is forbidden, as the seccomp profile of a container does; allow it, such \
         as with --cap-add=PERFMON"
    )]
    Forbidden,
    /// Nothing counts here.
    #[error(
        "this machine has no performance counters, as most virtual machines; run on the host, or \
         give it a virtual PMU"
    )]
    NoCounters,
    /// The kernel doesn't know of counters.
    #[error("this kernel has no perf_event_open")]
    NoCall,
    /// Too many files.
    #[error("too many open files: there are 7 for each thread; raise the limit: ulimit -n")]
    TooManyFiles,
    /// Something else.
    #[error("perf_event_open failed: {0}")]
    Other(String),
}

impl Refusal {
    /// What an error of the call means here.
    pub(super) fn of(error: &io::Error) -> Self {
        let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        let paranoid = text.ok().and_then(|text| text.trim().parse().ok());
        Self::by(error, paranoid)
    }

    /// The same where `kernel.perf_event_paranoid` is known.
    fn by(error: &io::Error, paranoid: Option<i64>) -> Self {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => paranoid
                .filter(|level| *level > PARANOID_ENOUGH)
                .map_or(Refusal::Forbidden, Refusal::Paranoid),
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO) => {
                Refusal::NoCounters
            }
            Some(libc::ENOSYS) => Refusal::NoCall,
            Some(libc::EMFILE | libc::ENFILE) => Refusal::TooManyFiles,
            _ => Refusal::Other(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_says_what_to_do() {
        let words = |code, paranoid| {
            let error = io::Error::from_raw_os_error(code);
            Refusal::by(&error, paranoid).to_string()
        };
        let cases = [
            (libc::EACCES, Some(4), "perf_event_paranoid is 4"),
            (libc::EPERM, Some(3), "sysctl kernel.perf_event_paranoid=2"),
            (libc::EPERM, Some(2), "--cap-add=PERFMON"),
            (libc::EACCES, None, "seccomp"),
            (libc::ENOENT, Some(2), "virtual PMU"),
            (libc::EOPNOTSUPP, Some(2), "no performance counters"),
            (libc::ENODEV, Some(2), "no performance counters"),
            (libc::ENOSYS, None, "no perf_event_open"),
            (libc::EMFILE, Some(2), "ulimit -n"),
            (libc::EINVAL, Some(2), "Invalid argument"),
        ];
        for (code, paranoid, expected) in cases {
            let text = words(code, paranoid);
            assert!(text.contains(expected), "{code}: {text}");
        }
    }
}
