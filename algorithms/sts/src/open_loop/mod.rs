//! The STS chain as a task whose timeslices can be streamed, with event building after it.
//!
//! | module | holds |
//! |---|---|
//! | `shared` | timeslices in memory that processes share |
//! | `hits_file` | files with the hits of a timeslice |
//! | `events` | event building after the chain |

mod events;
mod hits_file;
mod shared;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

use generators_common::DataError;
use generators_sts::io::timeslice_duration_ns;
use generators_sts::physics::Scenario;

use crate::sts::data::sums_of;
use crate::sts::task::{StsTask, Timeslices};
use crate::sts::{Product, Timeslice};
use crate::sts_events::{EventRules, EventStage, RULES, event_sums, right_events};
use crate::sts_scenario;
use tasks::algorithm::{Algorithm, InputFiles, SegmentSums, Segments};
use tasks::axis::Params;
use tasks::device::Arena;
use tasks::open_loop::{
    FrameFile, FramePlan, LentBytes, OpenLoopInfo, RelativeRate, StageInfo, StreamMemory,
    StreamedTask,
};

// Shares relative to the memory of a timeslice that is measured with all variants, determined with
// a millisecond of gold on gold in the source and in workers.

/// Share of a prepared timeslice: in the source's process while it is generated, and in shared
/// memory.
const PREPARED: f64 = 0.11;
/// Share of a prepared timeslice with raw data.
const PREPARED_RAW: f64 = 0.13;
/// Share of the reference algorithms, which process one timeslice after the other.
const REFERENCE: f64 = 0.2;
/// Share of a worker's buffers for the largest timeslice, and of its output.
const WORKER: f64 = 0.26;
/// Share of a worker that uses objects, or whose variant is unknown.
const LARGE_WORKER: f64 = 0.6;
/// Memory of a timeslice that is measured with all variants, in multiples of the bytes of its
/// digis.
const OVER_INPUT: u64 = 60;
/// Additional share for events: sorted digis, at most, and copies.
const EVENTS: f64 = 0.04;
/// Bytes per module of a detector with raw data: tables of its e-links, for each timeslice in each
/// process.
const TABLES: u64 = 72 << 10;

const EXAMPLES: &str =
    "  bench stream {task} --preset mcbm-2024 --scale 0.02 --processes 2 --speed 0.5,1,2,4
  bench stream {task} --preset mcbm-2024 --scale 0.05 --spill 4s/6s --jitter 0.3 --duration 1m
  bench stream {task} --preset cbm-auau --scale 0.1 --processes 2 --find-limit
  bench stream {task} --from raw --scale 0.02 --processes 4 --places cores --when-full drop
  bench stream {task} --device cpu,cuda:0 --processes 4 --speed 1,2,4,8";

const HITS: FrameFile = FrameFile {
    flag: "hits",
    help: "Write the hits of each timeslice to a file in this folder",
    ending: "hits.bin",
    refused: &[(
        "offline",
        "--hits writes those of the online reconstruction; `offline` has others",
    )],
};

const BUILDING: StageInfo = StageInfo {
    flag: "events",
    help: "Build digi events of each timeslice after the chain, as bench events does",
    heading: "Events",
    axes: RULES,
    results: |[events, digis]| format!("{events} events with {digis} digis"),
};

impl StreamedTask for StsTask {
    type Stage<'a> = EventStage<'a>;

    fn open_loop(&self) -> OpenLoopInfo {
        OpenLoopInfo {
            on_cpu: "time-sweep",
            on_gpu: "balanced",
            examples: EXAMPLES,
            length_flag: "scale",
            results: |[clusters, hits]| format!("{clusters} clusters, {hits} hits"),
            file: Some(HITS),
            stage: Some(BUILDING),
        }
    }

    fn frame(&self, params: &Params) -> Result<FramePlan, DataError> {
        let all = scenario(params)?;
        let scale = sts_scenario::SCALE.value(params)? / f64::from(all.timeslices);
        let mut single = params.clone();
        single.set(sts_scenario::SCALE.axis().name, scale.to_string());
        let frame_ns = scenario(&single)?.timeslice_ns;
        Ok(FramePlan { params: single, frames: all.timeslices, frame_ns })
    }

    fn generate_frame(
        &self,
        plan: &FramePlan,
        rate: RelativeRate,
        seed: u64,
    ) -> Result<Timeslices, DataError> {
        let mut params = plan.params.clone();
        if let Some(rate) = rate {
            let rate_hz = scenario(&params)?.rate_hz * rate;
            params.set(sts_scenario::RATE.axis().name, rate_hz.to_string());
        }
        self.generate(&params, seed)
    }

    fn split(&self, input: Timeslices) -> Vec<Timeslices> {
        input.0.into_iter().map(|timeslice| Timeslices(vec![timeslice])).collect()
    }

    fn stated_frame_ns(&self, files: &InputFiles) -> Result<Option<u64>, DataError> {
        timeslice_duration_ns(files.first())
    }

    fn stream_memory(
        &self,
        params: Option<&Params>,
        variants: &[&str],
        has_stage: bool,
    ) -> StreamMemory {
        let raw = params.filter(|params| params.get("from").is_some());
        let modules =
            |params| scenario(params).map_or(0, |scenario| scenario.segments() as u64 / 2);
        let worker = variants.iter().copied().map(worker_share).fold(0.0, f64::max);
        StreamMemory {
            prepared: raw.map_or(PREPARED, |_| PREPARED_RAW),
            reference: REFERENCE,
            worker: worker + if has_stage { EVENTS } else { 0.0 },
            table_bytes: raw.map_or(0, |params| modules(params) * TABLES),
            over_input: OVER_INPUT,
        }
    }

    fn describe(&self, frames: &[Timeslices]) -> Result<Vec<u8>, String> {
        shared::describe(&timeslices(frames))
    }

    fn arrays<'i>(&self, frame: &'i Timeslices) -> Vec<&'i [u8]> {
        frame.0.first().map(shared::arrays).unwrap_or_default()
    }

    fn attach(
        &self,
        description: &[u8],
        arrays: Vec<Vec<LentBytes>>,
    ) -> Result<Vec<Timeslices>, String> {
        let timeslices = shared::attach(description, arrays)?;
        Ok(self.split(Timeslices(timeslices)))
    }

    fn sums(&self, output: &Vec<Product>, segments: Segments) -> SegmentSums {
        sums_of(output, segments)
    }

    fn write_frame(&self, output: &Vec<Product>, path: &Path) -> io::Result<()> {
        hits_file::write(path, output)
    }

    fn check_stage(&self, stage: &Params) -> Result<(), DataError> {
        EventRules::from_params(stage).map(drop)
    }

    fn stage<'a>(
        &self,
        frame: &'a Timeslices,
        stage: &Params,
        arena: &'a Arena,
        threads: usize,
    ) -> Result<EventStage<'a>, DataError> {
        EventStage::new(&frame.0[0], EventRules::from_params(stage)?, arena, threads)
    }

    fn expected_of_stage(
        &self,
        frame: &Timeslices,
        stage: &Params,
    ) -> Result<SegmentSums, DataError> {
        let events = right_events(&frame.0[0], EventRules::from_params(stage)?)?;
        Ok(event_sums(&events))
    }
}

/// Scenario of complete parameters, of digis or of raw data.
fn scenario(params: &Params) -> Result<Scenario, DataError> {
    let mut params = params.clone();
    params.complete(&[sts_scenario::ORDER.axis()]);
    sts_scenario::scenario(&params)
}

fn timeslices(frames: &[Timeslices]) -> Vec<&Timeslice> {
    frames.iter().flat_map(|frame| &frame.0).collect()
}

/// Share of a worker, by variant.
fn worker_share(variant: &str) -> f64 {
    match variant {
        "time-sweep" | "per-side" | "online" | "online-serial-zero" => WORKER,
        _ => LARGE_WORKER,
    }
}
