//! Cost of memory kinds: words that are changed step by step, by kernels alone or by host and
//! device alternately (thesis 4.3).
//!
//! Words are on the host at the beginning and at the end. In between they are where the kind of
//! memory puts them: copied to the device, accessed over the link, or migrated page by page. See
//! `docs/memory-kinds.md`. `cpu` and `cuda` hold the variants.

mod cpu;
mod cuda;

use generators_common::random::hash;
use generators_common::{DataError, named};

use crate::word_task::{self, WordTask, WordWork};
use tasks::algorithm::{TaskInfo, Variant};
use tasks::axis::{Flag, Params, axes};

/// Changes of words by the device, or by both sides in turn.
#[derive(Clone, Copy, Debug)]
pub struct ChangedWords;

/// The task `memory-kinds`.
pub type MemoryKinds = WordTask<ChangedWords>;

/// Words, and how they are changed.
type Words = word_task::Words<Changes>;

/// Changes of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes {
    /// Number of changes of each word.
    pub steps: u32,
    /// Sides that change the words.
    pub turns: Turns,
}

/// Sides that change the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// The device, in all steps.
    Device,
    /// The device in the first step, the host in the next one, and so on.
    Both,
}

named! { "order of turns", Turns { Device = "device", Both = "both" } }

impl Changes {
    /// True if the host does the step.
    fn is_of_host(&self, step: u32) -> bool {
        self.turns == Turns::Both && step % 2 == 1
    }
}

/// A step of a linear congruential generator (Knuth), so that no step can be skipped.
#[inline]
fn changed(word: u32) -> u32 {
    word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

axes! {
    AXES {
        BYTES: u64 = Flag::count("bytes").or("256M").small(1e5) =>
            "Bytes of all words; rounded up to full words";
        ..FILE_AXES;
    }
}
axes! {
    /// Parameters of an input from a file.
    FILE_AXES {
        STEPS: u32 = Flag::count("steps").or("4") =>
            "Number of changes of each word";
        TURNS: Turns = Flag::choice("turns", Turns::NAMES).or("device") =>
            "Sides that change words: device, or both (device and host alternately)";
    }
}

const WORD: u64 = size_of::<u32>() as u64;
/// Maximum number of steps; more give no further information.
const MAX_STEPS: u32 = 1000;

impl WordWork for ChangedWords {
    type Settings = Changes;
    const UNIT: &'static str = "word";
    const EXAMPLES: &'static str = "  bench memory-kinds --bytes 64M --threads 1,2
  bench memory-kinds --bytes 256M --turns device,both --steps 4
  bench memory-kinds --bytes 64M --turns device --variant 'pinned*,device'";

    fn info() -> TaskInfo {
        TaskInfo {
            name: "memory-kinds",
            summary: "change words in memory of all kinds, by the device or by both sides alternately",
            input: "memory-kinds",
            file_endings: &["bin"],
            axes: AXES,
            file_axes: FILE_AXES,
            metrics: &[],
        }
    }

    fn variants() -> Vec<Variant<WordTask<Self>>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn count(params: &Params) -> Result<u64, DataError> {
        Ok(BYTES.value(params)?.div_ceil(WORD))
    }

    fn set_count(params: &mut Params, count: u64) {
        params.set(BYTES.name, (WORD * count).to_string());
    }

    fn settings(params: &Params) -> Result<Changes, DataError> {
        let steps = STEPS.value(params)?;
        if !(1..=MAX_STEPS).contains(&steps) {
            let problem = format!("--steps {steps}: use 1 to {MAX_STEPS}");
            return Err(DataError::Shape(problem));
        }
        Ok(Changes { steps, turns: TURNS.value(params)? })
    }

    fn generator(_: &Params, seed: u64) -> Result<impl Fn(u64) -> u32 + Sync, DataError> {
        Ok(random(seed))
    }

    /// Sizes around vectors, blocks and pages, with one step and with several.
    fn hard_inputs(seed: u64) -> Vec<(String, Words)> {
        const SIZES: [u64; 10] = [0, 1, 3, 4, 5, 1023, 1024, 4097, 100_000, 300_001];
        let inputs = SIZES.into_iter().flat_map(|count| {
            [(1, Turns::Device), (3, Turns::Device), (2, Turns::Both), (3, Turns::Both)].map(
                |(steps, turns)| {
                    let name = format!("{count} words, {steps} steps, turns {turns}");
                    let words = word_task::generate(count, random(seed));
                    (name, Words { words, settings: Changes { steps, turns } })
                },
            )
        });
        inputs.collect()
    }

    fn reference(word: u32, changes: Changes) -> u32 {
        (0..changes.steps).fold(word, |word, _| changed(word))
    }
}

fn random(seed: u64) -> impl Fn(u64) -> u32 + Sync {
    move |index| hash(seed, [index]) as u32
}
