//! Copies between the memory of the host and that of a GPU.

use generators::named;

use super::{PAIR, grid, wrong};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, MappedBuffer, PinnedBuffer};
use crate::kernels::ceilings_streams::{CEILING_COPY, CeilingCopy};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Words that are checked, or fewer where buffers are smaller.
const CHECKED: usize = 4096;

/// What kind of memory the host's side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostMemory {
    /// As a program gets it. The driver copies it once more.
    Pageable,
    /// Page-locked: the device copies by itself.
    Pinned,
    /// Page-locked, and read or written by a kernel, without a copy.
    Mapped,
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    ToHost,
    /// As many both ways at the same time. Of pinned memory only.
    Both,
}

/// Buffers on both sides, of some size at most.
pub struct LinkBuffers {
    device: DeviceBuffer<u64>,
    other_device: DeviceBuffer<u64>,
    host: Host,
    words: usize,
}

/// The host's side; what is not asked for takes no memory.
enum Host {
    Pageable(Vec<u64>),
    Pinned(PinnedBuffer<u64>, PinnedBuffer<u64>),
    Mapped(MappedBuffer<u64>),
}

impl HostMemory {
    /// The ways that bytes can go to and from such memory.
    pub fn directions(self) -> &'static [Direction] {
        match self {
            HostMemory::Pinned => &[Direction::ToDevice, Direction::ToHost, Direction::Both],
            _ => &[Direction::ToDevice, Direction::ToHost],
        }
    }
}

impl LinkBuffers {
    /// Buffers for blocks of so many bytes at most, with the host's side of a kind.
    ///
    /// # Errors
    /// If there is no room.
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

    /// Starts the copy of a block of so many bytes; returns how many bytes that
    /// really are, of both directions together.
    ///
    /// # Errors
    /// If the device refuses, or memory of this kind can't do that.
    pub fn copy(
        &mut self,
        gpu: &Gpu,
        direction: Direction,
        bytes: usize,
    ) -> Result<u64, DeviceError> {
        let words = ((bytes / PAIR).max(1) * (PAIR / WORD)).min(self.words);
        let block = (words * WORD) as u64;
        let (device, pairs) = (&self.device, (block as usize / PAIR) as u32);
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
                let up = (device, up.part(0..words));
                gpu.exchange(up, (down.part_mut(0..words), &self.other_device))?;
                return Ok(2 * block);
            }
            (Host::Mapped(host), Direction::ToDevice | Direction::ToHost) => {
                let (to, from) = match direction {
                    Direction::ToDevice => (device.ptr(), host.ptr()),
                    _ => (host.ptr(), device.ptr()),
                };
                let (grid, copy) = (grid(pairs, 1), CeilingCopy { to, from, pairs });
                // SAFETY: both sides have so many pairs.
                unsafe { gpu.launch(&CEILING_COPY, grid, copy) }?;
            }
            (_, Direction::Both) => {
                let problem = "pinned memory only goes both ways at once".to_owned();
                return Err(wrong(gpu, "copying both ways", problem));
            }
        }
        Ok(block)
    }

    /// Sends words there and back, and looks at them. Waits for the device.
    ///
    /// # Errors
    /// If the device refuses, or others came back.
    pub fn check(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let words = self.words.min(CHECKED);
        let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (i, place) in self.words_of_host().iter_mut().enumerate() {
            *place = word(i);
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

named! {
    "memory",
    HostMemory { Pageable = "pageable", Pinned = "pinned", Mapped = "mapped" }
}

named! { "direction", Direction { ToDevice = "h2d", ToHost = "d2h", Both = "both" } }
