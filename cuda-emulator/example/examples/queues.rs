//! Counts byte values on a device whose copies and kernels run later than they are submitted, with
//! and without the wait that is needed: `cargo run -p cuda-emulator-example --example queues`.

use std::error::Error;

use cuda_emulator::{
    Argument, Config, Emulator, EmulatorError, Execution, Launch, QueueConfig, QueuedEmulator,
};
use cuda_emulator_example::KERNELS;

/// Queue of the upload, and queue of the kernel and of the download.
const COPIES: usize = 0;
const KERNEL: usize = 1;

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(reason) = KERNELS.unavailable() {
        return Err(reason.into());
    }
    let text = include_bytes!("queues.rs").to_vec();
    let counts = histogram(&text, true)?;
    println!("{} spaces, {} semicolons", counts[32], counts[59]);
    match histogram(&text, false) {
        Ok(counts) => println!("without an order between the queues: {} spaces", counts[32]),
        Err(error) => println!("without an order between the queues: {error}"),
    }
    Ok(())
}

/// Number of occurrences of each byte value. The kernel runs in another queue than the upload;
/// `follows` makes it wait for the upload.
fn histogram(text: &[u8], follows: bool) -> Result<Vec<u32>, EmulatorError> {
    let config = Config { checked: true, ..Config::default() };
    let queues = QueueConfig { queues: 2, execution: Execution::Late };
    let device = QueuedEmulator::new(Emulator::new(config), queues);
    let bytes = device.allocate(text.len())?;
    let counts = device.emulator().upload(&[0_u32; 256])?;
    let mut pinned = text.to_vec();
    // SAFETY: the vector stays until its pages are unlocked.
    unsafe { device.lock_pages(pinned.as_mut_ptr(), pinned.len()) };
    // SAFETY: there are that many bytes, and the vector is not written.
    unsafe { device.upload(COPIES, bytes.address(), pinned.as_ptr(), pinned.len()) }?;
    if follows {
        device.follow(KERNEL, COPIES);
    }
    let count = text.len() as u32;
    let arguments =
        [Argument::pointer(&bytes), Argument::value(&count), Argument::pointer(&counts)];
    // SAFETY: each byte of the text is counted in one of 256 words, and accesses are checked.
    unsafe {
        device.launch(KERNEL, KERNELS.named("histogram"), &Launch::linear(4, 256), &arguments)
    }?;
    let waited = device.wait(KERNEL);
    device.finish()?;
    device.unlock_pages(pinned.as_mut_ptr());
    waited?;
    device.emulator().download(counts)
}
