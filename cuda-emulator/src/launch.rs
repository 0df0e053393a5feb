//! Launching a kernel: checks, and starting of workers.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::checker::Checker;
use super::config::{Config, Launch, Statistics};
use super::error::EmulatorError;
use super::fiber::{MAX_STACKS, StackPool};
use super::memory::DeviceMemory;
use super::table::{Argument, Kernel, KernelName};
use super::worker::{self, Run};

/// CUDA's limit.
const MAX_THREADS: u64 = 1024;
/// Maximum of a block on Hopper, the largest of all GPUs.
const MAX_SHARED_BYTES: usize = 227 << 10;
const MAX_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Runs all blocks of a launch.
pub(super) fn run(
    kernel: KernelName<'_>,
    launch: &Launch,
    arguments: &[Argument<'_>],
    config: &Config,
    stacks: &StackPool,
    memory: &mut DeviceMemory,
) -> Result<Statistics, EmulatorError> {
    let slot = kernel.thread_slot()?;
    let kernel = kernel.find(config.lanes, config.checked)?;
    check(kernel, launch, arguments)?;
    let run = Run {
        kernel,
        arguments: arguments.iter().map(|a| a.value).collect::<Vec<*const c_void>>(),
        launch: *launch,
        config: *config,
        stacks,
        slot,
        workers: workers(config, launch),
        next_block: AtomicU64::new(0),
        progress: AtomicU64::new(0),
        at_work: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        checker: Mutex::new(config.checked.then(|| Checker::new(memory))),
    };
    let result = share(&run);
    let checker = run.checker.into_inner();
    if let Some(checker) = checker.unwrap_or_else(PoisonError::into_inner) {
        let traffic = checker.finish(memory);
        if let Some(counter) = &mut memory.counter {
            counter.add_launch(kernel.name, launch.declared_bytes, traffic);
        }
    }
    result
}

pub(super) fn check(
    kernel: &Kernel,
    launch: &Launch,
    arguments: &[Argument<'_>],
) -> Result<(), EmulatorError> {
    check_arguments(kernel, arguments)?;
    check_shape(kernel, launch)
}

/// More workers than blocks have nothing to do; the checker knows one; all threads
/// of a block must get a stack.
fn workers(config: &Config, launch: &Launch) -> usize {
    let blocks = usize::try_from(launch.blocks()).unwrap_or(usize::MAX);
    let max = blocks.min(MAX_STACKS / launch.threads() as usize);
    let wanted = if config.checked { 1 } else { config.workers };
    wanted.clamp(1, max)
}

fn share(run: &Run<'_>) -> Result<Statistics, EmulatorError> {
    let results: Vec<_> = thread::scope(|scope| {
        let start = |index| {
            let builder = thread::Builder::new().name(format!("emulator-{index}"));
            builder.spawn_scoped(scope, move || worker::work(run, index))
        };
        let started: Vec<_> = (0..run.workers).map(start).collect();
        started.into_iter().map(finished).collect()
    });
    let total = |all: Statistics, one: Result<Statistics, _>| one.map(|one| all.plus(one));
    results.into_iter().try_fold(Statistics::default(), total)
}

type Started<'scope> =
    std::io::Result<thread::ScopedJoinHandle<'scope, Result<Statistics, EmulatorError>>>;

fn finished(started: Started<'_>) -> Result<Statistics, EmulatorError> {
    let failed = |problem: String| EmulatorError::Resources { what: "thread", problem };
    let thread = started.map_err(|error| failed(error.to_string()))?;
    let joined = thread.join();
    joined.map_err(|_| failed("it panicked".to_owned()))?
}

fn check_arguments(kernel: &Kernel, arguments: &[Argument<'_>]) -> Result<(), EmulatorError> {
    let sizes = kernel.argument_sizes();
    if sizes.len() != arguments.len() {
        return Err(EmulatorError::ArgumentCount {
            kernel: kernel.name.to_owned(),
            expected: sizes.len(),
            actual: arguments.len(),
        });
    }
    let mut pairs = sizes.iter().map(|&size| usize::from(size)).zip(arguments);
    let other = pairs.position(|(size, argument)| size != argument.bytes);
    other.map_or(Ok(()), |index| {
        Err(EmulatorError::ArgumentSize {
            kernel: kernel.name.to_owned(),
            index,
            expected: usize::from(sizes[index]),
            actual: arguments[index].bytes,
        })
    })
}

fn check_shape(kernel: &Kernel, launch: &Launch) -> Result<(), EmulatorError> {
    let Launch { grid, shared_bytes, .. } = launch;
    let shared = shared_bytes.saturating_add(kernel.shared.size);
    let threads = launch.threads();
    let problem = if launch.blocks() == 0 || threads == 0 {
        "no blocks or no threads".to_owned()
    } else if grid.iter().zip(MAX_BLOCKS).any(|(&n, max)| n > max) {
        format!("a grid of {grid:?} blocks; the maximum is {MAX_BLOCKS:?}")
    } else if threads > MAX_THREADS {
        format!("{threads} threads per block; the maximum is {MAX_THREADS}")
    } else if shared > MAX_SHARED_BYTES {
        format!("{shared} bytes of shared memory per block; the maximum is {MAX_SHARED_BYTES}")
    } else {
        return Ok(());
    };
    let kernel = kernel.name.to_owned();
    Err(EmulatorError::Shape { kernel, problem })
}
