//! Settings of a program for plugins: an observer of their calls, to attribute failures, and the limit
//! of the memory that they may request.

use std::sync::OnceLock;

/// A function of a plugin that is called for a variant.
#[derive(Debug)]
pub struct Call {
    /// Name of the function: `prepare`, `run`, …; `load` while the library is being opened.
    pub function: &'static str,
    /// File name of the library, task, variant and function as text: `libmine.so, in run of sort
    /// my-sort`.
    pub words: String,
}

impl Call {
    pub(crate) fn new(library: &str, variant: Option<&str>, function: &'static str) -> Self {
        let of = variant.map_or(String::new(), |variant| format!(" of {variant}"));
        Call { function, words: format!("{library}, in {function}{of}") }
    }
}

/// An observer of calls. Calls come one at a time; some of them are timed.
pub trait Watch: Sync {
    /// Called before the function.
    fn enter(&self, call: &'static Call);
    /// Called after the function.
    fn leave(&self);
}

static WATCH: OnceLock<&'static dyn Watch> = OnceLock::new();

/// Sets the observer of all calls from now on. Only the first call has an effect.
pub fn set_watch(watch: &'static dyn Watch) {
    let _ = WATCH.set(watch);
}

/// Calls a plugin, with the observer notified before and after.
pub(crate) fn watched<R>(call: &'static Call, function: impl FnOnce() -> R) -> R {
    let Some(watch) = WATCH.get() else {
        return function();
    };
    watch.enter(call);
    let result = function();
    watch.leave();
    result
}

/// The calls of a variant.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) prepare: Call,
    pub(crate) memory: Call,
    pub(crate) reset: Call,
    pub(crate) run: Call,
    pub(crate) output: Call,
    pub(crate) release: Call,
}

impl Calls {
    pub(crate) fn new(library: &str, task: &str, name: &str) -> Self {
        let variant = format!("{task} {name}");
        let call = |function| Call::new(library, Some(&variant), function);
        Calls {
            prepare: call("prepare"),
            memory: call("memory"),
            reset: call("reset"),
            run: call("run"),
            output: call("output"),
            release: call("release"),
        }
    }
}

/// More than the address space of a process, and small enough that sums with it don't overflow.
const MAX_BYTES: u64 = 1 << 47;

static AVAILABLE_BYTES: OnceLock<fn() -> u64> = OnceLock::new();

/// Sets the function that returns the bytes available to plugins on the host. Only the first call
/// has an effect; without one, there is no limit.
pub fn set_available_memory(available_bytes: fn() -> u64) {
    let _ = AVAILABLE_BYTES.set(available_bytes);
}

/// Checks that a request for scratch memory can be satisfied, before any is allocated.
pub(crate) fn check_scratch(bytes: u64, is_on_host: bool) -> Result<(), String> {
    check_request("scratch memory", bytes, is_on_host)
}

/// Checks that the outputs of a task fit into the host's memory, before any is allocated.
pub(crate) fn check_outputs(bytes: u64) -> Result<(), String> {
    check_request("outputs", bytes, true)
}

fn check_request(what: &str, bytes: u64, is_on_host: bool) -> Result<(), String> {
    if bytes == 0 {
        return Ok(());
    }
    let available = AVAILABLE_BYTES
        .get()
        .filter(|_| is_on_host)
        .map_or(u64::MAX, |available_bytes| available_bytes());
    check(what, bytes, available.min(MAX_BYTES))
}

fn check(what: &str, bytes: u64, available: u64) -> Result<(), String> {
    if bytes <= available {
        return Ok(());
    }
    let [bytes, available] = [bytes, available].map(|bytes| bytes as f64 / 1e9);
    Err(format!(
        "asks for {bytes:.1} GB of {what}, but {available:.1} GB are available; ask for less, or use \
         less data"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_above_the_limit_are_refused_with_both_amounts() {
        let expected = "asks for 1099.5 GB of scratch memory, but 6.0 GB are available; ask for \
                    less, or use less data";
        assert_eq!(check("scratch memory", 1 << 40, 6_000_000_000), Err(expected.to_owned()));
        assert_eq!(check("outputs", 6_000_000_000, 6_000_000_000), Ok(()));
        // Refused although no limit is set.
        assert!(check_scratch(u64::MAX, false).is_err());
        assert_eq!(check_scratch(1 << 30, false), Ok(()));
    }
}
