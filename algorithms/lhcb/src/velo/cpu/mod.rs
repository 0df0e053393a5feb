//! Variants on the CPU.
//!
//! | module | holds |
//! |---|---|
//! | `worker` | events of a batch, distributed over threads |
//! | `results` | hits and tracks of the events of a thread |
//! | `growth` | growth of clusters in masks of bits |
//! | `patterns` | clusters of flagged super-pixels by pattern |
//! | `published` | as the experiment |
//! | `tables` | recobench's |

mod growth;
pub(in crate::velo) mod patterns;
mod published;
pub mod results;
pub mod tables;
mod worker;

use std::borrow::Cow;

use portable_gpu::DeviceError;
use portable_gpu::timing::Stages;
use tasks::algorithm::{CheckError, Runner, Variant};
use tasks::device::Buffers;

use crate::velo::model::capacities;
use crate::velo::{Stage, VeloInput, VeloOutput, VeloTask};
use worker::{Reconstruction, Workers};

/// All variants on the CPU.
pub const VARIANTS: &[Variant<VeloTask>] = &[
    Variant::cpu(
        "published",
        "as Allen on a CPU: candidates and masks, ranks by counting, windows hit by hit",
        |at| {
            at.session(CpuRunner::<published::Published>::new(
                at.input,
                at.task.stage,
                at.threads(),
            ))
        },
    ),
    Variant::cpu(
        "tables",
        "recobench's: neighbours and patterns by tables, buckets of angles, eight hits at a time",
        |at| at.session(CpuRunner::<tables::Tables>::new(at.input, at.task.stage, at.threads())),
    ),
];

/// Runs a reconstruction up to a stage.
struct CpuRunner<'a, R> {
    input: &'a VeloInput,
    stage: Stage,
    threads: usize,
    times: Stages,
    /// Events of the last run that exceed the experiment's capacities.
    exceeding: usize,
    reconstruction: std::marker::PhantomData<fn() -> R>,
}

impl<'a, R: Reconstruction> CpuRunner<'a, R> {
    fn new(input: &'a VeloInput, stage: Stage, threads: usize) -> Self {
        // The hits that a stage starts from are no part of it.
        match stage {
            Stage::Sort => drop(input.unsorted()),
            Stage::Tracks => drop(input.sorted()),
            Stage::Clusters | Stage::Decode | Stage::Chain => {}
        }
        CpuRunner {
            input,
            stage,
            threads,
            times: Stages::new(),
            exceeding: 0,
            reconstruction: std::marker::PhantomData,
        }
    }
}

impl<R: Reconstruction> Buffers for Workers<R> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.clear();
        Ok(())
    }

    fn bytes(&self) -> u64 {
        Workers::bytes(self)
    }
}

impl<R: Reconstruction> Runner<VeloTask> for CpuRunner<'_, R> {
    type Buffers = Workers<R>;

    fn allocate(&self) -> Result<Workers<R>, DeviceError> {
        Ok(Workers::new(self.threads))
    }

    fn run(&mut self, workers: &mut Workers<R>) -> Result<(), DeviceError> {
        workers.run(self.input, self.stage);
        if self.stage == Stage::Chain {
            self.times = workers.stages();
        }
        Ok(())
    }

    fn stages(&self, _: &Workers<R>) -> Stages {
        self.times.clone()
    }

    fn inspect(&mut self, workers: &mut Workers<R>) -> Result<(), CheckError> {
        self.exceeding = workers.exceeding_events(self.input);
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        capacities::remarks(self.exceeding)
    }

    fn output<'b>(&'b self, workers: &'b Workers<R>) -> Cow<'b, VeloOutput> {
        let (hits, tracks) = workers.results();
        Cow::Owned(VeloOutput { hits, tracks })
    }

    fn input_bytes(&self) -> u64 {
        self.input.bytes(self.stage)
    }
}
