//! What is held during the runs of a plugin, wherever they are.

use super::instance::{Instance, ResultIn};
use super::task::{Addresses, Array};
use crate::device::gpu::DeviceError;

/// The buffers of a plugin, with guards around them.
pub(super) trait Held: Send {
    /// Provides fresh arrays, for a call from this thread.
    ///
    /// # Errors
    /// If the device refuses.
    fn load(&mut self, arrays: &[Array<'_>]) -> Result<(), DeviceError>;

    /// Where plugins find the buffers.
    fn addresses(&mut self) -> Addresses;

    /// Overwrites all but fresh arrays, and renews the guards.
    ///
    /// # Errors
    /// If the device refuses.
    fn poison(&mut self) -> Result<(), DeviceError>;

    /// Runs the plugin, which was reset with these buffers, and all copies that belong to a
    /// run.
    ///
    /// # Errors
    /// If it fails, or the device does.
    fn run(&mut self, plugin: &mut Instance) -> Result<(), DeviceError>;

    /// What was written beside a buffer since it was poisoned.
    ///
    /// # Errors
    /// If the device refuses.
    fn overrun(&self) -> Result<Option<String>, DeviceError>;

    /// The first byte at which an array, by its number, is not what it was.
    ///
    /// # Errors
    /// If the device refuses.
    fn changed(&self, array: usize, content: &[u8]) -> Result<Option<usize>, DeviceError>;

    /// The result of the last run.
    fn result(&self, lies: ResultIn) -> &[u8];

    /// Gives the buffers back.
    fn release(self: Box<Self>);
}

/// The first byte at which two arrays differ. They may have gigabytes: as a whole they are
/// compared much quicker than byte by byte.
pub(super) fn first_difference(before: &[u8], after: &[u8]) -> Option<usize> {
    if before == after {
        return None;
    }
    let mut pairs = before.iter().zip(after);
    pairs.position(|(before, after)| before != after)
}
