//! Runs a kernel that is right and one with a race on the CPU:
//! `cargo run -p cuda-emulator-example --example race`.

use std::error::Error;

use cuda_emulator::{Argument, Config, Emulator, EmulatorError, Launch};
use cuda_emulator_example::KERNELS;

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(reason) = KERNELS.unavailable() {
        return Err(reason.into());
    }
    let text = include_bytes!("race.rs");
    let counts = histogram("histogram", text)?;
    println!("{} spaces, {} semicolons", counts[32], counts[59]);
    match histogram("hasty_histogram", text) {
        Ok(_) => println!("nothing was found"),
        Err(error) => println!("{error}"),
    }
    Ok(())
}

/// Number of occurrences of each byte value, counted by a kernel.
fn histogram(kernel: &str, text: &[u8]) -> Result<Vec<u32>, EmulatorError> {
    let config = Config { checked: true, ..Config::default() };
    let emulator = Emulator::new(config);
    let bytes = emulator.upload(text)?;
    let counts = emulator.upload(&[0_u32; 256])?;
    let count = text.len() as u32;
    let arguments =
        [Argument::pointer(&bytes), Argument::value(&count), Argument::pointer(&counts)];
    // SAFETY: each byte of the text is counted in one of 256 words, and accesses are checked.
    unsafe { emulator.launch(KERNELS.named(kernel), &Launch::linear(4, 256), &arguments) }?;
    emulator.download(counts)
}
