//! Commands of queues, and page-locked memory of the host: a GPU reads and writes it after the call
//! that starts a copy.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::Emulator;
use crate::config::Launch;
use crate::error::EmulatorError;
use crate::table::{Argument, KernelName};

/// A copy, a launch, or a point that another queue has to reach first.
#[derive(Clone)]
pub(super) enum Command {
    /// Bytes that were read when the copy was submitted.
    Upload {
        to: u64,
        bytes: Arc<[u8]>,
    },
    /// Bytes that are read when it runs.
    UploadLater {
        to: u64,
        from: HostBytes,
        expected: ContentHash,
    },
    Download {
        to: HostBytes,
        from: u64,
    },
    /// A download that is waited for by the call that submits it.
    DownloadNow {
        to: HostBytes,
        from: u64,
    },
    Copy {
        to: u64,
        from: u64,
        bytes: usize,
    },
    /// A copy from another device.
    PeerCopy {
        to: u64,
        peer: Arc<Emulator>,
        from: u64,
        bytes: usize,
    },
    Fill {
        to: u64,
        byte: u8,
        bytes: usize,
    },
    Forget {
        address: u64,
    },
    Launch {
        kernel: KernelName<'static>,
        launch: Launch,
        arguments: Arc<[Box<[u8]>]>,
    },
    After {
        queue: usize,
        count: u64,
    },
}

/// Hash of the bytes of an upload when it was submitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentHash(u64);

impl ContentHash {
    fn new(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        ContentHash(hasher.finish())
    }
}

impl Command {
    pub(super) fn upload(to: u64, bytes: &[u8]) -> Self {
        Command::Upload { to, bytes: bytes.into() }
    }

    pub(super) fn upload_later(to: u64, bytes: &[u8]) -> Self {
        let from = HostBytes::new(bytes.as_ptr().cast_mut(), bytes.len());
        Command::UploadLater { to, from, expected: ContentHash::new(bytes) }
    }

    pub(super) fn download(to: *mut u8, from: u64, bytes: usize) -> Self {
        Command::Download { to: HostBytes::new(to, bytes), from }
    }

    pub(super) fn download_now(to: *mut u8, from: u64, bytes: usize) -> Self {
        Command::DownloadNow { to: HostBytes::new(to, bytes), from }
    }

    pub(super) fn launch(
        kernel: KernelName<'static>,
        launch: &Launch,
        arguments: &[Argument<'_>],
    ) -> Self {
        // SAFETY: an argument borrows that many bytes.
        let bytes = |argument: &Argument<'_>| unsafe {
            std::slice::from_raw_parts(argument.value.cast::<u8>(), argument.bytes).into()
        };
        Command::Launch {
            kernel,
            launch: *launch,
            arguments: arguments.iter().map(bytes).collect(),
        }
    }

    /// The command of a recording, submitted again: it reads the current content of the host's
    /// memory.
    pub(super) fn again(&self) -> Self {
        match self {
            // SAFETY: the caller of `replay` promises that the memory of the recording is still
            // allocated.
            Command::UploadLater { to, from, .. } => unsafe {
                Command::upload_later(*to, from.get())
            },
            other => other.clone(),
        }
    }

    /// True if it will read some of these bytes of the host.
    pub(super) fn reads(&self, host: &HostBytes) -> bool {
        matches!(self, Command::UploadLater { from, .. } if from.overlaps(host))
    }

    /// Runs it. The host's memory is there, as was promised when it was submitted.
    pub(super) fn run(
        &self,
        emulator: &Emulator,
        page_locked: &PageLocked,
    ) -> Result<(), EmulatorError> {
        match self {
            Command::Upload { to, bytes } => emulator.write_at(*to, bytes),
            Command::UploadLater { to, from, expected } => {
                page_locked.check(from)?;
                // SAFETY: it is still page-locked, so it is there; no other thread writes it, as
                // was promised when it was submitted.
                let bytes = unsafe { from.get() };
                if ContentHash::new(bytes) != *expected {
                    let count = from.len();
                    return Err(EmulatorError::Order(format!(
                        "{count} bytes of the host were changed before their upload had run"
                    )));
                }
                emulator.write_at(*to, bytes)
            }
            Command::Download { to, from } => {
                page_locked.check(to)?;
                // SAFETY: it is still page-locked, so it is there; no other thread uses it, as was
                // promised when it was submitted.
                emulator.read_at(*from, unsafe { to.get_mut() })
            }
            // SAFETY: the call that submitted it waits for it; its caller promised that the bytes
            // are allocated and that no other thread uses them.
            Command::DownloadNow { to, from } => emulator.read_at(*from, unsafe { to.get_mut() }),
            Command::Copy { to, from, bytes } => emulator.copy_at(*to, *from, *bytes),
            Command::PeerCopy { to, peer, from, bytes } => {
                emulator.copy_from_peer(*to, peer, *from, *bytes)
            }
            Command::Fill { to, byte, bytes } => emulator.fill_at(*to, *byte, *bytes),
            Command::Forget { address } => emulator.forget(*address),
            Command::Launch { kernel, launch, arguments } => {
                let arguments: Vec<_> =
                    arguments.iter().map(|bytes| Argument::bytes(bytes)).collect();
                // SAFETY: the caller of `QueuedEmulator::launch` promised that the kernel accesses
                // only allocated memory of this emulator when it runs.
                unsafe { emulator.launch(*kernel, launch, &arguments) }.map(drop)
            }
            Command::After { .. } => Ok(()),
        }
    }
}

/// Start and end of each block of it.
#[derive(Default)]
pub(super) struct PageLocked(BTreeMap<usize, usize>);

/// Bytes of the host that a copy uses when it runs.
#[derive(Clone, Copy)]
pub(super) struct HostBytes {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: it is an address, which is used only as `Command::run` is promised it may be.
unsafe impl Send for HostBytes {}
// SAFETY: a shared reference only allows a copy of the address.
unsafe impl Sync for HostBytes {}

impl PageLocked {
    pub(super) fn add(&mut self, start: *mut u8, bytes: usize) {
        let address = start.expose_provenance();
        self.0.insert(address, address + bytes);
    }

    pub(super) fn remove(&mut self, start: *mut u8) {
        self.0.remove(&start.addr());
    }

    pub(super) fn has(&self, start: *const u8, bytes: usize) -> bool {
        let begin = start.addr();
        let block = self.0.range(..=begin).next_back();
        block.is_some_and(|(_, &end)| begin < end && begin + bytes <= end)
    }

    /// An error unless some bytes are still there.
    pub(super) fn check(&self, host: &HostBytes) -> Result<(), EmulatorError> {
        if self.has(host.start, host.bytes) {
            return Ok(());
        }
        let problem = "page-locked memory was freed before a copy of it had run";
        Err(EmulatorError::Order(problem.to_owned()))
    }
}

impl HostBytes {
    pub(super) fn new(start: *mut u8, bytes: usize) -> Self {
        HostBytes { start, bytes }
    }

    pub(super) fn overlaps(&self, other: &HostBytes) -> bool {
        let begin = self.start.addr();
        let other_begin = other.start.addr();
        begin < other_begin + other.bytes && other_begin < begin + self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// The bytes.
    ///
    /// # Safety
    /// They must be there, and no other code may write them meanwhile.
    pub(super) unsafe fn get(&self) -> &[u8] {
        // SAFETY: the caller promises that the bytes are valid and not written meanwhile.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    /// The bytes, to be written.
    ///
    /// # Safety
    /// They must be there, and no other code may use them meanwhile.
    #[expect(clippy::mut_from_ref, reason = "an address is shared, not the bytes")]
    pub(super) unsafe fn get_mut(&self) -> &mut [u8] {
        // SAFETY: the caller promises that the bytes are valid and not used elsewhere meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}
