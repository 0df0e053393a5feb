//! Copy and triad in the memory of a device, as in STREAM (McCalpin 1995).

use super::{PAIR, grid, wrong};
use crate::kernels::ceilings_streams::{CEILING_COPY, CEILING_TRIAD, CeilingCopy, CeilingTriad};
use crate::{DeviceBuffer, DeviceError, Gpu};

/// Bytes of the two sources, different so that their values differ.
const LEFT: u8 = 0x3f;
const RIGHT: u8 = 0x40;
/// Number of values at either end of an array that are checked.
const CHECKED: usize = 4096;
/// Maximum number of pairs that a kernel can count.
const MAX_PAIRS: usize = i32::MAX as usize;

/// Three arrays of the same size.
pub struct MemoryStreams {
    target: DeviceBuffer<f64>,
    left: DeviceBuffer<f64>,
    right: DeviceBuffer<f64>,
    pairs: u32,
}

impl MemoryStreams {
    /// Allocates arrays of `bytes` bytes each, 32 GB at most.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(gpu: &Gpu, bytes: usize) -> Result<Self, DeviceError> {
        let pairs = (bytes / PAIR).clamp(1, MAX_PAIRS);
        let streams = MemoryStreams {
            target: gpu.buffer(2 * pairs)?,
            left: gpu.buffer(2 * pairs)?,
            right: gpu.buffer(2 * pairs)?,
            pairs: pairs as u32,
        };
        gpu.fill(&streams.left, LEFT)?;
        gpu.fill(&streams.right, RIGHT)?;
        gpu.fill(&streams.target, 0)?;
        Ok(streams)
    }

    /// Bytes that [`MemoryStreams::copy`] reads and writes.
    pub fn copied_bytes(&self) -> u64 {
        2 * self.target.bytes()
    }

    /// Bytes that [`MemoryStreams::triad`] reads and writes.
    pub fn triad_bytes(&self) -> u64 {
        3 * self.target.bytes()
    }

    /// Starts `target[i] = left[i]`.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn copy(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let arguments =
            CeilingCopy { to: self.target.ptr(), from: self.left.ptr(), pairs: self.pairs };
        // SAFETY: both arrays have `self.pairs` pairs.
        unsafe { gpu.launch(&CEILING_COPY, grid(self.pairs, 2), arguments) }
    }

    /// Starts `target[i] = left[i] + 3 right[i]`.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn triad(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let pairs = |numbers: &DeviceBuffer<f64>| numbers.ptr::<f64>().cast();
        let arguments = CeilingTriad {
            to: pairs(&self.target),
            left: pairs(&self.left),
            right: pairs(&self.right),
            pairs: self.pairs,
        };
        // SAFETY: all three arrays have `self.pairs` pairs.
        unsafe { gpu.launch(&CEILING_TRIAD, grid(self.pairs, 3), arguments) }
    }

    /// Runs both once, and checks the results. Waits for the device.
    ///
    /// # Errors
    /// If the device refuses, or the result is wrong.
    pub fn check(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let [left, right] = [LEFT, RIGHT].map(|byte| number(gpu, [byte; 8]));
        self.copy(gpu)?;
        self.expect(gpu, left, "checking a copy")?;
        self.triad(gpu)?;
        self.expect(gpu, left + 3.0 * right, "checking a triad")
    }

    /// Checks both ends of the target.
    fn expect(&self, gpu: &Gpu, wanted: f64, what: &'static str) -> Result<(), DeviceError> {
        let mut found = vec![0.0; self.target.len().min(CHECKED)];
        gpu.download(&mut found, &self.target)?;
        gpu.finish()?;
        let found: Vec<f64> = found.iter().map(|value| number(gpu, value.to_ne_bytes())).collect();
        let tolerance = if gpu.properties().has_shaders { 1e-6 } else { 1e-12 };
        let is_wrong = |value: &f64| (value / wanted - 1.0).abs() > tolerance;
        found.iter().position(is_wrong).map_or(Ok(()), |at| {
            let problem = format!("number {at} is {}, not {wanted}", found[at]);
            Err(wrong(gpu, what, problem))
        })
    }
}

/// The number of a kernel for these bytes; shaders use two 32-bit numbers, of which the first one
/// is returned.
fn number(gpu: &Gpu, bytes: [u8; 8]) -> f64 {
    let [a, b, c, d, ..] = bytes;
    if gpu.properties().has_shaders {
        f32::from_ne_bytes([a, b, c, d]).into()
    } else {
        f64::from_ne_bytes(bytes)
    }
}
