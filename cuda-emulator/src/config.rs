//! Configuration of an emulator, and statistics of a launch.

use std::fmt;
use std::str::FromStr;

/// Lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// A warp of an NVIDIA GPU.
    L32,
    /// A wavefront of an AMD GPU.
    L64,
}

/// Choice of the next thread among the ready ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The one that has waited longest.
    InOrder,
    /// The one that came last.
    Reverse,
    /// Any.
    Random,
    /// Any, and another one after some atomics and polls.
    Preempting,
}

/// An order of threads. With one worker, the same schedule is the same order every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Seed of random choices.
    pub seed: u64,
    /// Choice of the next thread.
    pub policy: Policy,
}

/// Configuration of an emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Lanes of a warp.
    pub lanes: Lanes,
    /// Order of threads.
    pub schedule: Schedule,
    /// True to check each memory access. About a hundred times slower.
    pub checked: bool,
    /// Threads of the host that run blocks; checked kernels are run by one.
    pub workers: usize,
    /// Maximum number of polls of a worker before it reports an endless loop, unless one of its
    /// threads returns or any block finishes meanwhile.
    pub max_polls: u64,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: usize,
    /// Bytes of device memory that the kernel reads and writes, as declared by its launcher;
    /// compared with the counted ones, see
    /// [`Emulator::count_traffic`](crate::Emulator::count_traffic).
    pub declared_bytes: u64,
}

/// Statistics of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Blocks that were run.
    pub blocks: u64,
    /// Threads that were run.
    pub threads: u64,
    /// Number of times that a thread waited and was resumed.
    pub switches: u64,
    /// Arrivals of threads at barriers.
    pub barriers: u64,
    /// Arrivals of threads at warp collectives.
    pub collectives: u64,
}

impl Lanes {
    /// Number of lanes.
    pub fn count(self) -> u32 {
        match self {
            Lanes::L32 => 32,
            Lanes::L64 => 64,
        }
    }
}

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 4] =
        [Policy::InOrder, Policy::Reverse, Policy::Random, Policy::Preempting];

    /// True if choices are random.
    pub(super) fn is_random(self) -> bool {
        matches!(self, Policy::Random | Policy::Preempting)
    }
}

impl Default for Config {
    /// 32 lanes, in order, unchecked, on all of the host's processors; some seconds of polling
    /// count as an endless loop.
    fn default() -> Self {
        Config {
            lanes: Lanes::L32,
            schedule: Schedule { seed: 0, policy: Policy::InOrder },
            checked: false,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            max_polls: 1 << 22,
        }
    }
}

impl Launch {
    /// Blocks and threads in one dimension, without dynamic shared memory.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Launch { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 0, declared_bytes: 0 }
    }

    /// Returns the launch with this dynamic shared memory.
    pub fn with_shared_bytes(self, shared_bytes: usize) -> Self {
        Launch { shared_bytes, ..self }
    }

    /// Returns the launch with this number of declared bytes of device memory.
    pub fn with_declared_bytes(self, declared_bytes: u64) -> Self {
        Launch { declared_bytes, ..self }
    }

    pub(super) fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Threads of a block.
    pub(super) fn threads(&self) -> u64 {
        product(self.block)
    }
}

/// Product of three 32-bit numbers; it can't overflow after the check, and saturates above any
/// limit before it.
fn product(sizes: [u32; 3]) -> u64 {
    sizes.iter().fold(1_u64, |all, &size| all.saturating_mul(u64::from(size)))
}

impl Statistics {
    /// Statistics of two workers together.
    pub(super) fn plus(self, other: Self) -> Self {
        Statistics {
            blocks: self.blocks + other.blocks,
            threads: self.threads + other.threads,
            switches: self.switches + other.switches,
            barriers: self.barriers + other.barriers,
            collectives: self.collectives + other.collectives,
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::InOrder => "in-order",
            Policy::Reverse => "reverse",
            Policy::Random => "random",
            Policy::Preempting => "preempting",
        })
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Policy::ALL.into_iter().find(|p| p.to_string() == text);
        found.ok_or_else(|| {
            format!("unknown policy \"{text}\"; there are in-order, reverse, random and preempting")
        })
    }
}
