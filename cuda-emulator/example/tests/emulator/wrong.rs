//! Kernels with a bug: each must be found, whatever the order of turns.

use cuda_emulator::{
    Argument, Config, Emulator, EmulatorError, Fault, Launch, MemoryPlace, Statistics,
};

use cuda_emulator_example::KERNELS;

use crate::device::{THREADS, configs};

const SEEDS: u64 = 4;
const BLOCKS: u32 = 3;

type Outcome = Result<Statistics, EmulatorError>;

/// Runs a kernel on buffers of zeros, one word for each thread.
fn run(config: Config, kernel: &str, buffers: usize, threads: u32) -> Outcome {
    let emulator = Emulator::new(&KERNELS, config)?;
    let words = vec![0_u32; (BLOCKS * threads) as usize];
    let uploaded = (0..buffers).map(|_| emulator.upload(&words));
    let buffers = uploaded.collect::<Result<Vec<_>, _>>()?;
    let arguments: Vec<_> = buffers.iter().map(Argument::pointer).collect();
    let launch = Launch::linear(BLOCKS, threads).with_shared_bytes(threads as usize * 4);
    // SAFETY: what leaves the buffers is only run where the checker stops it.
    unsafe { emulator.launch(kernel, &launch, &arguments) }
}

/// The bug is found in all orders, and the report names kernel and file.
fn found(kernel: &str, buffers: usize, checked: bool, expected: impl Fn(&EmulatorError) -> bool) {
    for config in configs(checked, SEEDS) {
        let error = run(config, kernel, buffers, THREADS).expect_err(kernel);
        let report = error.to_string();
        assert!(expected(&error), "{config:?}: {report}");
        assert!(report.contains(kernel), "{report}");
        println!("{report}");
    }
}

fn fault(error: &EmulatorError) -> Option<&Fault> {
    match error {
        EmulatorError::Access { access, .. } => Some(&access.fault),
        _ => None,
    }
}

fn place(error: &EmulatorError) -> Option<MemoryPlace> {
    match error {
        EmulatorError::Access { access, .. } => Some(access.place),
        _ => None,
    }
}

/// The line of the bug: the first behind its comment.
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

#[test]
fn missing_syncthreads() {
    let kernel = "emulator_no_syncthreads";
    found(kernel, 1, true, |error| {
        // Who comes first reads what nobody has written yet.
        fault(error) == Some(&Fault::Uninitialised) || is_race(error, kernel)
    });
}

#[test]
fn missing_syncwarp() {
    let kernel = "emulator_no_syncwarp";
    for config in configs(true, SEEDS) {
        let error = run(config, kernel, 1, THREADS).expect_err(kernel);
        assert!(matches!(fault(&error), Some(Fault::Race(_))), "{error}");
        assert!(
            matches!(place(&error), Some(MemoryPlace::DynamicShared { .. })),
            "{error}"
        );
    }
}

#[test]
fn races_between_blocks() {
    let kernel = "emulator_block_race";
    found(kernel, 1, true, |error| is_race(error, kernel));
}

#[test]
fn a_flag_that_releases_nothing() {
    let kernel = "emulator_no_release";
    found(kernel, 2, true, |error| {
        matches!(fault(error), Some(Fault::Race(_)))
    });
}

#[test]
fn a_shuffle_without_half_of_its_lanes() {
    found("emulator_divergent_shuffle", 1, false, |error| {
        let report = error.to_string();
        let site = format!("wrong.cu:{}", line("emulator_divergent_shuffle"));
        matches!(error, EmulatorError::Deadlock { .. })
            && report.contains("__shfl_down_sync")
            && report.contains("__syncthreads")
            && report.contains(&site)
    });
}

#[test]
fn a_barrier_that_some_threads_miss() {
    found("emulator_divergent_barrier", 1, false, |error| {
        matches!(error, EmulatorError::Deadlock { .. })
            && error.to_string().contains("__ballot_sync")
    });
}

#[test]
fn lanes_of_a_mask_that_do_different_things() {
    found(
        "emulator_unequal_collectives",
        1,
        false,
        |error| matches!(error, EmulatorError::Misuse { at, .. } if at.line.line == line("emulator_unequal_collectives")),
    );
}

#[test]
fn uninitialised_reads() {
    for kernel in [
        "emulator_uninitialised_shared",
        "emulator_uninitialised_dynamic",
    ] {
        found(kernel, 1, true, |error| {
            let EmulatorError::Access { at, access } = error else {
                return false;
            };
            access.fault == Fault::Uninitialised && at.line.line == line(kernel)
        });
    }
}

#[test]
fn uninitialised_global_memory() {
    for config in configs(true, 1) {
        let emulator = Emulator::new(&KERNELS, config).expect("an emulator");
        let words = THREADS as usize * 4;
        let input = emulator.allocate(words).expect("memory");
        let output = emulator.allocate(words).expect("memory");
        let launch = Launch::linear(1, THREADS);
        let arguments = [Argument::pointer(&input), Argument::pointer(&output)];
        // SAFETY: the kernel stays within these buffers.
        let run =
            || unsafe { emulator.launch("emulator_uninitialised_global", &launch, &arguments) };
        let error = run().expect_err("nobody has written it");
        assert_eq!(fault(&error), Some(&Fault::Uninitialised), "{error}");
        emulator.mark_written(input).expect("ours");
        run().expect("the host has written it");
    }
}

#[test]
fn beyond_memory() {
    found("emulator_beyond_global", 1, true, |error| {
        fault(error) == Some(&Fault::OutOfBounds)
    });
    found("emulator_beyond_dynamic", 1, true, |error| {
        let size = THREADS as usize * 4;
        let place = place(error);
        fault(error) == Some(&Fault::OutOfBounds)
            && place
                == Some(MemoryPlace::DynamicShared {
                    offset: size as i64,
                    size,
                })
    });
}

#[test]
fn misaligned_vectors() {
    found("emulator_misaligned", 1, true, |error| {
        fault(error) == Some(&Fault::Misaligned)
    });
}

#[test]
fn a_mask_with_a_lane_that_has_returned() {
    found("emulator_exited_lane", 1, false, |error| {
        matches!(error, EmulatorError::Misuse { .. })
    });
}

#[test]
fn a_trap() {
    found(
        "emulator_trapping",
        1,
        false,
        |error| matches!(error, EmulatorError::Trap { at } if at.thread == 5),
    );
}

#[test]
fn a_spin_that_never_ends() {
    for config in configs(false, 2) {
        let config = Config {
            most_polls: 1 << 16,
            ..config
        };
        let error = run(config, "emulator_endless_spin", 1, 32).expect_err("endless");
        assert!(
            matches!(error, EmulatorError::EndlessSpin { .. }),
            "{error}"
        );
    }
}

#[test]
fn launches_that_no_gpu_takes() {
    for config in configs(false, 1) {
        let emulator = Emulator::new(&KERNELS, config).expect("an emulator");
        let out = emulator.upload(&[0_u32; 1024]).expect("memory");
        let (pointer, small) = (Argument::pointer(&out), Argument::value(&1_u32));
        let launch = |kernel: &str, launch: Launch, arguments: &[Argument<'_>]| {
            // SAFETY: refused before anything runs.
            unsafe { emulator.launch(kernel, &launch, arguments) }.expect_err("refused")
        };
        let (kernel, fine) = ("emulator_block_race", Launch::linear(1, 32));
        let error = launch("emulator_of_nothing", fine, &[]);
        assert!(
            matches!(error, EmulatorError::UnknownKernel { .. }),
            "{error}"
        );
        let error = launch(kernel, fine, &[pointer, small]);
        assert!(
            matches!(
                error,
                EmulatorError::ArgumentCount {
                    expected: 1,
                    given: 2,
                    ..
                }
            ),
            "{error}"
        );
        let error = launch(kernel, fine, &[small]);
        assert!(
            matches!(
                error,
                EmulatorError::ArgumentSize {
                    expected: 8,
                    given: 4,
                    ..
                }
            ),
            "{error}"
        );
        let shared = fine.with_shared_bytes(228 << 10);
        for shape in [
            Launch::linear(0, 32),
            Launch::linear(1, 0),
            Launch::linear(1, 1025),
            shared,
        ] {
            let error = launch(kernel, shape, &[pointer]);
            assert!(matches!(error, EmulatorError::Shape { .. }), "{error}");
        }
    }
}
