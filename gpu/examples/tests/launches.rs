//! Launches of kernels in up to three dimensions, and kernels without code for a device.

use kernels::transpose::{TILE, TRANSPOSE_MATRICES, TransposeMatrices};
use portable_gpu::emulator::{Config, Execution, Kernels, Lanes};
use portable_gpu::{Argument, Arguments, DeviceError, Gpu, Image, Kernel, LaunchConfig};

#[allow(dead_code, reason = "kernels of examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

/// Emulators with warps of both sizes, without and with checks.
fn emulators() -> impl Iterator<Item = Gpu> {
    if let Some(reason) = portable_gpu::emulator::unavailable() {
        eprintln!("skipped: {reason}");
    }
    let config = |(lanes, checked)| Config { lanes, checked, ..Config::default() };
    let configs = [(Lanes::L32, true), (Lanes::L64, false)].map(config);
    configs.into_iter().filter_map(|config| Gpu::emulated_queues(config, Execution::Late).ok())
}

/// Transposes two matrices of `columns` by `rows` words.
fn transposed(
    gpu: &Gpu,
    config: LaunchConfig,
    columns: u32,
    rows: u32,
) -> Result<Vec<u32>, DeviceError> {
    let words = (2 * columns * rows) as usize;
    let matrices: Vec<u32> = (0..words as u32).collect();
    let matrices = gpu.table(&matrices)?;
    let to = gpu.table(&vec![7_u32; words])?;
    let arguments =
        TransposeMatrices { matrices: matrices.ptr(), transposed: to.ptr(), columns, rows };
    // SAFETY: both buffers have two matrices, and no test starts more.
    unsafe { gpu.launch(&TRANSPOSE_MATRICES, config, arguments) }?;
    gpu.read_back(&to, 0..words)
}

#[test]
fn blocks_and_threads_have_indices_in_three_dimensions() {
    for gpu in emulators() {
        for (columns, rows) in [(20_u32, 35_u32), (16, 16), (1, 40)] {
            let grid = LaunchConfig::grid(columns.div_ceil(TILE), rows.div_ceil(TILE), 2);
            let found = transposed(&gpu, grid.with_block(TILE, TILE, 1), columns, rows);
            let found = found.expect("no failure");
            let word = |i: u32| {
                let matrix = i / (columns * rows);
                let own = i % (columns * rows);
                matrix * columns * rows + own % rows * columns + own / rows
            };
            assert!(found.into_iter().eq((0..2 * columns * rows).map(word)));
        }
    }
}

#[test]
fn grids_without_blocks_start_nothing() {
    for gpu in emulators() {
        for grid in [LaunchConfig::grid(0, 1, 1), LaunchConfig::grid(3, 0, 1)] {
            let found = transposed(&gpu, grid.with_block(TILE, TILE, 1), 2, 2);
            assert_eq!(found, Ok(vec![7; 8]));
        }
    }
}

#[test]
fn sizes_beyond_those_of_the_kernel_are_refused() {
    for gpu in emulators() {
        let grid = LaunchConfig::grid(1, 1, 2);
        for (config, text) in [
            (grid.with_block(16, 16, 2), "it takes 1 to 256 threads per block, not 16 · 16 · 2"),
            (grid.with_block(16, 0, 1), "it takes 1 to 256 threads per block, not 16 · 0 · 1"),
            (grid.with_block(1 << 16, 1 << 16, 1), "threads per block"),
            (LaunchConfig::grid(1 << 16, 1 << 16, 1), "are too many blocks"),
            (LaunchConfig::grid(1, 1 << 17, 1).with_block(16, 16, 1), "a grid of [1, 131072, 1]"),
        ] {
            let refused = transposed(&gpu, config, 2, 2).expect_err(text);
            let is_launch = matches!(refused, DeviceError::Launch { .. });
            assert!(is_launch && refused.to_string().contains(text), "{refused}");
        }
    }
}

/// A kernel of an image that is written by hand.
struct Nothing;

impl Arguments for Nothing {
    fn values(&self) -> Vec<Argument> {
        Vec::new()
    }
}

static NO_CODE: Kernels = Kernels::none("no code for the host was given");
static BY_HAND: Image = Image { source: "by-hand", fatbin: None, shaders: &[], emulated: &NO_CODE };
// SAFETY: it has no code that could differ.
static NOTHING: Kernel<Nothing> = unsafe { Kernel::new(&BY_HAND, "nothing", 32, 0) };
static OTHER_NAME: Image =
    Image { source: "other", fatbin: None, shaders: &[], emulated: &kernels::emulated::KERNELS };
// SAFETY: there is no such kernel.
static UNKNOWN: Kernel<Nothing> = unsafe { Kernel::new(&OTHER_NAME, "unknown", 32, 0) };

#[test]
fn kernels_without_code_are_named_with_the_reason() {
    for gpu in emulators() {
        for (kernel, reason) in [
            (&NOTHING, "kernel nothing has no code for emulator: "),
            (&UNKNOWN, "kernel unknown has no code for emulator: "),
        ] {
            // SAFETY: it does not start.
            let started = unsafe { gpu.launch(kernel, LaunchConfig::blocks(1), Nothing) };
            let text = started.expect_err("no code").to_string();
            assert!(text.starts_with(reason), "{text}");
        }
    }
}
