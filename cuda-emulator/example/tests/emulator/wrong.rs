//! Kernels with a bug: each must be found for any order of execution.

use cuda_emulator::{
    Argument, Config, Emulator, EmulatorError, Fault, Launch, MemoryLocation, Statistics,
};

use cuda_emulator_example::KERNELS;

use crate::device::{THREADS, configs};

const SEEDS: u64 = 4;
const BLOCKS: u32 = 3;

/// Runs a kernel on buffers of zeros, one word for each thread.
fn run(
    config: Config,
    kernel: &str,
    buffers: usize,
    threads: u32,
) -> Result<Statistics, EmulatorError> {
    let emulator = Emulator::new(config);
    let words = vec![0_u32; (BLOCKS * threads) as usize];
    let uploaded = (0..buffers).map(|_| emulator.upload(&words));
    let buffers = uploaded.collect::<Result<Vec<_>, _>>()?;
    let arguments: Vec<_> = buffers.iter().map(Argument::pointer).collect();
    let launch = Launch::linear(BLOCKS, threads).with_shared_bytes(threads as usize * 4);
    // SAFETY: kernels that access memory outside of the buffers run with the checker only, which
    // stops them.
    unsafe { emulator.launch(KERNELS.named(kernel), &launch, &arguments) }
}

fn fault(error: &EmulatorError) -> Option<&Fault> {
    match error {
        EmulatorError::Access { access, .. } => Some(&access.fault),
        _ => None,
    }
}

fn location(error: &EmulatorError) -> Option<MemoryLocation> {
    match error {
        EmulatorError::Access { access, .. } => Some(access.location),
        _ => None,
    }
}

/// Line of the bug: the first after its comment.
fn line(marker: &str) -> u32 {
    let source = include_str!("../../kernels/wrong.cu");
    let kernel = source.find(&format!("void {marker}(")).expect("a kernel");
    let bug = kernel + source[kernel..].find("// BUG").expect("a bug");
    2 + source[..bug].matches('\n').count() as u32
}

fn is_race(error: &EmulatorError, kernel: &str) -> bool {
    let EmulatorError::Access { at, access } = error else {
        return false;
    };
    let Fault::Race(other) = &access.fault else {
        return false;
    };
    let file = "example/kernels/wrong.cu";
    let lines = [&at.line, &other.line];
    lines.iter().all(|at| at.file == file) && lines.iter().any(|at| at.line == line(kernel))
}

/// A bug: its kernel, the number of its buffers, whether only the checker finds it, and a test of
/// the kernel's error.
type Bug = (&'static str, usize, bool, fn(&EmulatorError, &str) -> bool);

const BUGS: [Bug; 14] = [
    // The first thread reads memory that no thread has written yet.
    ("emulator_no_syncthreads", 1, true, |error, kernel| {
        fault(error) == Some(&Fault::Uninitialised) || is_race(error, kernel)
    }),
    ("emulator_no_syncwarp", 1, true, |error, _| {
        matches!(fault(error), Some(Fault::Race(_)))
            && matches!(location(error), Some(MemoryLocation::DynamicShared { .. }))
    }),
    // Races between blocks.
    ("emulator_block_race", 1, true, is_race),
    // A flag that releases nothing.
    ("emulator_no_release", 2, true, |error, _| matches!(fault(error), Some(Fault::Race(_)))),
    // A shuffle without half of its lanes.
    ("emulator_divergent_shuffle", 1, false, |error, kernel| {
        let site = format!("wrong.cu:{}", line(kernel));
        is_deadlock(error, &["__shfl_down_sync", "__syncthreads", &site])
    }),
    // A barrier that some threads miss.
    ("emulator_divergent_barrier", 1, false, |error, _| is_deadlock(error, &["__ballot_sync"])),
    // Lanes of a mask that do different things.
    (
        "emulator_unequal_collectives",
        1,
        false,
        |error, kernel| matches!(error, EmulatorError::Misuse { at, .. } if at.line.line == line(kernel)),
    ),
    ("emulator_uninitialised_shared", 1, true, is_uninitialised),
    ("emulator_uninitialised_dynamic", 1, true, is_uninitialised),
    ("emulator_beyond_global", 1, true, |error, _| fault(error) == Some(&Fault::OutOfBounds)),
    ("emulator_beyond_dynamic", 1, true, |error, _| {
        let size = THREADS as usize * 4;
        let offset = size as i64;
        fault(error) == Some(&Fault::OutOfBounds)
            && location(error) == Some(MemoryLocation::DynamicShared { offset, size })
    }),
    ("emulator_misaligned", 1, true, |error, _| fault(error) == Some(&Fault::Misaligned)),
    // A mask with a lane that has returned.
    ("emulator_exited_lane", 1, false, |error, _| matches!(error, EmulatorError::Misuse { .. })),
    (
        "emulator_trapping",
        1,
        false,
        |error, _| matches!(error, EmulatorError::Trap { at } if at.thread == 5),
    ),
];

fn is_deadlock(error: &EmulatorError, parts: &[&str]) -> bool {
    let report = error.to_string();
    matches!(error, EmulatorError::Deadlock { .. })
        && parts.iter().all(|part| report.contains(part))
}

fn is_uninitialised(error: &EmulatorError, kernel: &str) -> bool {
    matches!(error, EmulatorError::Access { at, access }
        if access.fault == Fault::Uninitialised && at.line.line == line(kernel))
}

#[test]
fn each_bug_is_found_in_all_orders() {
    for (kernel, buffers, checked, expected) in BUGS {
        for config in configs(checked, SEEDS) {
            let error = run(config, kernel, buffers, THREADS).expect_err(kernel);
            let report = error.to_string();
            assert!(expected(&error, kernel), "{config:?}: {report}");
            assert!(report.contains(kernel), "{report}");
        }
    }
}

#[test]
fn uninitialised_global_memory() {
    for config in configs(true, 1) {
        let emulator = Emulator::new(config);
        let words = THREADS as usize * 4;
        let input = emulator.allocate(words).expect("memory");
        let output = emulator.allocate(words).expect("memory");
        let launch = Launch::linear(1, THREADS);
        let arguments = [Argument::pointer(&input), Argument::pointer(&output)];
        // SAFETY: the kernel stays within these buffers.
        let run = || unsafe {
            emulator.launch(KERNELS.named("emulator_uninitialised_global"), &launch, &arguments)
        };
        let error = run().expect_err("it was never written");
        assert_eq!(fault(&error), Some(&Fault::Uninitialised), "{error}");
        emulator.mark_written(input).expect("ours");
        run().expect("the host has written it");
    }
}

#[test]
fn a_spin_that_never_ends() {
    for config in configs(false, 2) {
        let config = Config { max_polls: 1 << 16, ..config };
        let error = run(config, "emulator_endless_spin", 1, 32).expect_err("endless");
        assert!(matches!(error, EmulatorError::EndlessSpin { .. }), "{error}");
    }
}

#[test]
fn launches_that_no_gpu_supports_are_refused() {
    for config in configs(false, 1) {
        let emulator = Emulator::new(config);
        let out = emulator.upload(&[0_u32; 1024]).expect("memory");
        let pointer = Argument::pointer(&out);
        let small = Argument::value(&1_u32);
        let kernel = "emulator_block_race";
        let fine = Launch::linear(1, 32);
        let shape = |error: &EmulatorError| matches!(error, EmulatorError::Shape { .. });
        type Refusal = fn(&EmulatorError) -> bool;
        let refused: [(_, _, &[Argument<'_>], Refusal); 7] = [
            ("emulator_of_nothing", fine, &[], |error| {
                matches!(error, EmulatorError::UnknownKernel { .. })
            }),
            (kernel, fine, &[pointer, small], |error| {
                error.to_string().ends_with("takes 1 arguments, got 2")
            }),
            (kernel, fine, &[small], |error| error.to_string().ends_with("has 8 bytes, got 4")),
            (kernel, Launch::linear(0, 32), &[pointer], shape),
            (kernel, Launch::linear(1, 0), &[pointer], shape),
            (kernel, Launch::linear(1, 1025), &[pointer], shape),
            (kernel, fine.with_shared_bytes(228 << 10), &[pointer], shape),
        ];
        for (kernel, launch, arguments, expected) in refused {
            // SAFETY: refused before anything runs.
            let error = unsafe { emulator.launch(KERNELS.named(kernel), &launch, arguments) };
            let error = error.expect_err("refused");
            assert!(expected(&error), "{error}");
        }
    }
}
