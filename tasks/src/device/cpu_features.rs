//! CPU features beyond those of the target: proofs that this CPU has them, and functions that are
//! compiled for them.
//!
//! An AVX2 intrinsic on a CPU without AVX2 is undefined behaviour. So a kernel is a trait that is
//! implemented for a *witness*, a value that exists only where the CPU has been found to have the
//! features, and takes it as `self`: without detection a call does not compile.
//!
//! Methods of such traits are `#[inline(always)]`, which Rust does not allow together with
//! `#[target_feature]`. They are inlined into an entry point that [`with_instructions!`] compiles
//! for the features, and call small `#[target_feature]` functions, in which intrinsics are safe.
//! The witness permits that call.

/// Defines a witness of CPU features: `Name: ["feature", …]`.
macro_rules! witness {
    ($(#[$doc:meta])* $name:ident: [$($feature:tt),+]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        #[allow(dead_code, reason = "not every witness is made in both ways")]
        impl $name {
            /// Returns a witness if this CPU has the features.
            #[inline]
            pub fn detect() -> Option<Self> {
                let is_available = $(std::arch::is_x86_feature_detected!($feature))&&+;
                is_available.then_some($name(()))
            }

            /// Returns a witness to a function that is compiled for the features; in any other
            /// function the call is unsafe.
            ///
            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $feature)])+
            #[inline]
            pub fn enabled() -> Self {
                $name(())
            }
        }
    };
    // A witness that converts into one of fewer features: the compiler checks that its own imply
    // them.
    ($(#[$doc:meta])* $name:ident => $narrower:ident: [$($feature:tt),+]) => {
        witness! { $(#[$doc])* $name: [$($feature),+] }

        impl From<$name> for $narrower {
            #[inline(always)]
            fn from(_: $name) -> Self {
                $(#[target_feature(enable = $feature)])+
                #[inline]
                fn narrower() -> $narrower {
                    $narrower::enabled()
                }
                // SAFETY: the witness proves the features that `narrower` is compiled for.
                unsafe { narrower() }
            }
        }
    };
}

witness! {
    /// AVX2: vectors of 32 bytes.
    Avx2: ["avx2"]
}
witness! {
    /// AVX2 and the bit deposit of BMI2.
    Avx2Bmi2 => Avx2: ["avx2", "bmi2"]
}
witness! {
    /// AVX-512 Foundation: vectors of 64 bytes.
    Avx512: ["avx512f"]
}
witness! {
    /// AVX-512 with masks for bytes, and BMI2 to make them.
    Avx512BwBmi2: ["avx512f", "avx512bw", "bmi2"]
}
witness! {
    /// AVX-512 with 16-bit elements and masks of signs.
    Avx512BwDq: ["avx512f", "avx512bw", "avx512dq"]
}
witness! {
    /// AVX-512 with permutations of bytes, and compression and expansion of bytes and 16-bit
    /// elements, also in vectors of 16 bytes.
    Avx512Vbmi2 => Avx2: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2"]
}

/// Compiles a function for CPU features: `with_instructions! { ["avx2", …] Pointer: fn name(…) -> …
/// { … } }` defines `name`, and `if_available`, which returns it as a safe function pointer of the
/// type `Pointer` if this CPU has the features. All that is inlined into its body is compiled for
/// them. The function may have a type parameter, `name<T: Bound>`.
#[macro_export]
#[doc(hidden)]
macro_rules! __with_instructions {
    (
        $(#[$doc:meta])*
        [$($feature:tt),+]
        $as:ty: fn $name:ident$(<$generic:ident: $bound:path>)?($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    ) => {
        $(#[$doc])*
        pub(super) fn if_available$(<$generic: $bound>)?() -> Option<$as> {
            fn entry$(<$generic: $bound>)?($($argument: $type),*) $(-> $result)? {
                // SAFETY: `if_available` alone hands out `entry`, after it has found that the CPU
                // has the features.
                unsafe { $name$(::<$generic>)?($($argument),*) }
            }
            let is_available = $(std::arch::is_x86_feature_detected!($feature))&&+;
            is_available.then_some(entry$(::<$generic>)?)
        }

        $(#[target_feature(enable = $feature)])+
        pub(super) fn $name$(<$generic: $bound>)?($($argument: $type),*) $(-> $result)? $body
    };
}
pub use __with_instructions as with_instructions;

#[cfg(test)]
mod tests {
    use std::arch::is_x86_feature_detected as detected;

    use super::*;

    #[test]
    fn witnesses_exist_where_the_cpu_has_the_features() {
        let bw = detected!("avx512f") && detected!("avx512bw");
        let vbmi2 = detected!("avx512vbmi") && detected!("avx512vbmi2");
        assert_eq!(Avx2::detect().is_some(), detected!("avx2"));
        assert_eq!(Avx2Bmi2::detect().is_some(), detected!("avx2") && detected!("bmi2"));
        assert_eq!(Avx512::detect().is_some(), detected!("avx512f"));
        assert_eq!(Avx512BwBmi2::detect().is_some(), bw && detected!("bmi2"));
        assert_eq!(Avx512BwDq::detect().is_some(), bw && detected!("avx512dq"));
        let all = bw && detected!("avx512vl") && vbmi2;
        assert_eq!(Avx512Vbmi2::detect().is_some(), all);
    }

    /// Compares with the features that the kernel reports, which reads CPUID independently.
    #[test]
    #[cfg(target_os = "linux")]
    fn witnesses_exist_where_the_kernel_reports_the_features() {
        let Ok(info) = std::fs::read_to_string("/proc/cpuinfo") else {
            eprintln!("skipped: no /proc/cpuinfo");
            return;
        };
        let Some(flags) = info.lines().find(|line| line.starts_with("flags")) else {
            eprintln!("skipped: no flags in /proc/cpuinfo");
            return;
        };
        let has = |features: &[&str]| {
            features.iter().all(|feature| flags.split_whitespace().any(|flag| flag == *feature))
        };
        assert_eq!(Avx2::detect().is_some(), has(&["avx2"]));
        assert_eq!(Avx2Bmi2::detect().is_some(), has(&["avx2", "bmi2"]));
        assert_eq!(Avx512::detect().is_some(), has(&["avx512f"]));
        assert_eq!(Avx512BwBmi2::detect().is_some(), has(&["avx512f", "avx512bw", "bmi2"]));
        assert_eq!(Avx512BwDq::detect().is_some(), has(&["avx512f", "avx512bw", "avx512dq"]));
        let vbmi2 = ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512_vbmi2"];
        assert_eq!(Avx512Vbmi2::detect().is_some(), has(&vbmi2));
    }
}
