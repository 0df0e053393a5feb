//! The binary `bench`: the lab with the tasks that this package comes with.

use std::process::ExitCode;

fn main() -> ExitCode {
    recobench::run(recobench::TASKS)
}
