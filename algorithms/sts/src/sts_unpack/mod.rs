//! Unpacking raw data of the STS.
//!
//! Input: timeslices as read-out boards deliver them, with the tables of the module and channel
//! that each e-link reads. Output: digis in the order of timeslices, components, microslices and
//! messages, and counts. `docs/unpack.md` has the rules.
//!
//! Special properties: a message has four bytes, and its meaning depends on little but the number
//! of the last epoch before it. The time goes into moving eight bytes for each.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | raw data and their sources; the output, and its check |
//! | `reference` | the right answer, message by message |
//! | `survey` | the work to be done, from descriptors |
//! | `exact`, `tables` | a hit and its e-link, step by step; by lookup in tables of boards |
//! | `shrink`, `hard_inputs` | smaller raw data, and inputs that are hard to process correctly |
//! | `cpu`, `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

pub(crate) mod axes;
pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod exact;
pub(crate) mod hard_inputs;
mod input;
mod plugin;
mod reference;
pub(crate) mod shrink;
pub(crate) mod survey;
pub(crate) mod tables;
#[cfg(test)]
mod tests;

use std::path::Path;

use generators_common::DataError;
use generators_sts::io::{check_raw_file, write_unpacked};
use generators_sts::raw::{DESCRIPTOR_BYTES, MESSAGE_BYTES, MicrosliceCounts, Unpacked};

use crate::file_selection::source_files;
use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, Metric, MetricInfo, Output, OutputAlias, OutputFiles, Plan,
    Promise, Relation, Semantics, SourceFile, TaskInfo, Variant, VariantChoice, Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub(crate) use axes::SETUP;
pub(crate) use input::DigiOrder;
pub use input::RawTimeslices;
pub use reference::unpack;

static METRICS: &[MetricInfo] = &[NS_PER_MESSAGE, RAW_GB_PER_S];
const NS_PER_MESSAGE: MetricInfo = MetricInfo::time_each(
    "ns_per_message",
    "ns",
    "time per message",
    "time over the number of messages",
);
const RAW_GB_PER_S: MetricInfo =
    MetricInfo::gigabytes_per_second("raw_gb_per_s", "raw data", "bytes of raw data over the time");

const DIGIS: OutputAlias = OutputAlias {
    flag: "digis",
    help: "Write the digis as bench process does (.bin); measures nothing",
    file: 0,
    choice: VariantChoice::One,
    check: check_raw_file,
};

const EXAMPLES: &str = "  bench unpack --preset mcbm-2024 --scale 0.05 --threads 1,2
  bench unpack --microslice 10us,100us,1ms --variant simd,published
  bench unpack --damage 0,0.01 --semantics current,2023
  bench unpack --order arrival,time
  bench unpack --input d.ts.bin.gz --threads 1,2
  bench unpack --input d.ts.bin.gz --setup d.setup.json --digis digis.bin";

/// The task `unpack`.
#[derive(Clone, Copy, Debug)]
pub struct StsUnpack;

impl Algorithm for StsUnpack {
    type Input = RawTimeslices;
    type Output = Unpacked;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "unpack",
            summary: "unpack raw data of the STS into digis",
            input: "unpack",
            file_endings: &["bin", "tsa"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS, cuda::AS_SHADERS, &variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    /// For a message of 4 bytes: itself, a copy for plugins, digis of 8 bytes in the reference, a
    /// variant's lists, its output and the check's copy, and counts.
    fn memory_for_byte(&self) -> u64 {
        12
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<RawTimeslices, DataError> {
        axes::generated(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(RawTimeslices, Params), DataError> {
        axes::read(files, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &RawTimeslices, path: &Path) -> Result<(), DataError> {
        axes::write(input, path)
    }

    fn defects(&self, input: &RawTimeslices) -> Vec<String> {
        input.remarks().defects()
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["digi"], "published", "epoch-parallel").with_aliases(&[DIGIS]))
    }

    fn write_output(
        &self,
        input: &RawTimeslices,
        output: &Unpacked,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        write_unpacked(path, output, input.rules())?;
        Ok(output.digis.len())
    }

    fn shrink<'i>(&self, input: &'i RawTimeslices) -> Box<dyn Iterator<Item = RawTimeslices> + 'i> {
        Box::new(shrink::shrink(input.data()).map(|data| input.with(data)))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, RawTimeslices)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &RawTimeslices) -> Work {
        let messages = input.data().messages();
        let microslices = input.data().microslices() as u64;
        let read = MESSAGE_BYTES as u64 * messages + DESCRIPTOR_BYTES as u64 * microslices;
        let written = size_of_val(&input.expected().digis[..]) as u64;
        Work {
            items: messages,
            item_unit: "message",
            bytes_min: read + written,
            input_bytes: input.data().bytes().len() as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![
                Metric::new(&NS_PER_MESSAGE, messages as f64 * 1e-9, Relation::SecondsEach),
                Metric::new(&RAW_GB_PER_S, read as f64 * 1e-9, Relation::PerSecond),
            ],
        }
    }

    /// Number of digis, and counts of messages that give none.
    fn notes(&self, input: &RawTimeslices) -> Vec<String> {
        let right = input.expected();
        let sum = |of: fn(&MicrosliceCounts) -> u32| -> u64 {
            right.microslices.iter().map(|counts| u64::from(of(counts))).sum()
        };
        let bad: u64 =
            right.timeslices.iter().map(|counts| counts.bad_version + counts.bad_equipment).sum();
        let counters = [
            (sum(|counts| counts.other), "other messages"),
            (sum(|counts| counts.elink), "of unknown e-links"),
            (sum(|counts| counts.overflow), "out of range"),
            (sum(|counts| counts.undefined), "left open by the experiment's code"),
            (sum(|counts| counts.size), "microslices of wrong sizes"),
            (sum(|counts| counts.first), "microslices with wrong first messages"),
            (bad, "of unknown boards or versions"),
        ];
        let digis = right.digis.len();
        let microslices = right.microslices.len();
        let mut note = format!("{digis} digis in {microslices} microslices");
        for (count, what) in counters.iter().filter(|(count, _)| *count > 0) {
            note += &format!(", {count} {what}");
        }
        [vec![note], input.remarks().sentences()].concat()
    }

    fn reference(&self, input: &RawTimeslices, _: Semantics) -> Option<Unpacked> {
        Some(input.expected().clone())
    }

    fn check(
        &self,
        input: &RawTimeslices,
        reference: Option<&Unpacked>,
        output: &Unpacked,
        _: Promise,
    ) -> Result<(), CheckError> {
        let right = reference.unwrap_or_else(|| input.expected());
        match input.order() {
            DigiOrder::Arrival => output.compare(right),
            DigiOrder::Time => {
                input::compare_counts(output, right)?;
                input::compare(output, right)
            }
        }
    }
}
