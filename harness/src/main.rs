//! The binary `bench`.

use std::process::ExitCode;

use harness::platform::LabAllocator;

/// Large blocks on huge pages, and a count of what variants allocate.
#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

fn main() -> ExitCode {
    harness::run(std::env::args_os())
}
