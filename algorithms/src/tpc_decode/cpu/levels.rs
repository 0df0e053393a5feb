//! Decoders of pages, each compiled for an instruction set.

use generators::tpc::Digit;

use super::kernel::Scalar;
use super::walk::{self, Job};

/// A function that decodes pages: see [`walk::decode`].
pub(super) type DecodePage = fn(Job<'_>, &mut [Digit]) -> Option<()>;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{DecodePage, Digit, Job, walk};
    use crate::device::cpu_features::{Avx2Bmi2, with_instructions};

    with_instructions! {
        /// Four digits at a time, if this machine can.
        ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
        DecodePage: fn decode(job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
            walk::decode(Avx2Bmi2::enabled(), job, digits)
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{DecodePage, Digit, Job, walk};
    use crate::device::cpu_features::{Avx512Vbmi2, with_instructions};

    with_instructions! {
        /// Eight digits at a time, if this machine can.
        [
            "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "bmi1", "bmi2",
            "lzcnt", "popcnt"
        ]
        DecodePage: fn decode(job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
            walk::decode(Avx512Vbmi2::enabled(), job, digits)
        }
    }
}

fn decode_scalar(job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
    walk::decode(Scalar, job, digits)
}

/// Instruction sets with kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Any machine.
    Scalar,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 with byte permutations and compression of 16-bit words.
    Avx512,
}

impl Level {
    /// All levels, the widest last.
    #[cfg(test)]
    pub(super) const ALL: [Level; 3] = [Level::Scalar, Level::Avx2, Level::Avx512];

    /// The widest level that this machine supports.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::if_available().is_some() {
                return Level::Avx512;
            }
            if avx2::if_available().is_some() {
                return Level::Avx2;
            }
        }
        Level::Scalar
    }

    /// Its decoder, if this machine has the instructions.
    pub(super) fn decoder(self) -> Option<DecodePage> {
        match self {
            Level::Scalar => Some(decode_scalar),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::if_available(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::if_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => None,
        }
    }
}
