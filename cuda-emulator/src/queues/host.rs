//! Page-locked memory of the host: a GPU reads and writes it after the call that starts a copy.

use std::collections::BTreeMap;

use crate::error::EmulatorError;

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
