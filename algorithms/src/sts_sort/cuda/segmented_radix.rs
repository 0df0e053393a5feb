//! Radix sort of each segment with one block, as CUB's
//! `DeviceSegmentedRadixSort` does it: the digis themselves (three arrays), or
//! extracted keys that have the digis as their values (six arrays).

use generators::partition::Partition;

use super::{Digis, Sorter, Words, begins, sort_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, Table, image};
use crate::sts_sort::StsSort;

static IMAGE: Image = image!("sts_sort-segmented_radix");

static PASS: Kernel<(Digis, Digis, Words, u32, u32)> = Kernel::new(&IMAGE, "segmented_radix_pass");
static PAIRS_PASS: Kernel<(Digis, Digis, Digis, Digis, Words, u32, u32)> =
    Kernel::new(&IMAGE, "segmented_radix_pairs_pass");
static KEYS: Kernel<(Digis, Digis, u32)> = Kernel::new(&IMAGE, "segmented_radix_keys");

const THREADS: u32 = 512;
/// Keys that a block distributes at once.
const TILE: u32 = THREADS * 8;
/// Digits of 8 bits at most.
const BINS: u32 = 1 << 8;

/// First bit and number of bits of each digit of a digi: the time, then the
/// channel. An even number of passes, so that the last one ends in the output.
const DIGITS_OF_DIGI: [(u32, u32); 6] = [(0, 8), (8, 8), (16, 8), (24, 7), (37, 6), (43, 5)];
/// The same for a key of 42 bits.
const DIGITS_OF_KEY: [(u32, u32); 6] = [(0, 7), (7, 7), (14, 7), (21, 7), (28, 7), (35, 7)];

/// Input, output, and an array between them.
pub(super) const SEGMENTED_RADIX: Variant<StsSort> = Variant::cuda(
    "segmented-radix",
    "LSD radix sort a segment with one block, six passes (as CUB), digis as keys: 3n",
    |at| {
        sort_on_gpu(at, |gpu, partition| {
            Ok(Box::new(Keys::new(gpu, partition)?))
        })
    },
);

/// Input, output, and an array between them, of keys and of values.
pub(super) const SEGMENTED_RADIX_PAIRS: Variant<StsSort> = Variant::cuda(
    "segmented-radix-pairs",
    "LSD radix sort a segment with one block, six passes (as CUB), keys and values: 6n",
    |at| {
        sort_on_gpu(at, |gpu, partition| {
            Ok(Box::new(Pairs::new(gpu, partition)?))
        })
    },
);

/// Three arrays.
struct Triple {
    input: DeviceBuffer<u64>,
    between: DeviceBuffer<u64>,
    output: DeviceBuffer<u64>,
}

buffers!(Triple: input, between, output);

impl Triple {
    fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(Triple {
            input: gpu.buffer(length)?,
            between: gpu.buffer(length)?,
            output: gpu.buffer(length)?,
        })
    }

    /// Where a pass reads and where it writes.
    fn of_pass(&self, pass: usize) -> (&DeviceBuffer<u64>, &DeviceBuffer<u64>) {
        match pass {
            0 => (&self.input, &self.between),
            _ if pass % 2 == 1 => (&self.between, &self.output),
            _ => (&self.output, &self.between),
        }
    }
}

/// What both sorts need besides their arrays.
struct Segments {
    partition: Partition,
    begins: Table,
}

buffers!(Segments: begins);

impl Segments {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        Ok(Segments {
            begins: Table::new(gpu, partition.segments() + 1)?,
            partition: partition.clone(),
        })
    }

    fn digis(&self) -> u64 {
        self.partition.elements() as u64
    }

    /// A block a segment, with `arrays` tiles in shared memory, which moves so
    /// many words for each digi.
    fn shape(&self, gpu: &Gpu, arrays: u32, words: u64) -> Shape {
        let lanes = gpu.properties().lanes;
        let counts = THREADS / lanes * BINS + lanes + 2 * BINS;
        Shape {
            blocks: self.partition.segments() as u32,
            threads: THREADS,
            shared_bytes: 8 * TILE * arrays + 4 * counts,
            bytes: words * self.digis() * size_of::<u64>() as u64,
        }
    }
}

struct Keys {
    digis: Triple,
    segments: Segments,
}

buffers!(Keys: digis, segments);

impl Keys {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        Ok(Keys {
            digis: Triple::new(gpu, partition.elements())?,
            segments: Segments::new(gpu, partition)?,
        })
    }
}

impl Sorter for Keys {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis.input
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.digis.output
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Segments { partition, begins } = &mut self.segments;
        begins.fill(gpu, self::begins(partition))?;
        // Read twice, to count and to distribute, and written once.
        let shape = self.segments.shape(gpu, 1, 3);
        for (pass, (shift, bits)) in DIGITS_OF_DIGI.into_iter().enumerate() {
            let (from, to) = self.digis.of_pass(pass);
            let arguments = (from, to, self.segments.begins.device(), shift, bits);
            // SAFETY: all arrays have a place for each digi of each segment.
            unsafe { gpu.launch(&PASS, &shape, arguments)? };
        }
        Ok(())
    }
}

struct Pairs {
    keys: Triple,
    digis: Triple,
    segments: Segments,
}

buffers!(Pairs: keys, digis, segments);

impl Pairs {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        Ok(Pairs {
            keys: Triple::new(gpu, partition.elements())?,
            digis: Triple::new(gpu, partition.elements())?,
            segments: Segments::new(gpu, partition)?,
        })
    }

    fn extract_keys(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let digis = self.segments.digis() as u32;
        let shape = Shape {
            // Two digis a thread.
            blocks: digis.div_ceil(2 * THREADS),
            threads: THREADS,
            shared_bytes: 0,
            bytes: 2 * self.digis.input.bytes(),
        };
        let arguments = (&self.digis.input, &self.keys.input, digis);
        // SAFETY: both arrays have so many elements.
        unsafe { gpu.launch(&KEYS, &shape, arguments) }
    }
}

impl Sorter for Pairs {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis.input
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.digis.output
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Segments { partition, begins } = &mut self.segments;
        begins.fill(gpu, self::begins(partition))?;
        self.extract_keys(gpu)?;
        // Keys as above, values read and written once.
        let shape = self.segments.shape(gpu, 2, 5);
        for (pass, (shift, bits)) in DIGITS_OF_KEY.into_iter().enumerate() {
            let ((keys, keys_to), (digis, digis_to)) =
                (self.keys.of_pass(pass), self.digis.of_pass(pass));
            let begins = self.segments.begins.device();
            let arguments = (keys, digis, keys_to, digis_to, begins, shift, bits);
            // SAFETY: all arrays have a place for each digi of each segment.
            unsafe { gpu.launch(&PAIRS_PASS, &shape, arguments)? };
        }
        Ok(())
    }
}
