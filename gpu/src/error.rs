//! Errors of GPUs.

/// An error of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no such device, or it can't be used.
    #[error("{device} can't be used: {reason}")]
    Unusable {
        /// The device.
        device: String,
        /// Reason.
        reason: String,
    },
    /// A name that is not a device's.
    #[error(
        "{name} is not the name of a device; names are cuda:N, hip:N, wgpu:N, emulator and emulator:N, with a number N from 0 on"
    )]
    UnknownName {
        /// The name, escaped.
        name: String,
    },
    /// A buffer or an event of another device.
    #[error("the {what} is not one of {device}; pass the device that it belongs to")]
    OtherDevice {
        /// The device.
        device: String,
        /// The argument.
        what: &'static str,
    },
    /// More elements than a buffer has.
    #[error(
        "{what} of {needed} elements exceeds a buffer of {length} on {device}; copy fewer, or make it larger"
    )]
    OutOfBounds {
        /// The device.
        device: String,
        /// Operation that was refused.
        what: &'static str,
        /// Elements up to the end of the range.
        needed: usize,
        /// Elements of the buffer.
        length: usize,
    },
    /// No queue is free.
    #[error("all {count} queues of {device} are in use; drop one")]
    NoQueue {
        /// The device.
        device: String,
        /// Number of queues.
        count: u32,
    },
    /// Not enough device memory for a buffer.
    #[error(
        "{device} has no memory for a buffer of {needed} bytes: {free} of its {total} bytes are free; use less data, or end other programs that use it"
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes of the buffer.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes of memory in total.
        total: u64,
    },
    /// A buffer above the maximum size.
    #[error("{device} has no buffers of {needed} bytes: the maximum is {max}; use less data")]
    TooLarge {
        /// The device.
        device: String,
        /// Bytes of the buffer.
        needed: u64,
        /// Bytes of the largest possible buffer.
        max: u64,
    },
    /// A kernel that needs more of a resource than the device has.
    #[error("kernel {kernel} needs {needed}; {device} has {available}")]
    Lacking {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// Required amount.
        needed: String,
        /// Available amount.
        available: String,
    },
    /// A kernel without code for a device.
    #[error("kernel {kernel} has no code for {device}: {reason}")]
    MissingCode {
        /// The device.
        device: String,
        /// The kernel.
        kernel: &'static str,
        /// Reason, with the fix.
        reason: String,
    },
    /// Not enough memory for a page-locked buffer.
    #[error(
        "the host has no memory for a page-locked buffer of {needed} bytes; use less data, or raise `ulimit -l`"
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
        /// Message of the driver.
        problem: String,
    },
    /// A kernel that failed while it ran.
    #[error("a kernel failed on {device} ({kernels}): {problem}")]
    Kernel {
        /// The device.
        device: String,
        /// Kernels that may have failed.
        kernels: String,
        /// Message of the driver or the emulator.
        problem: String,
    },
    /// A plugin that failed, on any device.
    #[error("{plugin} {problem}")]
    Plugin {
        /// The library's file name.
        plugin: String,
        /// Description of the failure.
        problem: String,
    },
    /// Anything else.
    #[error("{what} failed on {device}: {problem}")]
    Failed {
        /// The device.
        device: String,
        /// Operation that failed.
        what: &'static str,
        /// Message of the driver.
        problem: String,
    },
}
