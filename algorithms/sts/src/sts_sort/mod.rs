//! Sorting digis.
//!
//! Input: the digis of a timeslice, a segment for each module side. Output: the same digis in one
//! flat array, each segment in ascending order of the key (channel, then time: 11 and 31 bits).
//! Charge and address are not part of the key. Clusters are found on the result, where neighbouring
//! channels are adjacent.
//!
//! Special properties: segments are many and small (1792) or few and large (24), and may be of very
//! different sizes; digis arrive nearly in order of time; the channel, the upper part of the key,
//! is practically random.

pub(crate) mod axes;
pub(crate) mod check;
pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod hard_inputs;
pub(crate) mod order;
mod plugin;
mod reference;

use std::path::Path;

use generators_common::DataError;
use generators_sts::io::{DigiOptions, ReadDigis, read_digis_with, write_digis};
use generators_sts::{Digi, SegmentedDigis, generate};

use order::ByChannelAndTime;
use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, OutputFiles, Plan, Promise, ReadInput, Semantics, TaskInfo,
    Variant, Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub use axes::SEGMENTS;
pub use check::Mismatch;

const EXAMPLES: &str = "  bench {task} --segments 24
  bench {task} --segments 24,1792 --digis 2M --order random,time --threads 1,2
  bench {task} --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10
  bench {task} --threads 1,2 --places cores --bind false --bind close --bind spread
  bench {task} --variant 'std-*,block-merge' --cache hot,cold --out DIR
  bench {task} --device cuda:0 --rank kernel --format markdown=table.md
  bench generate sts --digis 2M --out digis.csv
  bench {task} --input digis.csv --format markdown
  bench {task} --plugin ./libmine.so --variant 'my-*,std-*'";

/// The task `sort`.
#[derive(Clone, Copy, Debug)]
pub struct StsSort;

/// Above this number of digis the reference would take too long (some ten seconds of two cores) and
/// too much memory (two gigabytes).
const REFERENCE_LIMIT: u64 = 256_000_000;

const DIGI_BYTES: u64 = size_of::<Digi>() as u64;

impl Algorithm for StsSort {
    type Input = SegmentedDigis;
    type Output = Vec<Digi>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "sort",
            summary: "sort the STS digis of each module side by channel and time",
            input: "sort",
            file_endings: &["csv", "bin", "parquet"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: &[],
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        let of_plugins = variants(self, &cuda::CUB);
        [cpu::VARIANTS, cuda::VARIANTS, cuda::AS_SHADERS, &of_plugins].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        axes::complete(&mut params)?;
        let shape = axes::shape(&params)?;
        shape.validate()?;
        // Pristine input, working copy, scratch, and allocations of a variant during its run; then
        // the reference.
        let copies = if shape.digis > REFERENCE_LIMIT { 4 } else { 5 };
        Ok(Plan { params, memory_bytes: shape.digis.saturating_mul(copies * DIGI_BYTES) })
    }

    /// For a digi of 7 bytes: those, itself, and five copies as in [`Algorithm::plan`].
    fn memory_for_byte(&self) -> u64 {
        7
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<SegmentedDigis, DataError> {
        generate(&axes::shape(params)?, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(SegmentedDigis, Params), DataError> {
        self.read_with_notes(files, options).map(ReadInput::into)
    }

    fn read_with_notes(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<ReadInput<SegmentedDigis>, DataError> {
        let path = files.only()?;
        let options = DigiOptions { setup: None, time_origin: axes::TIME_ORIGIN.given(options)? };
        let ReadDigis { digis, notes } = read_digis_with(path, options)?;
        let params = axes::of_file(path, &digis);
        Ok(ReadInput { input: digis, params, notes })
    }

    fn write(&self, input: &SegmentedDigis, path: &Path) -> Result<(), DataError> {
        write_digis(path, input)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["digi"], "std-stable", "block-merge"))
    }

    fn write_output(
        &self,
        input: &SegmentedDigis,
        output: &Vec<Digi>,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        write_digis(path, &SegmentedDigis::new(output.clone(), input.partition().clone()))?;
        Ok(output.len())
    }

    fn shrink<'i>(
        &self,
        input: &'i SegmentedDigis,
    ) -> Box<dyn Iterator<Item = SegmentedDigis> + 'i> {
        Box::new(hard_inputs::shrunk(input))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, SegmentedDigis)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &SegmentedDigis) -> Work {
        let digis = input.digis().len() as u64;
        Work {
            items: digis,
            item_unit: "digi",
            bytes_min: 2 * digis * DIGI_BYTES,
            input_bytes: digis * DIGI_BYTES,
            to_host_bytes: None,
            has_reference: digis <= REFERENCE_LIMIT,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &SegmentedDigis, _: Semantics) -> Option<Vec<Digi>> {
        let feasible = input.digis().len() as u64 <= REFERENCE_LIMIT;
        feasible.then(|| reference::sort(input))
    }

    fn check(
        &self,
        input: &SegmentedDigis,
        reference: Option<&Vec<Digi>>,
        output: &Vec<Digi>,
        promise: Promise,
    ) -> Result<(), CheckError> {
        let partition = input.partition();
        let view = check::view(promise.content);
        Ok(match reference {
            Some(reference) if promise.stable => {
                check::identical(partition, reference, output, view)
            }
            Some(reference) => {
                check::same_keys_and_runs::<ByChannelAndTime>(partition, reference, output, view)
            }
            None => check::ordered_and_complete(input, output, view),
        }?)
    }

    fn no_op_output(&self, input: &SegmentedDigis) -> Vec<Digi> {
        input.digis().to_vec()
    }
}
