//! Errors of hardware counters, with advice.

use std::io;

/// Maximum setting at which the kernel lets a process count its own user code.
const PARANOID_ENOUGH: i64 = 2;

/// Reason for missing counters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    /// The kernel is configured to permit no counters.
    #[error(
        "the kernel forbids them (kernel.perf_event_paranoid is {0}); as root: sysctl \
         kernel.perf_event_paranoid=2"
    )]
    Paranoid(i64),
    /// The call is forbidden for another reason.
    #[error(
        "perf_event_open is forbidden, as the seccomp profile of a container does; allow it, such \
         as with --cap-add=PERFMON"
    )]
    Forbidden,
    /// The hardware has no usable counters.
    #[error(
        "this machine has no performance counters, as most virtual machines; run on the host, or \
         give it a virtual PMU"
    )]
    NoCounters,
    /// The kernel has no support for counters.
    #[error("this kernel has no perf_event_open")]
    NoCall,
    /// Too many open files.
    #[error("too many open files: there are 7 for each thread; raise the limit: ulimit -n")]
    TooManyFiles,
    /// Another error.
    #[error("perf_event_open failed: {0}")]
    Other(String),
}

impl CounterError {
    /// Interprets an error of the call.
    pub(super) fn from_io_error(error: &io::Error) -> Self {
        let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
        let paranoid = text.ok().and_then(|text| text.trim().parse().ok());
        Self::with_paranoid(error, paranoid)
    }

    /// Interprets an error, given the value of `kernel.perf_event_paranoid`.
    fn with_paranoid(error: &io::Error, paranoid: Option<i64>) -> Self {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => paranoid
                .filter(|level| *level > PARANOID_ENOUGH)
                .map_or(CounterError::Forbidden, CounterError::Paranoid),
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO) => {
                CounterError::NoCounters
            }
            Some(libc::ENOSYS) => CounterError::NoCall,
            Some(libc::EMFILE | libc::ENFILE) => CounterError::TooManyFiles,
            _ => CounterError::Other(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_advice() {
        let words = |code, paranoid| {
            let error = io::Error::from_raw_os_error(code);
            CounterError::with_paranoid(&error, paranoid).to_string()
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
