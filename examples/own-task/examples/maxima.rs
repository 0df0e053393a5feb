//! A task in one file: the largest sample of each waveform.

use std::process::ExitCode;

use recobench::data::DataError;
use recobench::data::random::hash;
use recobench::parallel::{Grain, for_each_part};
use recobench::tasks::algorithm::{Algorithm, Plan, Semantics, TaskInfo, Variant, Work};
use recobench::tasks::axis::{Flag, Params, axes};
use recobench::tasks::registry::TaskSet;
use recobench::tasks::task::TypedTask;

/// Samples of a waveform.
const LENGTH: usize = 64;

axes! {
    AXES {
        WAVEFORMS: usize = Flag::count("waveforms").or("200k") => "Waveforms of 64 samples";
    }
}

#[derive(Clone, Copy)]
struct Maxima;

impl Algorithm for Maxima {
    type Input = Vec<u32>;
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        TaskInfo::new("maxima", "find the largest sample of each waveform", AXES)
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(AXES);
        // An input, and the maxima of a variant, of the reference and of a check.
        let words = (LENGTH as u64 + 3).saturating_mul(WAVEFORMS.value(&params)? as u64);
        Ok(Plan { params, memory_bytes: words.saturating_mul(4) })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Vec<u32>, DataError> {
        Ok(random(WAVEFORMS.value(params)?, seed))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Vec<u32>)> {
        let first_is_max = (0..LENGTH).map(|i| if i == 0 { u32::MAX } else { 0 });
        vec![
            ("none".to_owned(), Vec::new()),
            ("an odd number".to_owned(), random(1001, seed)),
            ("the first is the largest".to_owned(), first_is_max.collect()),
        ]
    }

    fn work(&self, input: &Vec<u32>) -> Work {
        let bytes = size_of_val(input.as_slice()) as u64;
        Work {
            items: (input.len() / LENGTH) as u64,
            item_unit: "waveform",
            bytes_min: bytes + bytes / LENGTH as u64,
            input_bytes: bytes,
            has_reference: true,
            ..Work::default()
        }
    }

    fn reference(&self, input: &Vec<u32>, _: Semantics) -> Option<Vec<u32>> {
        input.chunks(LENGTH).map(|waveform| waveform.iter().copied().max()).collect()
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        vec![SERIAL, PARALLEL]
    }
}

fn random(waveforms: usize, seed: u64) -> Vec<u32> {
    (0..(waveforms * LENGTH) as u64).map(|i| hash(seed, [i]) as u32).collect()
}

fn find_maxima(input: &[u32], maxima: &mut [u32]) {
    for (max, waveform) in maxima.iter_mut().zip(input.chunks(LENGTH)) {
        *max = waveform.iter().fold(0, |max, sample| max.max(*sample));
    }
}

const SERIAL: Variant<Maxima> = Variant::cpu("serial", "one waveform after the other", |at| {
    let input = at.input;
    at.fill_output(input.len() / LENGTH, size_of_val(input.as_slice()), |maxima| {
        find_maxima(input, maxima);
    })
});

const PARALLEL: Variant<Maxima> = Variant::cpu("parallel", "waveforms on all threads", |at| {
    let input = at.input;
    at.fill_output(input.len() / LENGTH, size_of_val(input.as_slice()), |maxima| {
        for_each_part(maxima, Grain::Adaptive, |first, part| {
            find_maxima(&input[first * LENGTH..], part);
        });
    })
});

pub const TASKS: TaskSet = TaskSet::new(&[&TypedTask(Maxima)]);

fn main() -> ExitCode {
    recobench::run(&[TASKS])
}
