//! Vectors of 64 bytes, which not all CPUs have.

/// Witness that this CPU has AVX-512 with masks for bytes and for shorter vectors, and POPCNT: only
/// [`Avx512::detect`] creates one, so functions with such a parameter need no other check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    #[cfg(target_arch = "x86_64")]
    pub(super) fn detect() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(Avx512(()))
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn detect() -> Option<Self> {
        None
    }
}
