//! Bytes of device memory that kernels read and write, for comparison with the bytes that launchers
//! declare, from which bandwidths are computed.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a sector: the unit in which a GPU accesses its memory.
pub const SECTOR_BYTES: usize = 32;

/// Device memory used by the launches of a kernel that declared bytes, or by the others. A sector
/// counts once per launch, as if it stayed in a cache from then on: once if it is read, and once
/// more if it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTraffic {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Number of launches.
    pub launches: u64,
    /// Bytes that were declared, see [`Launch::declared_bytes`](crate::Launch::declared_bytes).
    pub declared_bytes: u64,
    /// Bytes of the sectors that were read.
    pub read_bytes: u64,
    /// Bytes of the sectors that were written.
    pub written_bytes: u64,
}

/// Device memory that was used since [`Emulator::count_traffic`](crate::Emulator::count_traffic).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Traffic of each kernel, by name; launches that declared bytes are separate from those that
    /// did not.
    pub kernels: Vec<KernelTraffic>,
    /// Bytes written before the count and read by kernels or copies: the input.
    pub input_bytes: u64,
    /// Bytes that kernels, copies or fills wrote, and that the host or a kernel after
    /// [`Emulator::end_of_work`](crate::Emulator::end_of_work) read, or that were written to memory
    /// which the host shares: the output.
    pub output_bytes: u64,
}

/// Phase of the work whose launches are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Work,
    /// Kernels that read results of the work.
    Results,
}

/// A running count.
pub(super) struct Counter {
    phase: Phase,
    kernels: BTreeMap<(&'static str, bool), KernelTraffic>,
    /// Bytes of memory that was freed meanwhile.
    input_bytes: u64,
    output_bytes: u64,
}

#[derive(Clone, Copy, Default)]
pub(super) struct LaunchTraffic {
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
}

/// Uses of each byte of an allocation since the start of the count.
#[derive(Default)]
pub(super) struct ByteUses(Vec<u8>);

/// [`ByteUses`]: read, and not written before.
const INPUT: u8 = 1;
/// [`ByteUses`]: written.
const WRITTEN: u8 = 2;
/// [`ByteUses`]: written and then read as a result.
const OUTPUT: u8 = 4;

/// Uses of an allocation by one launch.
pub(super) struct LaunchUses {
    phase: Phase,
    bytes: ByteUses,
    /// [`READ`] and [`WRITE`] of each sector.
    sectors: Vec<u8>,
}

const READ: u8 = 1;
const WRITE: u8 = 2;

impl Counter {
    pub(super) fn new() -> Self {
        Counter { phase: Phase::Work, kernels: BTreeMap::new(), input_bytes: 0, output_bytes: 0 }
    }

    pub(super) fn end_of_work(&mut self) {
        self.phase = Phase::Results;
    }

    /// Starts the count of an allocation's uses by a launch.
    pub(super) fn launch_uses(&self, bytes: ByteUses) -> LaunchUses {
        let sectors = vec![0; bytes.0.len().div_ceil(SECTOR_BYTES)];
        LaunchUses { phase: self.phase, bytes, sectors }
    }

    /// Adds the traffic of a finished launch.
    pub(super) fn add_launch(
        &mut self,
        kernel: &'static str,
        declared_bytes: u64,
        traffic: LaunchTraffic,
    ) {
        if self.phase != Phase::Work {
            return;
        }
        let sum = self.kernels.entry((kernel, declared_bytes > 0)).or_insert(KernelTraffic {
            kernel,
            launches: 0,
            declared_bytes: 0,
            read_bytes: 0,
            written_bytes: 0,
        });
        sum.launches += 1;
        sum.declared_bytes += declared_bytes;
        sum.read_bytes += traffic.read_bytes;
        sum.written_bytes += traffic.written_bytes;
    }

    /// Adds the uses of an allocation that is freed, or when the count ends. The host's reads of
    /// shared memory are not seen.
    pub(super) fn add_uses(&mut self, uses: &ByteUses, is_shared: bool) {
        let count = |flag| uses.0.iter().filter(|&&uses| uses & flag != 0).count() as u64;
        self.input_bytes += count(INPUT);
        self.output_bytes += count(if is_shared { WRITTEN } else { OUTPUT });
    }

    pub(super) fn end(self) -> Traffic {
        Traffic {
            kernels: self.kernels.into_values().collect(),
            input_bytes: self.input_bytes,
            output_bytes: self.output_bytes,
        }
    }
}

impl ByteUses {
    pub(super) fn new(bytes: usize) -> Self {
        ByteUses(vec![0; bytes])
    }

    /// Records that a kernel or a copy reads some bytes.
    pub(super) fn read(&mut self, range: Range<usize>) {
        for uses in self.uses_of(range) {
            if *uses & WRITTEN == 0 {
                *uses |= INPUT;
            }
        }
    }

    /// Records that a kernel, a copy or a fill writes some bytes.
    pub(super) fn write(&mut self, range: Range<usize>) {
        self.uses_of(range).iter_mut().for_each(|uses| *uses |= WRITTEN);
    }

    /// Records that the host, or a kernel after the work, reads some bytes.
    pub(super) fn read_result(&mut self, range: Range<usize>) {
        for uses in self.uses_of(range) {
            if *uses & WRITTEN != 0 {
                *uses |= OUTPUT;
            }
        }
    }

    /// The uses of these bytes; empty if traffic is not counted.
    fn uses_of(&mut self, range: Range<usize>) -> &mut [u8] {
        self.0.get_mut(range).unwrap_or_default()
    }
}

impl LaunchUses {
    /// Records an access of the kernel.
    pub(super) fn access(&mut self, range: Range<usize>, reads: bool, writes: bool) {
        let sectors = range.start / SECTOR_BYTES..range.end.div_ceil(SECTOR_BYTES);
        let flags = if reads { READ } else { 0 } | if writes { WRITE } else { 0 };
        self.sectors[sectors].iter_mut().for_each(|sector| *sector |= flags);
        match self.phase {
            Phase::Work => {
                if reads {
                    self.bytes.read(range.clone());
                }
                if writes {
                    self.bytes.write(range);
                }
            }
            Phase::Results if reads => self.bytes.read_result(range),
            Phase::Results => (),
        }
    }

    pub(super) fn end(self, traffic: &mut LaunchTraffic) -> ByteUses {
        let count = |flag| self.sectors.iter().filter(|&&sector| sector & flag != 0).count();
        traffic.read_bytes += (count(READ) * SECTOR_BYTES) as u64;
        traffic.written_bytes += (count(WRITE) * SECTOR_BYTES) as u64;
        self.bytes
    }
}
