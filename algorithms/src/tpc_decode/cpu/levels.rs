//! Decoders of pages, one after the other, each compiled for an instruction set.

use generators::tpc::Digit;

use super::kernel::{PadList, Scalar};
use super::walk;
use super::walk::Job;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::header::{OpenPage, Payload};
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::reference;

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

/// A thread's decoder with its buffers.
pub(super) struct PageDecoder<'a> {
    frame: &'a TimeFrame,
    decode: DecodePage,
    payload: Box<Payload>,
    pads: Box<PadList>,
}

impl<'a> PageDecoder<'a> {
    pub(super) fn new(frame: &'a TimeFrame, decode: DecodePage) -> Self {
        PageDecoder { frame, decode, payload: Payload::new(), pads: PadList::new() }
    }

    /// Writes the digits of a page to a slice whose length is the number that its header states.
    ///
    /// # Errors
    /// Returns the damage; there are no digits then.
    pub(super) fn decode(
        &mut self,
        index: usize,
        page: &OpenPage,
        digits: &mut [Digit],
    ) -> Result<(), Damage> {
        let pages = self.frame.pages.pages();
        self.payload.fill(page, &pages[index], pages.get(index + 1));
        let job =
            Job { page, payload: &self.payload, tables: &self.frame.tables, pads: &mut self.pads };
        match (self.decode)(job, digits) {
            Some(()) => Ok(()),
            None => self.judge(page, digits),
        }
    }

    /// Asks the reference about a page that the decoder rejected.
    #[cold]
    fn judge(&self, page: &OpenPage, digits: &mut [Digit]) -> Result<(), Damage> {
        let mapping = &self.frame.tables.mapping;
        let judged = reference::decode_page(page, &self.payload, mapping)?;
        digits.copy_from_slice(&judged);
        Ok(())
    }
}
