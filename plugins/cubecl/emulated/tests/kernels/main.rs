//! Compares each kernel with a reference in plain Rust.

mod noisy_pads;
mod sort;

use cubecl_emulated::KERNELS;
use cubecl_kernels::CudaKernel;
use cuda_emulator::{Allocation, Argument, Config, Emulator, Launch, Policy, Schedule};

/// Numbers from a seed: SplitMix64.
struct Numbers(u64);

impl Numbers {
    /// The next one.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One below a limit.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The kernel of that name.
fn kernel(name: &str) -> CudaKernel {
    let kernels = cubecl_kernels::kernels().expect("CubeCL compiles them");
    kernels.into_iter().find(|kernel| kernel.name == name).expect("a kernel of that name")
}

/// A device to run kernels on; `None`, with a message, if there is no C++ compiler.
fn emulator(checked: bool, seed: u64) -> Option<Emulator> {
    if let Some(reason) = KERNELS.unavailable() {
        println!("skipped: {reason}");
        return None;
    }
    let policy = Policy::ALL[seed as usize % Policy::ALL.len()];
    let config = Config { checked, schedule: Schedule { seed, policy }, ..Config::default() };
    Some(Emulator::new(config))
}

/// Runs a kernel on arrays, with numbers that are the same for all threads.
fn run(
    emulator: &Emulator,
    kernel: &CudaKernel,
    blocks: u32,
    arrays: &[Allocation],
    numbers: &[u32],
) {
    let mut info = vec![0_u8; kernel.info_bytes];
    for (index, number) in info.chunks_mut(4).zip(numbers) {
        index.copy_from_slice(&number.to_ne_bytes());
    }
    let arguments = arrays.iter().map(Argument::pointer);
    let arguments: Vec<_> = arguments.chain([Argument::bytes(&info)]).collect();
    let launch = Launch::linear(blocks, kernel.threads).with_shared_bytes(kernel.shared_bytes);
    // SAFETY: arrays are as large as the tests declare, and the checker finds accesses beyond them.
    let ran = unsafe { emulator.launch(KERNELS.named(kernel.name), &launch, &arguments) };
    ran.unwrap_or_else(|error| panic!("{}: {error}", kernel.name));
}

#[test]
fn no_kernel_reads_the_unset_lengths() {
    let kernels = cubecl_kernels::kernels().expect("CubeCL compiles them");
    assert_eq!(kernels.len(), 4);
    for kernel in kernels {
        assert!(!kernel.source.contains("info.static_meta"), "{}", kernel.name);
        assert!(kernel.source.contains("static_meta["), "{}", kernel.name);
    }
}
