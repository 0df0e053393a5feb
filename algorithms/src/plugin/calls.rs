//! Calls of plugins, which can be watched to attribute failures.

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
