//! The example task of `docs/add-a-task.md`: the number of digis of each channel. The document
//! quotes this file, and all tests of tasks run on it.

use std::path::Path;

use generators_common::DataError;
use generators_sts::{Digi, SegmentedDigis};
use parallel::for_each;

use crate::sts_sort::StsSort;
use tasks::algorithm::{Algorithm, InputFiles, Plan, Semantics, TaskInfo, Variant, Work};
use tasks::axis::Params;

/// Channels that a digi can have.
const CHANNELS: usize = 1 << 11;

/// The task `channel-counts`.
#[derive(Clone, Copy, Debug)]
pub struct ChannelCounts;

impl Algorithm for ChannelCounts {
    type Input = SegmentedDigis;
    /// The channels of each segment.
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "channel-counts",
            summary: "count the STS digis of each channel, to find hot ones",
            input: "sort",
            file_endings: &["csv", "bin"],
            axes: StsSort.info().axes,
            file_axes: &[],
            metrics: &[],
        }
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        StsSort.plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<SegmentedDigis, DataError> {
        StsSort.generate(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(SegmentedDigis, Params), DataError> {
        StsSort.read(files, options)
    }

    fn write(&self, input: &SegmentedDigis, path: &Path) -> Result<(), DataError> {
        StsSort.write(input, path)
    }

    fn shrink<'i>(
        &self,
        input: &'i SegmentedDigis,
    ) -> Box<dyn Iterator<Item = SegmentedDigis> + 'i> {
        StsSort.shrink(input)
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, SegmentedDigis)> {
        let inputs = StsSort.hard_inputs(seed).into_iter();
        inputs.filter(|(_, input)| input.partition().segments() > 0).collect()
    }

    fn work(&self, input: &SegmentedDigis) -> Work {
        let read = size_of_val(input.digis()) as u64;
        let written = (input.partition().segments() * CHANNELS * size_of::<u32>()) as u64;
        Work {
            items: input.digis().len() as u64,
            item_unit: "digi",
            bytes_min: read + written,
            input_bytes: read,
            to_host_bytes: None,
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &SegmentedDigis, _: Semantics) -> Option<Vec<u32>> {
        let of_segment = |digis: &[Digi]| {
            let of_channel = |channel| {
                let own = digis.iter().filter(|digi| usize::from(digi.channel()) == channel);
                own.count() as u32
            };
            (0..CHANNELS).map(of_channel).collect::<Vec<_>>()
        };
        Some(input.segments().flat_map(of_segment).collect())
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        vec![BY_SEGMENT]
    }
}

const BY_SEGMENT: Variant<ChannelCounts> =
    Variant::cpu("by-segment", "segments in parallel, digi by digi", |at| {
        let segments: Vec<_> = at.input.segments().collect();
        let channels = segments.len() * CHANNELS;
        at.fill_output(channels, size_of_val(at.input.digis()), move |counts| {
            let counts = counts.chunks_exact_mut(CHANNELS).zip(&segments);
            for_each(counts, |(counts, digis)| {
                counts.fill(0);
                for digi in *digis {
                    counts[usize::from(digi.channel())] += 1;
                }
            });
        })
    });

/// All code blocks of the document are in this file, in the same order.
#[test]
fn the_document_quotes_this_file() {
    let document = include_str!("../../../docs/add-a-task.md");
    let mut rest = include_str!("channel_counts.rs");
    let mut blocks = 0;
    for block in document.split("```rust\n").skip(1) {
        let (code, _) = block.split_once("```").expect("the block ends");
        let code = code.trim_end_matches("…\n").trim_end();
        let at = rest.find(code);
        let at = at.unwrap_or_else(|| panic!("this is not in the example, or before:\n{code}"));
        rest = &rest[at + code.len()..];
        blocks += 1;
    }
    assert_eq!(blocks, 5, "blocks of code");
}
