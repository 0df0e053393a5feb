//! Runs CUDA kernels on the CPU, to check that they are correct.
//!
//! The kernel files are compiled by the host's C++ compiler: see `cuda-emulator-build`. A thread of
//! the host runs a block; each CUDA thread has its own stack, and yields to others where it waits
//! for them. Times are meaningless here. The README is the manual.
//!
//! | module | content |
//! |---|---|
//! | `config` | configuration of an emulator |
//! | `error` | errors of a launch or a kernel, with their location |
//! | `memory` | device memory |
//! | `table` | the kernels, and how they are called |
//! | `launch` | checks a launch, starts workers |
//! | `worker` | schedules blocks and threads |
//! | `queues` | deferred copies and launches, as on a GPU |
//! | `block`, `collective`, `threads` | a started block |
//! | `order`, `fiber` | choice of the next thread, and stacks |
//! | `checker` | checks each memory access |
//! | `traffic` | counts bytes of device memory that are read and written |
//! | `intrinsics` | functions that kernels call |

mod block;
mod checker;
mod collective;
mod config;
mod error;
mod fiber;
mod intrinsics;
mod launch;
mod memory;
mod order;
mod queues;
#[doc(hidden)]
pub mod table;
mod threads;
mod traffic;
mod worker;

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::{AnyBitPattern, NoUninit};

pub use config::{Config, Lanes, Launch, Policy, Schedule, Statistics};
pub use error::{
    BadAccess, BlockAt, EmulatorError, Fault, MemoryLocation, OtherAccess, SourceLine, ThreadAt,
};
use fiber::STACKS;
pub use memory::Allocation;
use memory::DeviceMemory;
pub use queues::{Counts, Event, Execution, Faults, QueueConfig, QueuedEmulator, Recording};
pub use table::{Argument, KernelName, Kernels};
pub use traffic::{KernelTraffic, SECTOR_BYTES, Traffic};

/// An emulated GPU: memory, and execution of kernels on it.
pub struct Emulator {
    config: Config,
    memory: Mutex<DeviceMemory>,
}

impl Emulator {
    /// An emulator with no memory allocated.
    pub fn new(config: Config) -> Self {
        Emulator { config, memory: Mutex::default() }
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the order of threads from now on.
    pub fn set_schedule(&mut self, schedule: Schedule) {
        self.config.schedule = schedule;
    }

    /// Allocates uninitialised device memory.
    ///
    /// # Errors
    /// If there is not enough.
    pub fn allocate(&self, bytes: usize) -> Result<Allocation, EmulatorError> {
        self.memory().allocate(bytes, self.config.checked)
    }

    /// Device memory with these values.
    ///
    /// # Errors
    /// If there is not so much.
    pub fn upload<T: NoUninit>(&self, values: &[T]) -> Result<Allocation, EmulatorError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let allocation = self.allocate(bytes.len())?;
        self.write_at(allocation.address, bytes)?;
        Ok(allocation)
    }

    /// Says that the host has written all of an allocation, by its address.
    ///
    /// # Errors
    /// If it is not this emulator's.
    pub fn mark_written(&self, allocation: Allocation) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        memory.region(allocation)?.mark_written(0..allocation.bytes);
        Ok(())
    }

    /// Returns the values in an allocation; an incomplete last one is left out.
    ///
    /// # Errors
    /// If it is not this emulator's.
    pub fn download<T: AnyBitPattern>(
        &self,
        allocation: Allocation,
    ) -> Result<Vec<T>, EmulatorError> {
        let mut memory = self.memory();
        let bytes = memory.region(allocation)?.buffer.bytes();
        let values = bytes.chunks_exact(size_of::<T>().max(1));
        Ok(values.map(bytemuck::pod_read_unaligned).collect())
    }

    /// Writes bytes at an address, all of them in one allocation.
    ///
    /// # Errors
    /// If no allocation has them.
    pub fn write_at(&self, address: u64, bytes: &[u8]) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        let (region, offset) = memory.at(address, bytes.len())?;
        let range = offset..offset + bytes.len();
        region.buffer.bytes_mut()[range.clone()].copy_from_slice(bytes);
        region.mark_written(range);
        Ok(())
    }

    /// Reads bytes from an address, all of them in one allocation.
    ///
    /// # Errors
    /// If no allocation has them.
    pub fn read_at(&self, address: u64, to: &mut [u8]) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        let (region, offset) = memory.at(address, to.len())?;
        to.copy_from_slice(&region.buffer.bytes()[offset..offset + to.len()]);
        region.uses.read_result(offset..offset + to.len());
        Ok(())
    }

    /// Sets bytes at an address, all of them in one allocation.
    ///
    /// # Errors
    /// If no allocation has them.
    pub fn fill_at(&self, address: u64, byte: u8, bytes: usize) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        let (region, offset) = memory.at(address, bytes)?;
        let range = offset..offset + bytes;
        region.buffer.bytes_mut()[range.clone()].fill(byte);
        region.mark_written(range.clone());
        region.uses.write(range);
        Ok(())
    }

    /// Copies bytes from one address to another. Bytes that were never written are as unwritten
    /// there.
    ///
    /// # Errors
    /// If no allocation has them.
    pub fn copy_at(&self, to: u64, from: u64, bytes: usize) -> Result<(), EmulatorError> {
        self.copy_from_peer(to, self, from, bytes)
    }

    /// Copies bytes from an address of another emulator, as [`Emulator::copy_at`] does from one of
    /// this emulator.
    ///
    /// # Errors
    /// If no allocation has them.
    pub fn copy_from_peer(
        &self,
        to: u64,
        peer: &Emulator,
        from: u64,
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        let content = peer.memory().content(from, bytes)?;
        let mut memory = self.memory();
        let (target, offset) = memory.at(to, bytes)?;
        let range = offset..offset + bytes;
        target.buffer.bytes_mut()[range.clone()].copy_from_slice(&content.bytes);
        target.uses.write(range.clone());
        if let Some(marks) = target.written.get_mut(range) {
            match content.written {
                Some(written) => marks.copy_from_slice(&written),
                None => marks.fill(true),
            }
        }
        Ok(())
    }

    /// Frees the memory that starts at an address.
    ///
    /// # Errors
    /// If no allocation starts there.
    pub fn free_at(&self, address: u64) -> Result<(), EmulatorError> {
        self.memory().free_at(address)
    }

    /// Declares that the host reads and writes an allocation directly, like its own page-locked
    /// memory.
    ///
    /// # Errors
    /// If there is none at that address.
    pub fn share_with_host(&self, address: u64) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        let (region, _) = memory.at(address, 0)?;
        region.is_shared = true;
        Ok(())
    }

    /// Number of allocations that were not freed.
    pub fn allocations(&self) -> usize {
        self.memory().regions.len()
    }

    /// Poisons an allocation as if it were new.
    ///
    /// # Errors
    /// If there is none at that address.
    pub fn forget(&self, address: u64) -> Result<(), EmulatorError> {
        let mut memory = self.memory();
        let (region, _) = memory.at(address, 0)?;
        region.buffer.poison();
        region.written.fill(false);
        Ok(())
    }

    /// Checks the arguments of a launch, without running it.
    ///
    /// # Errors
    /// If there is no such kernel, the build has none, or the launch is invalid.
    pub fn check_launch(
        &self,
        kernel: KernelName<'_>,
        launch: &Launch,
        arguments: &[Argument<'_>],
    ) -> Result<(), EmulatorError> {
        let Config { lanes, checked, .. } = self.config;
        launch::check(kernel.find(lanes, checked)?, launch, arguments)
    }

    /// Bytes of static shared memory of a kernel's block.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn static_shared_bytes(&self, kernel: KernelName<'_>) -> Result<usize, EmulatorError> {
        let Config { lanes, checked, .. } = self.config;
        Ok(kernel.find(lanes, checked)?.shared.size)
    }

    /// Bytes of dynamic shared memory that a kernel declares for each block.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn declared_shared_bytes(&self, kernel: KernelName<'_>) -> Result<u32, EmulatorError> {
        let Config { lanes, checked, .. } = self.config;
        Ok(kernel.find(lanes, checked)?.shared_bytes())
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// If there is no such kernel, the launch is invalid, or the kernel has a bug that shows. After
    /// a bug, the content of memory is unspecified.
    ///
    /// # Safety
    /// Unless the emulator checks, the kernel with these arguments must access only memory of this
    /// emulator.
    pub unsafe fn launch(
        &self,
        kernel: KernelName<'_>,
        launch: &Launch,
        arguments: &[Argument<'_>],
    ) -> Result<Statistics, EmulatorError> {
        // Locked until the end, so that nothing else accesses the memory meanwhile.
        let mut memory = self.memory();
        launch::run(kernel, launch, arguments, &self.config, &STACKS, &mut memory)
    }

    /// Counts the bytes of device memory that are read and written from now on, if accesses are
    /// checked ([`Config::checked`]).
    pub fn count_traffic(&self) {
        self.memory().count_traffic();
    }

    /// The work that is counted has ended: kernels after it read its results.
    pub fn end_of_work(&self) {
        if let Some(counter) = &mut self.memory().counter {
            counter.end_of_work();
        }
    }

    /// Returns the traffic since [`Emulator::count_traffic`], and stops counting.
    pub fn traffic(&self) -> Traffic {
        self.memory().end_traffic()
    }

    fn memory(&self) -> MutexGuard<'_, DeviceMemory> {
        // The list is consistent between statements, even after a panic of another thread.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
