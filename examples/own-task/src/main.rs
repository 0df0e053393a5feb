//! `bench` with the task `pulses`.

mod kernels {
    //! Launchers of the kernels.
    #![allow(dead_code, reason = "made from the kernels' sources")]
    recobench::gpu::include_kernels!();
}
mod pulses;

use std::process::ExitCode;

use recobench::tasks::built_in_suites;
use recobench::tasks::registry::TaskSet;
use recobench::tasks::task::TypedTask;

const TASKS: TaskSet = TaskSet {
    suites: built_in_suites!("../suites", ["pulses"]),
    ..TaskSet::new(&[&TypedTask(pulses::Pulses)])
};

fn main() -> ExitCode {
    recobench::run(&[TASKS])
}
