//! Flags that count before a command line is understood.

use std::ffi::{OsStr, OsString};

/// The last value of a flag, if it has one.
pub(super) fn last_value(arguments: &[OsString], flag: &str) -> Option<OsString> {
    let mut arguments = arguments.iter().take_while(|it| *it != OsStr::new("--"));
    let mut last = None;
    while let Some(argument) = arguments.next() {
        if argument == OsStr::new(flag) {
            last = arguments.next().cloned().or(last);
        } else if let Some(value) = argument.to_str().and_then(|it| it.strip_prefix(flag)) {
            last = value.strip_prefix('=').map(OsString::from).or(last);
        }
    }
    last
}
