//! `bench` with the task `pulses`.

mod kernels {
    //! Launchers of the kernels.
    #![allow(dead_code, reason = "made from the kernels' sources")]
    recobench::gpu::include_kernels!();
}
mod pulses;

use std::process::ExitCode;

use recobench::tasks::registry::{BuiltInSuite, TaskSet};
use recobench::tasks::task::TypedTask;

const TASKS: TaskSet = TaskSet {
    suites: &[BuiltInSuite { name: "pulses", text: include_str!("../suites/pulses.toml") }],
    ..TaskSet::new(&[&TypedTask(pulses::Pulses)])
};

fn main() -> ExitCode {
    recobench::run(&[TASKS])
}
