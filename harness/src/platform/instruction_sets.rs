//! The instruction sets that this program was built for, and those that the machine has.
//!
//! Executables are carried to other machines and kept in stores. One that was built for more than
//! the machine has would be killed by a signal somewhere; it ends with a sentence instead, before
//! `main`. One that was built for less says so once a run, for its numbers are not those of the
//! machine.

use std::fmt;

/// An instruction set.
#[derive(Clone, Copy, Debug)]
struct Feature {
    name: &'static str,
    /// Whether the program was built for it.
    built: bool,
    /// Whether the machine has it.
    present: fn() -> bool,
}

/// All that may be asked for by their names.
macro_rules! features {
    ($detected:ident: $($name:tt)+) => {
        const FEATURES: &[Feature] = &[$(Feature {
            name: $name,
            built: cfg!(target_feature = $name),
            present: || std::arch::$detected!($name),
        }),+];
    };
}

#[cfg(target_arch = "x86_64")]
features! { is_x86_feature_detected:
    "adx" "aes" "avx" "avx2" "avx512bf16" "avx512bitalg" "avx512bw" "avx512cd" "avx512dq"
    "avx512f" "avx512fp16" "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vl" "avx512vnni"
    "avx512vp2intersect" "avx512vpopcntdq" "avxifma" "avxneconvert" "avxvnni" "avxvnniint8"
    "bmi1" "bmi2" "cmpxchg16b" "f16c" "fma" "gfni" "lzcnt" "movbe" "pclmulqdq" "popcnt"
    "rdrand" "rdseed" "sha" "sse3" "sse4.1" "sse4.2" "sse4a" "ssse3" "vaes" "vpclmulqdq"
    "xsave" "xsavec" "xsaveopt" "xsaves"
}
#[cfg(target_arch = "aarch64")]
features! { is_aarch64_feature_detected:
    "aes" "bf16" "crc" "dotprod" "dpb" "fcma" "fp16" "i8mm" "jsconv" "lse" "lse2" "paca" "pacg"
    "rand" "rcpc" "rcpc2" "rdm" "sha2" "sha3" "sve" "sve2"
}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FEATURES: &[Feature] = &[];

/// The levels of x86-64, each with what it has beyond the one before.
const LEVELS: [(&str, &[&str]); 3] = [
    ("x86-64-v2", &["cmpxchg16b", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"]),
    ("x86-64-v4", &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]),
];

/// The highest level of which all is there: `x86-64-v3`; the architecture's name where there are
/// no levels.
fn level(has: impl Fn(&str) -> bool) -> &'static str {
    let base = if cfg!(target_arch = "x86_64") { "x86-64" } else { std::env::consts::ARCH };
    let whole = LEVELS.iter().take_while(|(_, features)| features.iter().all(|name| has(name)));
    whole.last().map_or(base, |(name, _)| name)
}

fn has(which: fn(&Feature) -> bool) -> impl Fn(&str) -> bool {
    move |name| FEATURES.iter().any(|feature| feature.name == name && which(feature))
}

/// What the program was built for.
pub fn built_level() -> &'static str {
    level(has(|feature| feature.built))
}

/// What the machine has.
fn machine_level() -> &'static str {
    level(has(|feature| (feature.present)()))
}

/// A sentence if the program was built for less than the machine has.
pub fn built_for_less() -> Option<String> {
    let (built, machine) = (built_level(), machine_level());
    (built != machine).then(|| {
        format!(
            "built for {built}, but this machine has {machine}: code without a choice of its own \
             runs slower than it could; build on this machine, or with -C target-cpu={machine}"
        )
    })
}

/// Names with spaces between them, without allocating.
struct Names<'a>(&'a [Feature]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().filter(|it| is_missing(it)).try_for_each(|it| write!(f, " {}", it.name))
    }
}

fn is_missing(feature: &Feature) -> bool {
    feature.built && !(feature.present)()
}

/// Standard error, by nothing but a system call.
struct Stderr;

impl fmt::Write for Stderr {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the bytes are those of `text`.
        let written = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        if written < 0 { Err(fmt::Error) } else { Ok(()) }
    }
}

/// The exit code of what asks for more than the machine has.
const USAGE: libc::c_int = 2;

/// Ends the process if the machine lacks what the program was built for. It runs before `main`,
/// for that may use such instructions already, and so does as little as it can.
extern "C" fn refuse_other_machines() {
    if !FEATURES.iter().any(is_missing) {
        return;
    }
    let _ = fmt::Write::write_fmt(
        &mut Stderr,
        format_args!(
            "bench: this binary was built for a CPU with more than this one has:{}; build it \
             here (cargo build --release), or for less (RUSTFLAGS=\"-C target-cpu=x86-64-v2\")\n",
            Names(FEATURES)
        ),
    );
    // SAFETY: nothing has to be cleaned up yet.
    unsafe { libc::_exit(USAGE) }
}

// SAFETY: functions in this section are called once with no arguments that matter, before `main`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static REFUSE: extern "C" fn() = refuse_other_machines;

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
    fn what_is_missing_is_named() {
        let feature = |name, built, present| Feature { name, built, present };
        let features = [
            feature("there", true, || true),
            feature("missing", true, || false),
            feature("unused", false, || false),
        ];
        assert_eq!(Names(&features).to_string(), " missing");
        // Or this test would not run.
        assert!(!FEATURES.iter().any(is_missing));
    }
}
