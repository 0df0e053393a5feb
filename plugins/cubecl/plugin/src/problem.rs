//! What keeps a variant from running.

use std::ffi::CString;
use std::fmt;

use cudarc::driver::result::DriverError;

use crate::recobench::{FAILED, Host, OK, UNAVAILABLE};

/// Why a call does not do what it is for.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// Not on this machine, or not on such an input.
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

/// What a call answers; bench is told why.
pub(crate) fn answer(host: &Host, result: Result<(), Problem>) -> i32 {
    let Err(problem) = result else { return OK };
    if let Ok(words) = CString::new(problem.to_string()) {
        // SAFETY: bench's function, with what it has offered, during a call.
        unsafe { (host.explain)(host, words.as_ptr()) };
    }
    match problem {
        Problem::Unavailable(_) => UNAVAILABLE,
        Problem::Failed(_) => FAILED,
    }
}
