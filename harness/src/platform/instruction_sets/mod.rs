//! Instruction sets that this program was built for, and those of the machine.
//!
//! Executables are copied to other machines and kept in stores. One that was built for more than
//! the machine has would be killed by a signal at some instruction; instead it ends with a message,
//! before `main`. One that was built for less reports that once per run, because its results do not
//! represent the machine.
//!
//! `x86_64` and `aarch64` have the lists of instruction sets, and their detection.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::FEATURES;
#[cfg(target_arch = "x86_64")]
use x86_64::FEATURES;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FEATURES: &[Feature] = &[];

/// An instruction set.
#[derive(Clone, Copy, Debug)]
struct Feature {
    name: &'static str,
    /// True if the program was built for it.
    built: bool,
    /// True if it can be used here according to std, which assumes everything that the program was
    /// built for.
    usable: fn() -> bool,
    /// True if CPU and system have it, regardless of what the program was built for.
    present: fn() -> bool,
}

/// Lists instruction sets by name, with their detection.
macro_rules! features {
    ($usable:ident, $present:path: $($name:tt($($at:expr),+))+) => {
        pub(super) const FEATURES: &[super::Feature] = &[$(super::Feature {
            name: $name,
            built: cfg!(target_feature = $name),
            usable: || std::arch::$usable!($name),
            present: || $present($($at),+),
        }),+];
    };
}
use features;

/// Levels of x86-64, each with its additions to the previous one.
const LEVELS: [(&str, &[&str]); 3] = [
    ("x86-64-v2", &["cmpxchg16b", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"]),
    ("x86-64-v4", &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]),
];

/// Highest complete level, such as `x86-64-v3`; the architecture's name if it has no levels.
fn level(has: impl Fn(&str) -> bool) -> &'static str {
    let base = if cfg!(target_arch = "x86_64") { "x86-64" } else { std::env::consts::ARCH };
    let whole = LEVELS.iter().take_while(|(_, features)| features.iter().all(|name| has(name)));
    whole.last().map_or(base, |(name, _)| name)
}

fn has(which: fn(&Feature) -> bool) -> impl Fn(&str) -> bool {
    move |name| FEATURES.iter().any(|feature| feature.name == name && which(feature))
}

/// Level that the program was built for.
pub fn built_level() -> &'static str {
    level(has(|feature| feature.built))
}

/// A note if the program was built for less than the machine has.
pub fn built_for_less() -> Option<String> {
    let built = built_level();
    let machine = level(has(|feature| (feature.usable)()));
    (built != machine).then(|| {
        format!(
            "built for {built}, but this machine has {machine}: code without a choice of its own \
             runs slower than it could; build on this machine, or with -C target-cpu={machine}"
        )
    })
}

/// Target that nearly all machines of this architecture have, and that binaries are released for.
const COMMON_TARGET: &str = if cfg!(target_arch = "x86_64") { "x86-64-v2" } else { "generic" };

/// Exit code of requests for more than the machine has.
const USAGE: libc::c_int = 2;

// SAFETY: functions in this section are called once before `main`; this one ignores their
// arguments.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static REFUSE: extern "C" fn() = refuse_other_machines;

/// Ends the process if the machine lacks what the program was built for.
///
/// It runs before `main`, which may use missing instructions already, and therefore does as little
/// as possible: no allocation, no formatting, only constant texts and system calls.
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
        write_stderr("; use a binary for ");
        write_stderr(COMMON_TARGET);
        write_stderr(", or build one here: cargo build --release\n");
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
    fn a_level_has_all_of_the_levels_below() {
        let up_to = |count: usize| {
            let features: Vec<&str> =
                LEVELS[..count].iter().flat_map(|(_, features)| features.iter().copied()).collect();
            move |name: &str| features.contains(&name)
        };
        assert_eq!(level(up_to(2)), "x86-64-v3");
        assert_eq!(level(up_to(3)), "x86-64-v4");
        assert_eq!(level(|name| up_to(3)(name) && name != "fma"), "x86-64-v2");
        assert!(!level(|_| false).contains("-v"));
    }

    #[test]
    fn every_feature_of_the_levels_is_known() {
        let names = LEVELS.iter().flat_map(|(_, features)| features.iter());
        for name in names.filter(|_| cfg!(target_arch = "x86_64")) {
            assert!(FEATURES.iter().any(|feature| feature.name == *name), "{name}");
        }
    }

    #[test]
    fn detection_agrees_with_std() {
        for Feature { name, built, usable, present } in FEATURES {
            assert_eq!(present(), *built || usable(), "{name}");
        }
    }

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
        assert!(output.contains("than this one has: missing; use a binary for "), "{output}");
        assert!(output.ends_with(" here: cargo build --release\n"), "{output}");
        assert_eq!(output.contains("x86"), cfg!(target_arch = "x86_64"), "{output}");
    }

    #[test]
    fn no_report_if_nothing_is_missing() {
        // Otherwise this test would not run.
        assert!(!report_missing(FEATURES, |text| panic!("reported: {text}")));
    }
}
