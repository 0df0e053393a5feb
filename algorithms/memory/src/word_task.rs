//! Tasks that turn words of 32 bits into as long a list of words, to measure kinds of memory. Their
//! files are little-endian words without a header.

use std::fs;
use std::path::Path;

use generators_common::DataError;
use parallel::par_map;
use text::Untrusted;

use tasks::algorithm::{Algorithm, InputFiles, Plan, Semantics, TaskInfo, Variant, Work};
use tasks::axis::Params;

/// Copies of the words of a point: the input, the reference, two of a variant, and one to compare.
const COPIES: u64 = 5;

/// Words, and the work to do on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words<S> {
    /// The words.
    pub words: Vec<u32>,
    /// Settings of the work.
    pub settings: S,
}

impl<S> Words<S> {
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// A task whose input and output are words, given by the work on them.
#[derive(Clone, Copy, Debug)]
pub struct WordTask<W>(pub W);

/// Work on words.
pub trait WordWork: Copy + Send + Sync + 'static {
    /// Settings of the work.
    type Settings: Copy + Send + Sync + 'static;

    /// Unit of a word.
    const UNIT: &'static str;

    /// Examples in the help of its command.
    const EXAMPLES: &'static str;

    /// Description of the task.
    fn info() -> TaskInfo;

    /// All variants.
    fn variants() -> Vec<Variant<WordTask<Self>>>;

    /// Number of words of a point.
    fn count(params: &Params) -> Result<u64, DataError>;

    /// Sets the parameter that the number of words follows from.
    fn set_count(params: &mut Params, count: u64);

    /// Settings of the work.
    fn settings(params: &Params) -> Result<Self::Settings, DataError>;

    /// Generates the word with this index.
    fn generator(params: &Params, seed: u64) -> Result<impl Fn(u64) -> u32 + Sync, DataError>;

    /// Returns what is wrong with words that were read from a file.
    fn problem(_words: &[u32]) -> Option<String> {
        None
    }

    /// Inputs that are hard to get right, with their names.
    fn hard_inputs(seed: u64) -> Vec<(String, Words<Self::Settings>)>;

    /// The right word for a word.
    fn reference(word: u32, settings: Self::Settings) -> u32;
}

/// Generates words by their indices.
pub(crate) fn generate(count: u64, word: impl Fn(u64) -> u32 + Sync) -> Vec<u32> {
    let indices: Vec<u64> = (0..count).collect();
    par_map(&indices, |&index| word(index))
}

impl<W: WordWork> Algorithm for WordTask<W> {
    type Input = Words<W::Settings>;
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        W::info()
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        W::variants()
    }

    fn examples(&self) -> &'static str {
        W::EXAMPLES
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(W::info().axes);
        W::settings(&params)?;
        drop(W::generator(&params, 0)?);
        let bytes = W::count(&params)?.saturating_mul(size_of::<u32>() as u64);
        Ok(Plan { params, memory_bytes: bytes.saturating_mul(COPIES) })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Self::Input, DataError> {
        let words = generate(W::count(params)?, W::generator(params, seed)?);
        Ok(Words { words, settings: W::settings(params)? })
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(Self::Input, Params), DataError> {
        let path = files.only()?;
        let words = read(path)?;
        if let Some(problem) = W::problem(&words) {
            return Err(DataError::Shape(format!("{}: {problem}", path.escaped())));
        }
        let mut params = options.clone();
        params.complete(W::info().file_axes);
        let settings = W::settings(&params)?;
        W::set_count(&mut params, words.len() as u64);
        Ok((Words { words, settings }, params))
    }

    fn write(&self, input: &Self::Input, path: &Path) -> Result<(), DataError> {
        let bytes: Vec<u8> = input.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        files::write(path, bytes).map_err(|error| DataError::io(path, error))
    }

    fn shrink<'i>(&self, input: &'i Self::Input) -> Box<dyn Iterator<Item = Self::Input> + 'i> {
        let half = input.words.len() / 2;
        let parts = [0..half, half..input.words.len()].into_iter();
        let smaller = parts.filter(move |part| half > 0 && !part.is_empty());
        Box::new(smaller.map(|part| Words { words: input.words[part].to_vec(), ..*input }))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Self::Input)> {
        W::hard_inputs(seed)
    }

    fn work(&self, input: &Self::Input) -> Work {
        let bytes = input.bytes() as u64;
        Work {
            items: input.words.len() as u64,
            item_unit: W::UNIT,
            bytes_min: 2 * bytes,
            input_bytes: bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &Self::Input, _: Semantics) -> Option<Vec<u32>> {
        Some(par_map(&input.words, |&word| W::reference(word, input.settings)))
    }

    fn no_op_output(&self, input: &Self::Input) -> Vec<u32> {
        input.words.clone()
    }
}

fn read(path: &Path) -> Result<Vec<u32>, DataError> {
    let bytes = fs::read(path).map_err(|error| DataError::io(path, error))?;
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(DataError::Shape(format!(
            "{}: {} bytes are no whole words of 4",
            path.escaped(),
            bytes.len()
        )));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
