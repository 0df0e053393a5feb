//! The binary `bench`.

use std::process::ExitCode;

use harness::platform::LabAllocator;

/// Allocator that puts large blocks on huge pages and counts the allocations of variants.
#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

fn main() -> ExitCode {
    harness::run(std::env::args_os())
}
