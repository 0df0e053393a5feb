//! Report of a process with plugins that did not end by itself.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::Ordering::SeqCst;

use nix::sys::signal::Signal;

use crate::platform::crash_record::CrashRecord;
use crate::platform::plugin_guard::{KEPT, NOTHING_KEPT};

/// Describes what happened, possible causes, and where results are.
pub(super) fn describe(crash_record: &CrashRecord, status: ExitStatus) -> String {
    let how = how(status);
    let call = String::from_utf8_lossy(crash_record.call.bytes());
    let folder = String::from_utf8_lossy(crash_record.folder.bytes());
    let what = if crash_record.is_inside.load(SeqCst) {
        format!("plugin {call}, {how}")
    } else if call.is_empty() {
        format!("the process that was to load plugins {how} before it had called any")
    } else {
        format!(
            "the process {how} while plugins were loaded, which may have spoilt it; the last call \
             was of {call}"
        )
    };
    match &*folder {
        "" => what + NOTHING_KEPT,
        folder => what + KEPT + folder,
    }
}

fn how(status: ExitStatus) -> String {
    let Some(number) = status.signal() else {
        return format!("ended the process (exit code {})", status.code().unwrap_or_default());
    };
    let signal = Signal::try_from(number);
    let name = signal.map_or(format!("signal {number}"), |signal| signal.to_string());
    match signal {
        Ok(Signal::SIGKILL | Signal::SIGTERM | Signal::SIGXFSZ | Signal::SIGXCPU) => {
            format!("was ended by {name}")
        }
        _ => format!("crashed ({name})"),
    }
}
