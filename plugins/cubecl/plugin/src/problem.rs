//! Reasons why a variant can't run.

use std::ffi::CString;
use std::fmt;

use cudarc::driver::result::DriverError;

use crate::recobench::{FAILED, Host, OK, UNAVAILABLE};

/// Reason why a call failed.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// Not available on this machine, or not for this input.
    Unavailable(String),
    /// Something went wrong.
    Failed(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Problem::Unavailable(words) | Problem::Failed(words)) = self;
        f.write_str(words)
    }
}

impl From<DriverError> for Problem {
    fn from(error: DriverError) -> Self {
        let words = error.error_string().map(|words| words.to_string_lossy().into_owned());
        Problem::Failed(words.unwrap_or_else(|_| format!("{error:?}")))
    }
}

/// Converts a result to a return code; bench gets the reason of an error.
pub(crate) fn answer(host: &Host, result: Result<(), Problem>) -> i32 {
    let Err(problem) = result else { return OK };
    if let Ok(words) = CString::new(problem.to_string()) {
        // SAFETY: `explain` is bench's function, called with bench's host pointer during a call of
        // bench; `words` is a C string.
        unsafe { (host.explain)(host, words.as_ptr()) };
    }
    match problem {
        Problem::Unavailable(_) => UNAVAILABLE,
        Problem::Failed(_) => FAILED,
    }
}
