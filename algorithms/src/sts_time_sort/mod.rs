//! Sorting the digis of whole timeslices by time.
//!
//! Input: the digis of raw timeslices, in the order in which they are unpacked: components, and of
//! each its microslices. Output: the same digis in one flat array, each timeslice in order of
//! time. Charge, channel and address are no part of the key. The experiment's unpacker ends with
//! this sort; finding hits does not need it, since it sorts by channel, but building events does.
//!
//! What is special: a timeslice has few components, and the digis of each are nearly in order of
//! time already.
//!
//! | module | holds |
//! |---|---|
//! | `input` | digis from raw data, generated or read |
//! | `cpu` | the variants |
//!
//! How digis are sorted, and what counts as sorted, it shares with `sts_sort`.

mod cpu;
mod hard_inputs;
mod input;

use std::path::Path;

use generators::DataError;
use generators::io::write_digis;
use generators::sts::{Digi, SegmentedDigis};

use crate::algorithm::{Algorithm, Damage, Plan, Promise, Semantics, TaskInfo, Variant, Work};
use crate::axis::Params;
use crate::sts_sort::order::ByTime;
use crate::sts_sort::{StsSort, check, reference};
use crate::sts_unpack::StsUnpack;

/// The task `time-sort`.
#[derive(Clone, Copy, Debug)]
pub struct StsTimeSort;

impl Algorithm for StsTimeSort {
    /// A segment for each timeslice.
    type Input = SegmentedDigis;
    type Output = Vec<Digi>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "time-sort",
            summary: "sort the unpacked STS digis of each timeslice by time",
            input: "time-sort",
            file_endings: &["csv", "bin"],
            axes: StsUnpack.info().axes,
            file_axes: StsUnpack.info().file_axes,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        cpu::VARIANTS.to_vec()
    }

    /// What unpacking needs is more than what sorting does.
    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        StsUnpack.plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<SegmentedDigis, DataError> {
        Ok(input::unpacked(&StsUnpack.generate(params, seed)?))
    }

    fn read(&self, path: &Path, options: &Params) -> Result<(SegmentedDigis, Params), DataError> {
        input::read(path, options)
    }

    fn write(&self, input: &SegmentedDigis, path: &Path) -> Result<(), DataError> {
        write_digis(path, input)
    }

    fn shrink<'i>(
        &self,
        input: &'i SegmentedDigis,
    ) -> Box<dyn Iterator<Item = SegmentedDigis> + 'i> {
        StsSort.shrink(input)
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, SegmentedDigis)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &SegmentedDigis) -> Work {
        StsSort.work(input)
    }

    fn reference(&self, input: &SegmentedDigis, _: Semantics) -> Option<Vec<Digi>> {
        self.work(input).has_reference.then(|| reference::sort::<ByTime>(input))
    }

    fn check(
        &self,
        input: &SegmentedDigis,
        reference: Option<&Vec<Digi>>,
        output: &Vec<Digi>,
        promise: Promise,
    ) -> Result<(), Damage> {
        Ok(check::check::<ByTime>(input, reference, output, promise)?)
    }

    fn no_op_output(&self, input: &SegmentedDigis) -> Vec<Digi> {
        input.digis().to_vec()
    }
}
