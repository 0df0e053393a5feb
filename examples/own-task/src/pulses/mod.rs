//! The task: the pulse in each waveform of an ADC, its time, height and charge.
//!
//! | file | holds |
//! |---|---|
//! | `waveforms.rs` | the input: axes, generator, files |
//! | `pulse.rs` | the output, and its definition: the reference |
//! | `cpu.rs`, `cuda.rs`, `cuda/warp.cu` | the variants |
//! | `hard_inputs.rs` | what `bench verify` tries |

mod cpu;
mod cuda;
mod hard_inputs;
mod pulse;
mod waveforms;

use std::path::Path;

use recobench::data::DataError;
use recobench::tasks::algorithm::metric::EFFICIENCY;
use recobench::tasks::algorithm::shrink::without_parts;
use recobench::tasks::algorithm::{
    Algorithm, InputFiles, MetricInfo, PartSum, Plan, Quality, Semantics, TaskInfo, Variant, Work,
};
use recobench::tasks::axis::Params;

use pulse::{Pulse, pulse_in};
use waveforms::{AXES, FILE_AXES, Shape, THRESHOLD, Waveforms};

/// The task `pulses`.
#[derive(Clone, Copy, Debug)]
pub struct Pulses;

const TIME_RESIDUAL: MetricInfo =
    MetricInfo::residual("time_residual", "samples", "time resolution");

impl Algorithm for Pulses {
    type Input = Waveforms;
    /// A pulse for each waveform.
    type Output = Vec<Pulse>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "pulses",
            summary: "find the pulse in each waveform of an ADC",
            input: "waveforms",
            file_endings: &["waves"],
            axes: AXES,
            file_axes: FILE_AXES,
            metrics: &[EFFICIENCY, TIME_RESIDUAL],
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        vec![cpu::WAVEFORMS, cpu::TWO_PASSES, cuda::WARP]
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(AXES);
        let memory_bytes = Shape::from_params(&params)?.memory_bytes();
        Ok(Plan { params, memory_bytes })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Waveforms, DataError> {
        Ok(waveforms::generate(&Shape::from_params(params)?, seed))
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(Waveforms, Params), DataError> {
        let mut params = options.clone();
        params.complete(FILE_AXES);
        let waves = waveforms::read(files.only()?, THRESHOLD.value(&params)?)?;
        Ok((waves, params))
    }

    fn write(&self, input: &Waveforms, path: &Path) -> Result<(), DataError> {
        waveforms::write(input, path)
    }

    fn shrink<'i>(&self, input: &'i Waveforms) -> Box<dyn Iterator<Item = Waveforms> + 'i> {
        let without = |gone| Some(input.without(gone)).filter(|left| left.count() > 0);
        Box::new(without_parts(input.count(), without))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Waveforms)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &Waveforms) -> Work {
        let read = size_of_val(input.samples()) as u64;
        let written = (input.count() * size_of::<Pulse>()) as u64;
        Work {
            items: input.count() as u64,
            item_unit: "waveform",
            bytes_min: read + written,
            input_bytes: read,
            to_host_bytes: Some(written),
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &Waveforms, _: Semantics) -> Option<Vec<Pulse>> {
        let pulse = |samples| pulse_in(samples, input.threshold());
        Some(input.each().map(pulse).collect())
    }

    fn quality(&self, input: &Waveforms, output: &Vec<Pulse>) -> Vec<Quality> {
        let Some(truth) = input.truth() else { return Vec::new() };
        let both = truth.iter().zip(output).filter_map(|(time, pulse)| Some(((*time)?, pulse)));
        let found: Vec<_> = both.clone().filter(|(_, pulse)| pulse.height > 0).collect();
        let mut distances: Vec<f64> =
            found.iter().map(|(time, pulse)| (pulse.samples() - time).abs()).collect();
        distances.sort_by(f64::total_cmp);
        // Each waveform is an event: its counts give intervals, and pair two runs.
        let events = both.map(|(_, pulse)| PartSum::passed(u64::from(pulse.height > 0), 1));
        // Two of three lie within a standard deviation.
        let residual = distances.get(distances.len() * 68 / 100).copied();
        let efficiency = Quality::share(&EFFICIENCY, events);
        let residual = residual.map(|at| Quality::width(&TIME_RESIDUAL, at, []));
        std::iter::once(efficiency).chain(residual).collect()
    }
}
