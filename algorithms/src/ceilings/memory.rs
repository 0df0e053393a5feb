//! Copy and triad in device memory, as STREAM has them (McCalpin 1995).

use super::{PAIR, grid, wrong};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::kernels::ceilings_streams::{CEILING_COPY, CEILING_TRIAD, CeilingCopy, CeilingTriad};

/// What each byte of the sources is, so that their numbers differ.
const LEFT: u8 = 0x3f;
const RIGHT: u8 = 0x40;
/// Numbers at either end of an array that are looked at.
const LOOKED_AT: usize = 4096;
/// More pairs are beyond what a kernel counts.
const MOST_PAIRS: usize = i32::MAX as usize;

/// Three arrays of the same size.
pub struct MemoryStreams {
    target: DeviceBuffer<f64>,
    left: DeviceBuffer<f64>,
    right: DeviceBuffer<f64>,
    pairs: u32,
}

impl MemoryStreams {
    /// Arrays of so many bytes each, 32 GB at most.
    ///
    /// # Errors
    /// If there is no room.
    pub fn new(gpu: &Gpu, bytes: usize) -> Result<Self, DeviceError> {
        let pairs = (bytes / PAIR).clamp(1, MOST_PAIRS);
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
        // SAFETY: both arrays have so many pairs.
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
        // SAFETY: all three arrays have so many pairs.
        unsafe { gpu.launch(&CEILING_TRIAD, grid(self.pairs, 3), arguments) }
    }

    /// Does both once, and looks at what came of it. Waits for the device.
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

    /// Looks at the ends of the target.
    fn expect(&self, gpu: &Gpu, wanted: f64, what: &'static str) -> Result<(), DeviceError> {
        let mut found = vec![0.0; self.target.len().min(LOOKED_AT)];
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

/// What kernels take such bytes for: two numbers of 32 bits, if they are shaders, of which the
/// first one stands for both.
fn number(gpu: &Gpu, bytes: [u8; 8]) -> f64 {
    let [a, b, c, d, ..] = bytes;
    match gpu.properties().has_shaders {
        true => f32::from_ne_bytes([a, b, c, d]).into(),
        false => f64::from_ne_bytes(bytes),
    }
}
