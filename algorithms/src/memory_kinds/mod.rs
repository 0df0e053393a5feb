//! Cost of memory kinds: words that are changed step by step, by kernels alone or by host and
//! device alternately (thesis 4.3).
//!
//! Words are on the host at the beginning and at the end. In between they are where the kind of
//! memory puts them: copied to the device, accessed over the link, or migrated page by page. See
//! `docs/memory-kinds.md`.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | number of words, and the side that changes them |
//! | `cpu`, `cuda` | the variants |

mod axes;
mod cpu;
mod cuda;

use std::path::Path;

use generators::{DataError, named};

use crate::algorithm::{Algorithm, InputFiles, Plan, Semantics, TaskInfo, Variant, Work};
use crate::axis::Params;
use crate::word_files;

/// The task `memory-kinds`.
#[derive(Clone, Copy, Debug)]
pub struct MemoryKinds;

/// Words, and the work to do on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The words.
    pub words: Vec<u32>,
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

impl Words {
    /// True if the host does the step.
    fn is_of_host(&self, step: u32) -> bool {
        self.turns == Turns::Both && step % 2 == 1
    }

    fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// A step of a linear congruential generator (Knuth), so that no step can be skipped.
#[inline]
fn changed(word: u32) -> u32 {
    word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

impl Algorithm for MemoryKinds {
    type Input = Words;
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "memory-kinds",
            summary: "change words in memory of all kinds, by the device or by both sides alternately",
            input: "memory-kinds",
            file_endings: &["bin"],
            axes: axes::AXES,
            file_axes: axes::FILE_AXES,
            metrics: &[],
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Words, DataError> {
        axes::generate(params, seed)
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(Words, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn write(&self, input: &Words, path: &Path) -> Result<(), DataError> {
        word_files::write(path, &input.words)
    }

    fn shrink<'i>(&self, input: &'i Words) -> Box<dyn Iterator<Item = Words> + 'i> {
        let half = input.words.len() / 2;
        let parts = [0..half, half..input.words.len()].into_iter();
        let smaller = parts.filter(move |part| half > 0 && !part.is_empty());
        Box::new(smaller.map(|part| Words { words: input.words[part].to_vec(), ..*input }))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Words)> {
        axes::hard_inputs(seed)
    }

    fn work(&self, input: &Words) -> Work {
        let bytes = input.bytes() as u64;
        Work {
            items: input.words.len() as u64,
            item_unit: "word",
            bytes_min: 2 * bytes,
            input_bytes: bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &Words, _: Semantics) -> Option<Vec<u32>> {
        let all_steps = |&word: &u32| (0..input.steps).fold(word, |word, _| changed(word));
        Some(crate::all_cores::par_map(&input.words, all_steps))
    }

    fn no_op_output(&self, input: &Words) -> Vec<u32> {
        input.words.clone()
    }
}
