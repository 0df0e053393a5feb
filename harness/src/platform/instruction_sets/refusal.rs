//! End of a program that was built for more than the machine has.
//!
//! It runs before `main`, which may use missing instructions already, and therefore does as little
//! as possible: no allocation, no formatting, only constant texts and system calls.

use super::{FEATURES, Feature};

/// Exit code of requests for more than the machine has.
const USAGE: libc::c_int = 2;

// SAFETY: functions in this section are called once before `main`; this one ignores their
// arguments.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static REFUSE: extern "C" fn() = refuse_other_machines;

/// Ends the process if the machine lacks what the program was built for.
extern "C" fn refuse_other_machines() {
    if report_missing(FEATURES, write_stderr) {
        // SAFETY: `_exit` takes an integer, and nothing has to be cleaned up yet.
        unsafe { libc::_exit(USAGE) }
    }
}

/// Reports what is missing, text by text; returns true if anything is.
fn report_missing(features: &[Feature], mut write_stderr: impl FnMut(&str)) -> bool {
    let mut is_any_missing = false;
    for feature in features {
        if feature.built && !(feature.present)() {
            if !is_any_missing {
                write_stderr("bench: this binary was built for a CPU with more than this one has:");
            }
            is_any_missing = true;
            write_stderr(" ");
            write_stderr(feature.name);
        }
    }
    if is_any_missing {
        write_stderr("; build it here (cargo build --release), or for less ");
        write_stderr("(RUSTFLAGS=\"-C target-cpu=x86-64-v2\")\n");
    }
    is_any_missing
}

/// Writes to standard error; failures can't be reported anywhere.
fn write_stderr(text: &str) {
    // SAFETY: the pointer and length are those of `text`.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let feature = |name, built, present| Feature { name, built, usable: || true, present };
        let features = [
            feature("there", true, || true),
            feature("missing", true, || false),
            feature("unused", false, || false),
        ];
        let mut output = String::new();
        assert!(report_missing(&features, |text| output.push_str(text)));
        assert!(output.contains("than this one has: missing; build it here"), "{output}");
    }

    #[test]
    fn no_report_if_nothing_is_missing() {
        // Otherwise this test would not run.
        assert!(!report_missing(FEATURES, |text| panic!("reported: {text}")));
    }
}
