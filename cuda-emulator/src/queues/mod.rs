//! Queues of copies and launches, like the streams of a GPU: submitted commands run later, in an
//! order that a seed determines. A launcher that forgets to wait then reads data that have not
//! arrived.
//!
//! | module | content |
//! |---|---|
//! | `command` | one copy or launch, its execution, and page-locked memory that copies use later |
//! | `schedule` | the order in which commands run |
//! | `event` | order between queues and between devices |
//! | `recording` | commands that are recorded and submitted again |

mod command;
mod event;
mod recording;
mod schedule;

use std::backtrace::Backtrace;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::command::Command;
use self::schedule::State;
use super::config::Launch;
use super::error::EmulatorError;
use super::order::SplitMix64;
use super::table::{Argument, KernelName};
use super::{Allocation, Emulator};

pub use self::event::Event;
pub use self::recording::Recording;

/// When submitted commands run. Each queue runs in order; a real GPU may do any of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Execution {
    /// Each when it is submitted: a missing wait is not found.
    #[default]
    Eager,
    /// Each command as late as possible, when something waits for it; the queue of the highest
    /// number first.
    Late,
    /// In a random interleaving of all queues, some when others are submitted.
    Random {
        /// Seed of the interleaving.
        seed: u64,
    },
}

/// Order of commands, and injected faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Number of queues of a device.
    pub queues: usize,
    /// When commands run.
    pub execution: Execution,
}

/// Injected faults, each by the index of an event counted from [`QueuedEmulator::inject`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The wait, or order between two queues, that is skipped. Data that are read too early may
    /// have any value, so launches and allocations are limited meanwhile.
    pub skipped_wait: Option<u64>,
    /// The copy or launch at which the device is lost: it and all later ones fail.
    pub lost_at: Option<u64>,
}

/// Numbers of events since [`QueuedEmulator::inject`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waits and orders between two queues.
    pub waits: u64,
    /// Copies and launches that have run.
    pub commands: u64,
}

/// An emulator whose copies and launches go through queues. Several of them can be devices of one
/// machine, whose queues wait for each other's events.
pub struct QueuedEmulator {
    emulator: Arc<Emulator>,
    execution: Execution,
    /// Index of this device in the machine.
    device: usize,
    /// Its queues among all queues of the machine.
    queues: Range<usize>,
    state: Arc<Mutex<State>>,
}

impl Execution {
    /// Seed of the random order; 0 for orders without one.
    fn seed(self) -> u64 {
        match self {
            Execution::Random { seed } => seed,
            Execution::Eager | Execution::Late => 0,
        }
    }
}

impl QueuedEmulator {
    /// Queues of an emulator.
    pub fn new(emulator: Emulator, config: QueueConfig) -> Self {
        let state = State::new(config.execution);
        Self::on_machine(Arc::new(Mutex::new(state)), emulator, config)
    }

    /// Devices of one machine: their queues can wait for each other, and copy from each other's
    /// memory. Page-locked memory, injected faults and the random order are those of the machine.
    pub fn machine(emulators: Vec<Emulator>, config: QueueConfig) -> Vec<Self> {
        let state = Arc::new(Mutex::new(State::new(config.execution)));
        let device = |emulator| Self::on_machine(Arc::clone(&state), emulator, config);
        emulators.into_iter().map(device).collect()
    }

    fn on_machine(machine: Arc<Mutex<State>>, emulator: Emulator, config: QueueConfig) -> Self {
        let emulator = Arc::new(emulator);
        let (device, queues) = lock(&machine).add(Arc::clone(&emulator), config.queues);
        QueuedEmulator { emulator, execution: config.execution, device, queues, state: machine }
    }

    /// The emulator that runs the kernels.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// When commands run.
    pub fn execution(&self) -> Execution {
        self.execution
    }

    /// Replaces the injected faults, and restarts the counts of events and the random order.
    pub fn inject(&self, faults: Faults) {
        let mut state = self.state();
        state.random = SplitMix64::with_seed(self.execution.seed());
        state.faults = faults;
        state.counts = Counts::default();
        state.skipped = None;
        state.devices.iter_mut().for_each(|device| device.lost = false);
    }

    /// Returns the call stack of the skipped wait, the innermost call first; `None` if there was no
    /// such wait since [`QueuedEmulator::inject`].
    pub fn skipped_wait(&self) -> Option<String> {
        self.state().skipped.as_ref().map(Backtrace::to_string)
    }

    /// Numbers of events since [`QueuedEmulator::inject`].
    pub fn counts(&self) -> Counts {
        self.state().counts
    }

    /// True if all commands fail because of an injected fault.
    pub fn is_lost(&self) -> bool {
        self.state().devices[self.device].lost
    }

    /// Number of commands that were submitted and have not run.
    pub fn pending(&self) -> usize {
        self.state().queues[self.queues.clone()].iter().map(|queue| queue.waiting.len()).sum()
    }

    /// Drops all commands that have not run, and an error that was not reported.
    pub fn reset(&self) {
        let mut state = self.state();
        state.drop_waiting(self.device);
        let device = &mut state.devices[self.device];
        device.recorded = None;
        device.failed = None;
    }

    /// Says that copies from and to some memory of the host may run after their call.
    ///
    /// # Safety
    /// It stays until [`QueuedEmulator::unlock_pages`].
    pub unsafe fn lock_pages(&self, start: *mut u8, bytes: usize) {
        self.state().page_locked.add(start, bytes);
    }

    /// Ends that: copies that have not run by then are an error.
    pub fn unlock_pages(&self, start: *mut u8) {
        self.state().page_locked.remove(start);
    }

    /// Submits a copy of bytes to the device. Memory that is not page-locked is read immediately.
    ///
    /// # Safety
    /// The host's bytes must be valid, and no other thread may write them before the copy has run.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub unsafe fn upload(
        &self,
        queue: usize,
        to: u64,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        let mut state = self.state();
        // SAFETY: the caller promises that `bytes` bytes are valid at `from`.
        let source = unsafe { std::slice::from_raw_parts(from, bytes) };
        let command = if state.page_locked.has(from, bytes) {
            Command::upload_later(to, source)
        } else {
            Command::upload(to, source)
        };
        self.submit(&mut state, self.index(queue), command)
    }

    /// Submits a copy of bytes from the device. Memory that is not page-locked is written before
    /// this returns; other memory is poisoned until the copy runs.
    ///
    /// # Safety
    /// The host's bytes must be valid, and no other thread may use them before the copy has run.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub unsafe fn download(
        &self,
        queue: usize,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        let mut state = self.state();
        if !state.page_locked.has(to, bytes) {
            let queue = self.index(queue);
            self.submit(&mut state, queue, Command::download_now(to, from, bytes))?;
            self.drain(&mut state, queue);
            return state.report(queue);
        }
        let command = Command::download(to, from, bytes);
        if !state.records(self.index(queue)) {
            // SAFETY: the caller promises that the bytes at `to` are valid and unused by other
            // threads.
            unsafe { self.poison_target(&state, &command) };
        }
        self.submit(&mut state, self.index(queue), command)
    }

    /// Submits a copy on the device.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub fn copy(
        &self,
        queue: usize,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        self.submit(&mut self.state(), self.index(queue), Command::Copy { to, from, bytes })
    }

    /// Submits a fill of bytes on the device.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub fn fill(&self, queue: usize, to: u64, byte: u8, bytes: usize) -> Result<(), EmulatorError> {
        self.submit(&mut self.state(), self.index(queue), Command::Fill { to, byte, bytes })
    }

    /// Submits to discard the content of an allocation: it is poisoned, and, where accesses are
    /// checked, marked as unwritten.
    ///
    /// # Errors
    /// Those of commands that run in this call.
    pub fn forget(&self, queue: usize, address: u64) -> Result<(), EmulatorError> {
        self.submit(&mut self.state(), self.index(queue), Command::Forget { address })
    }

    /// Submits a kernel.
    ///
    /// # Safety
    /// Unless the emulator checks, the kernel with these arguments must access only memory of this
    /// emulator that is allocated when the kernel runs.
    ///
    /// # Errors
    /// If the launch is invalid, and those of commands that run in this call.
    pub unsafe fn launch(
        &self,
        queue: usize,
        kernel: KernelName<'static>,
        launch: &Launch,
        arguments: &[Argument<'_>],
    ) -> Result<(), EmulatorError> {
        self.emulator.check_launch(kernel, launch, arguments)?;
        let command = Command::launch(kernel, launch, arguments);
        let mut state = self.state();
        let blocks = launch.blocks();
        if state.faults.skipped_wait.is_some() && blocks > MAX_BLOCKS_WITHOUT_WAIT {
            return Err(EmulatorError::Order(format!("{blocks} blocks are too many")));
        }
        self.submit(&mut state, self.index(queue), command)
    }

    /// Waits for the commands of a queue.
    ///
    /// # Errors
    /// The first error of any command since the last one was reported.
    pub fn wait(&self, queue: usize) -> Result<(), EmulatorError> {
        let mut state = self.state();
        if state.skips() {
            return Ok(());
        }
        let queue = self.index(queue);
        self.drain(&mut state, queue);
        state.report(queue)
    }

    /// Waits for all commands of this device.
    ///
    /// # Errors
    /// Those of the commands, as in [`QueuedEmulator::wait`].
    pub fn finish(&self) -> Result<(), EmulatorError> {
        let mut state = self.state();
        if state.skips() {
            return Ok(());
        }
        match self.execution {
            Execution::Random { .. } => while self.run_any(&mut state) {},
            Execution::Eager | Execution::Late => {
                for queue in self.queues.clone().rev() {
                    self.drain(&mut state, queue);
                }
            }
        }
        state.report(self.queues.start)
    }

    /// Allocates device memory: see [`Emulator::allocate`].
    ///
    /// # Errors
    /// If there is not that much.
    pub fn allocate(&self, bytes: usize) -> Result<Allocation, EmulatorError> {
        self.check_size(bytes)?;
        self.emulator.allocate(bytes)
    }

    /// Checks that memory of a size may be allocated, on the device or the host.
    ///
    /// # Errors
    /// If a wait is skipped and the size is more than any small input needs.
    pub fn check_size(&self, bytes: usize) -> Result<(), EmulatorError> {
        if self.state().faults.skipped_wait.is_some() && bytes > MAX_BYTES_WITHOUT_WAIT {
            return Err(EmulatorError::Order(format!("{bytes} bytes are too many")));
        }
        Ok(())
    }

    /// Index of a queue of this device among all queues of the machine.
    fn index(&self, queue: usize) -> usize {
        self.queues.start + queue
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Commands are removed before they run: the queues are consistent between statements.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Limits of a run without one of its waits.
const MAX_BYTES_WITHOUT_WAIT: usize = 1 << 26;
const MAX_BLOCKS_WITHOUT_WAIT: u64 = 1 << 12;

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Execution::Eager => f.write_str("eager"),
            Execution::Late => f.write_str("late"),
            Execution::Random { seed } => write!(f, "random order {seed}"),
        }
    }
}
