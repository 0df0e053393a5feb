//! Calls into plugins, seen by whoever has to know where one went wrong.

use std::sync::OnceLock;

/// A function of a plugin, as it is called for a variant.
#[derive(Debug)]
pub struct Call {
    /// `prepare`, `run`, …; `load` while the library is being opened.
    pub function: &'static str,
    /// The library's file name, the task and the variant, and the function, in
    /// words: `libmine.so, in run of sort my-sort`.
    pub words: String,
}

impl Call {
    pub(crate) fn new(library: &str, variant: Option<&str>, function: &'static str) -> Self {
        let of = variant.map_or(String::new(), |variant| format!(" of {variant}"));
        Call { function, words: format!("{library}, in {function}{of}") }
    }
}

/// Somebody who wants to know when a plugin is being called. Calls come one at a
/// time, some of them timed.
pub trait Watch: Sync {
    /// The call begins.
    fn enter(&self, call: &'static Call);
    /// The call that began last is over.
    fn leave(&self);
}

static WATCH: OnceLock<&'static dyn Watch> = OnceLock::new();

/// Has all calls watched from now on. The first one who watches stays.
pub fn set_watch(watch: &'static dyn Watch) {
    let _ = WATCH.set(watch);
}

/// Calls a plugin.
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
