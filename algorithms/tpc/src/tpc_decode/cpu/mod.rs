//! Decoding on the host: decoders of pages, each a walk and a kernel that are compiled for an
//! instruction set.
//!
//! | module | holds |
//! |---|---|
//! | [`workers`] | the threads that share the work, and the first pass over headers |
//! | [`digits`] | variants that decode to digits |
//! | [`charges`] | variants that decode to maps of charges, which are cleared and filled |
//! | [`tiles`] | variants that write maps in complete tiles |
//! | [`walk`] | the walk through a page's payload, checked at each step |
//! | [`kernel`] | the inner loops, for each instruction set |

mod charges;
mod digits;
mod kernel;
#[cfg(test)]
mod tests;
mod tiles;
mod walk;
mod workers;

use generators_tpc::Digit;
use generators_tpc::geometry::SECTORS;

use super::damage::Damage;
use super::header::{OpenPage, Payload};
use super::input::{Output, TimeFrame};
use super::{TpcDecode, reference};
use kernel::{PadList, Scalar};
use tasks::algorithm::{PrepareResult, Variant, VariantContext};
use tiles::TilesRunner;
use walk::Job;
use workers::DecodeWorkers;

pub(crate) use charges::{ChargesRunner, DecodedCharges};
pub(crate) use digits::{DecodedPages, DigitsRunner};

pub(super) const VARIANTS: &[Variant<TpcDecode>] = &[
    Variant::cpu(
        "reference",
        "page by page and sample by sample, each step checked where it is taken",
        |at| decode(at, one_team(at), reference_page),
    ),
    Variant::cpu("scalar", "without wide instructions, on any machine", |at| {
        decode(at, any_teams(at), Level::Scalar.decoder().unwrap_or(reference_page))
    })
    .nested(SECTORS),
    Variant::cpu(
        "simd",
        "pads and samples eight (AVX-512) or four (AVX2) at a time, as the machine can; whole \
         tiles of maps past the caches",
        simd,
    )
    .nested(SECTORS),
];

fn one_team(at: &VariantContext<'_, '_, TpcDecode>) -> DecodeWorkers {
    DecodeWorkers::for_one_team(at.input, at.threads())
}

/// Threads of the published decoder with nested teams: the outer team takes sectors, the inner ones
/// take pages.
fn any_teams(at: &VariantContext<'_, '_, TpcDecode>) -> DecodeWorkers {
    match at.inner_teams() {
        Some(inner) => DecodeWorkers::for_nested_teams(at.input, inner),
        None => one_team(at),
    }
}

fn simd<'a>(at: &VariantContext<'a, '_, TpcDecode>) -> PrepareResult<'a, TpcDecode> {
    let workers = any_teams(at);
    let decode = Level::best().decoder().unwrap_or(reference_page);
    match at.input.settings.output {
        Output::Digits => at.session(DigitsRunner::new(at.input, at.arena, workers, decode)),
        Output::ChargeMap => {
            at.session(TilesRunner::new(at.input, at.arena, workers, at.threads(), decode))
        }
    }
}

/// A decoder of pages, ready to run; maps are cleared and filled, as published.
fn decode<'a>(
    at: &VariantContext<'a, '_, TpcDecode>,
    workers: DecodeWorkers,
    decode: DecodePage,
) -> PrepareResult<'a, TpcDecode> {
    match at.input.settings.output {
        Output::Digits => at.session(DigitsRunner::new(at.input, at.arena, workers, decode)),
        Output::ChargeMap => at.session(ChargesRunner::new(at.input, at.arena, workers, decode)),
    }
}

/// The reference with the interface of the other decoders.
fn reference_page(job: walk::Job<'_>, digits: &mut [generators_tpc::Digit]) -> Option<()> {
    let decoded = reference::decode_page(job.page, job.payload, &job.tables.mapping).ok()?;
    digits.copy_from_slice(&decoded);
    Some(())
}

/// A function that decodes pages: see [`walk::decode`].
type DecodePage = fn(Job<'_>, &mut [Digit]) -> Option<()>;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{DecodePage, Digit, Job, walk};
    use tasks::device::cpu_features::{Avx2Bmi2, with_instructions};

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
    use tasks::device::cpu_features::{Avx512Vbmi2, with_instructions};

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
enum Level {
    /// Any machine.
    Scalar,
    /// AVX2 and BMI2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with byte permutations and compression of 16-bit words.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// All levels, the widest last.
    #[cfg(test)]
    const ALL: &[Level] = &[
        Level::Scalar,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
    ];

    /// The widest level that this machine supports.
    fn best() -> Self {
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
    fn decoder(self) -> Option<DecodePage> {
        match self {
            Level::Scalar => Some(decode_scalar),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::if_available(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::if_available(),
        }
    }
}

/// A thread's decoder with its buffers.
struct PageDecoder<'a> {
    frame: &'a TimeFrame,
    decode: DecodePage,
    payload: Box<Payload>,
    pads: Box<PadList>,
}

impl<'a> PageDecoder<'a> {
    fn new(frame: &'a TimeFrame, decode: DecodePage) -> Self {
        PageDecoder { frame, decode, payload: Payload::new(), pads: PadList::new() }
    }

    /// Writes the digits of a page to a slice whose length is the number that its header states.
    ///
    /// # Errors
    /// Returns the damage; there are no digits then.
    fn decode(
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
