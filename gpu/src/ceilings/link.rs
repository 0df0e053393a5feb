//! Copies between host memory and a GPU.

use std::fmt;

use super::{PAIR, grid, wrong};
use crate::kernels::ceilings_streams::{CEILING_COPY, CeilingCopy};
use crate::{DeviceBuffer, DeviceError, Gpu, MappedBuffer, PinnedBuffer};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Maximum number of words that are checked.
const CHECKED: usize = 4096;

/// Kind of memory on the host's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostMemory {
    /// Ordinary memory, which the driver copies to a staging buffer first.
    Pageable,
    /// Page-locked memory, which the device copies directly.
    Pinned,
    /// Page-locked memory that a kernel reads or writes, without a copy.
    Mapped,
}

/// Direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    ToHost,
    /// In both directions concurrently, with an equal number of bytes. For pinned memory only.
    Both,
}

/// Buffers on both sides.
pub struct LinkBuffers {
    device: DeviceBuffer<u64>,
    other_device: DeviceBuffer<u64>,
    host: Host,
    words: usize,
}

/// The host's side; unused buffers are empty.
enum Host {
    Pageable(Vec<u64>),
    Pinned(PinnedBuffer<u64>, PinnedBuffer<u64>),
    Mapped(MappedBuffer<u64>),
}

impl HostMemory {
    /// All of them.
    pub const ALL: [Self; 3] = [HostMemory::Pageable, HostMemory::Pinned, HostMemory::Mapped];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            HostMemory::Pageable => "pageable",
            HostMemory::Pinned => "pinned",
            HostMemory::Mapped => "mapped",
        }
    }

    /// Supported directions of copies from and to such memory.
    pub fn directions(self) -> &'static [Direction] {
        match self {
            HostMemory::Pinned => &[Direction::ToDevice, Direction::ToHost, Direction::Both],
            _ => &[Direction::ToDevice, Direction::ToHost],
        }
    }
}

impl fmt::Display for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Direction {
    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::ToDevice => "h2d",
            Direction::ToHost => "d2h",
            Direction::Both => "both",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl LinkBuffers {
    /// Allocates buffers for copies of up to `bytes` bytes, with host memory of a kind.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(gpu: &Gpu, memory: HostMemory, bytes: usize) -> Result<Self, DeviceError> {
        let words = (bytes / PAIR).max(1) * (PAIR / WORD);
        Ok(LinkBuffers {
            device: gpu.buffer(words)?,
            other_device: gpu.buffer(words)?,
            host: match memory {
                HostMemory::Pageable => Host::Pageable(vec![0; words]),
                HostMemory::Pinned => Host::Pinned(gpu.pinned(words)?, gpu.pinned(words)?),
                HostMemory::Mapped => Host::Mapped(gpu.mapped(words)?),
            },
            words,
        })
    }

    /// Starts the copy of a block of up to `bytes` bytes; returns the number of copied bytes, of
    /// both directions together.
    ///
    /// # Errors
    /// If the device refuses, or this kind of memory does not support the direction.
    pub fn copy(
        &mut self,
        gpu: &Gpu,
        direction: Direction,
        bytes: usize,
    ) -> Result<u64, DeviceError> {
        let words = ((bytes / PAIR).max(1) * (PAIR / WORD)).min(self.words);
        let block = (words * WORD) as u64;
        let device = &self.device;
        let pairs = (block as usize / PAIR) as u32;
        match (&mut self.host, direction) {
            (Host::Pageable(host), Direction::ToDevice) => gpu.upload(device, &host[..words])?,
            (Host::Pageable(host), Direction::ToHost) => {
                gpu.download(&mut host[..words], device)?;
            }
            (Host::Pinned(host, _), Direction::ToDevice) => {
                gpu.upload(device, host.part(0..words))?;
            }
            (Host::Pinned(host, _), Direction::ToHost) => {
                gpu.download(host.part_mut(0..words), device)?;
            }
            (Host::Pinned(up, down), Direction::Both) => {
                let to_host = down.part_mut(0..words);
                gpu.exchange(device, up.part(0..words), to_host, &self.other_device)?;
                return Ok(2 * block);
            }
            (Host::Mapped(host), Direction::ToDevice | Direction::ToHost) => {
                let (to, from) = match direction {
                    Direction::ToDevice => (device.ptr(), host.ptr()),
                    _ => (host.ptr(), device.ptr()),
                };
                let grid = grid(pairs, 1);
                let copy = CeilingCopy { to, from, pairs };
                // SAFETY: both sides have `pairs` pairs.
                unsafe { gpu.launch(&CEILING_COPY, grid, copy) }?;
            }
            (_, Direction::Both) => {
                let problem =
                    "only pinned memory can be copied in both directions at once".to_owned();
                return Err(wrong(gpu, "copying both ways", problem));
            }
        }
        Ok(block)
    }

    /// Copies words to the device and back, and compares them. Waits for the device.
    ///
    /// # Errors
    /// If the device refuses, or the words differ.
    pub fn check(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let words = self.words.min(CHECKED);
        let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (i, target) in self.words_of_host().iter_mut().enumerate() {
            *target = word(i);
        }
        self.copy(gpu, Direction::ToDevice, words * WORD)?;
        gpu.finish()?;
        self.words_of_host()[..words].fill(0);
        self.copy(gpu, Direction::ToHost, words * WORD)?;
        gpu.finish()?;
        let back = &self.words_of_host()[..words];
        let other = back.iter().enumerate().position(|(i, &found)| found != word(i));
        other.map_or(Ok(()), |at| {
            let problem = format!("word {at} did not come back");
            Err(wrong(gpu, "checking the link", problem))
        })
    }

    fn words_of_host(&mut self) -> &mut [u64] {
        match &mut self.host {
            Host::Pageable(words) => words,
            Host::Pinned(words, _) => words,
            Host::Mapped(words) => words,
        }
    }
}
