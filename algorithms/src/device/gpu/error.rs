//! What can go wrong on a GPU.

/// A GPU that can't do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no such device, or it can't be used.
    #[error("{device} can't be used: {reason}")]
    Unusable {
        /// The device.
        device: String,
        /// Why.
        reason: String,
    },
    /// No room for a buffer.
    #[error(
        "{device} has no room for a buffer of {needed} bytes: {free} of its {total} bytes are free; use less data, or end what else uses it"
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes of the buffer.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes that there are.
        total: u64,
    },
    /// A buffer that is larger than any may be.
    #[error("{device} has no buffers of {needed} bytes: its largest have {most}; use less data")]
    TooLarge {
        /// The device.
        device: String,
        /// Bytes of the buffer.
        needed: u64,
        /// Bytes of the largest buffer.
        most: u64,
    },
    /// A kernel that needs what the device does not have.
    #[error("kernel {kernel} needs {needed}; {device} has {available}")]
    Lacking {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// What it needs.
        needed: String,
        /// What there is of it.
        available: String,
    },
    /// No room for a page-locked buffer.
    #[error(
        "the host has no room for a page-locked buffer of {needed} bytes; use less data, or raise `ulimit -l`"
    )]
    OutOfPinnedMemory {
        /// Bytes of the buffer.
        needed: u64,
    },
    /// A kernel that could not be started.
    #[error("kernel {kernel} can't be started on {device}: {problem}")]
    Launch {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// What the driver says.
        problem: String,
    },
    /// A kernel that did what it must not do.
    #[error("a kernel failed on {device} ({kernels}): {problem}")]
    Kernel {
        /// The device.
        device: String,
        /// The kernels that it may have been.
        kernels: String,
        /// What the driver or the emulator says.
        problem: String,
    },
    /// A plugin that failed, on whatever device.
    #[error("{plugin} {problem}")]
    Plugin {
        /// The library's file name.
        plugin: String,
        /// What it did.
        problem: String,
    },
    /// Anything else.
    #[error("{what} failed on {device}: {problem}")]
    Failed {
        /// The device.
        device: String,
        /// What was tried.
        what: &'static str,
        /// What the driver says.
        problem: String,
    },
}
