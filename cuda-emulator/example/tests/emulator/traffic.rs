//! Bytes that a kernel reads and writes are counted once each.

use cuda_emulator::{Argument, Config, Emulator, Launch, SECTOR_BYTES};
use cuda_emulator_example::KERNELS;

const BLOCKS: u32 = 2;
const THREADS: u32 = 256;
/// A multiple of neither the size of a sector nor that of a block.
const BYTES: u32 = 1003;

#[test]
fn bytes_that_are_read_and_written_are_counted_once() {
    if let Some(reason) = KERNELS.unavailable() {
        println!("skipped: {reason}");
        return;
    }
    let config = Config { checked: true, ..Config::default() };
    let emulator = Emulator::new(&KERNELS, config).expect("an emulator");
    let bytes = emulator.upload(&[7_u8; BYTES as usize]).expect("memory");
    let counts = emulator.upload(&[0_u32; 256]).expect("memory");
    let arguments =
        [Argument::pointer(&bytes), Argument::value(&BYTES), Argument::pointer(&counts)];
    let launch = Launch::linear(BLOCKS, THREADS);
    let histogram = |launch: &Launch| {
        // SAFETY: the kernel stays within the buffers.
        unsafe { emulator.launch("histogram", launch, &arguments) }
    };
    histogram(&launch).expect("no bug");
    emulator.count_traffic();
    histogram(&launch.with_declared_bytes(3000)).expect("no bug");
    histogram(&launch.with_declared_bytes(40)).expect("no bug");
    histogram(&launch).expect("no bug");
    emulator.end_of_work();
    histogram(&launch).expect("no bug");
    emulator.download::<u32>(counts).expect("counts");
    let traffic = emulator.traffic();
    let counted = 256 * size_of::<u32>() as u64;
    assert_eq!(traffic.input_bytes, u64::from(BYTES) + counted);
    assert_eq!(traffic.output_bytes, counted, "what was counted is read after the work");
    let sectors = u64::from(BYTES.next_multiple_of(SECTOR_BYTES as u32));
    let launches =
        |declared| traffic.kernels.iter().find(move |it| (it.declared_bytes > 0) == declared);
    let declared = launches(true).expect("two launches");
    assert_eq!((declared.launches, declared.declared_bytes), (2, 3040));
    assert_eq!(declared.read_bytes, 2 * (sectors + counted));
    assert_eq!(declared.written_bytes, 2 * counted);
    let others = launches(false).expect("a launch, and none after the work");
    assert_eq!((others.launches, others.read_bytes), (1, sectors + counted));
    assert_eq!(traffic.kernels.len(), 2);
    assert_eq!(emulator.traffic(), Default::default(), "the count has ended");
}
