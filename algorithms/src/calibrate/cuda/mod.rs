//! Gains in each kind of memory that kernels read constants from. Digis are on the device before a
//! run, and charges after it.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Calibrate, GAINS, Lookups, Uncalibrated};
use crate::algorithm::{CheckError, PrepareResult, Runner, Variant, VariantContext};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};
use crate::device::{Unavailable, buffers};
use crate::kernels::calibrate_calibrate::{
    CALIBRATE_CONSTANT, CALIBRATE_GLOBAL, CALIBRATE_PARAMETER, CALIBRATE_SHARED, CalibrateConstant,
    CalibrateGlobal, CalibrateParameter, DIGIS_OF_BLOCK, Gains,
};

/// Memory of the gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Global,
    Shared,
    Constant,
    Parameter,
}

pub(super) const VARIANTS: &[Variant<Calibrate>] = &[
    Variant::cuda("global", "gains in global memory: the caches answer", |at| {
        prepare(at, Kind::Global)
    }),
    Variant::cuda("shared", "each block copies the gains to shared memory first", |at| {
        prepare(at, Kind::Shared)
    }),
    Variant::cuda("constant", "gains in constant memory, one address at a time", |at| {
        prepare(at, Kind::Constant)
    }),
    Variant::cuda(
        "parameter",
        "gains are a parameter of the kernel, copied at each launch",
        |at| prepare(at, Kind::Parameter),
    ),
];

struct GpuRunner<'a> {
    kind: Kind,
    input: &'a Uncalibrated,
    gpu: Arc<Gpu>,
    /// Output of the last run, once it was copied back.
    output: Vec<u32>,
}

struct CalibrateBuffers {
    charges: DeviceBuffer<u32>,
    digis: DeviceBuffer<u32>,
    gains: DeviceBuffer<u32>,
}

buffers!(CalibrateBuffers: charges; kept: digis, gains);

fn prepare<'a>(at: &VariantContext<'a, '_, Calibrate>, kind: Kind) -> PrepareResult<'a, Calibrate> {
    // The unused threads of a last, partial block are counted, too.
    let max = (u32::MAX - DIGIS_OF_BLOCK) as usize;
    if at.input.words.len() > max {
        return Err(Unavailable(format!("more than {max} digis; use fewer")));
    }
    at.session(GpuRunner { kind, input: at.input, gpu: at.gpu()?, output: Vec::new() })
}

impl Runner<Calibrate> for GpuRunner<'_> {
    type Buffers = CalibrateBuffers;

    fn allocate(&self) -> Result<CalibrateBuffers, DeviceError> {
        let digis = self.input.words.len();
        Ok(CalibrateBuffers {
            charges: self.gpu.buffer(digis)?,
            digis: self.gpu.buffer(digis)?,
            gains: self.gpu.buffer(GAINS.len())?,
        })
    }

    fn load(&mut self, buffers: &mut CalibrateBuffers) -> Result<(), DeviceError> {
        self.gpu.upload(&buffers.digis, &self.input.words[..])?;
        self.gpu.upload(&buffers.gains, &GAINS[..])
    }

    fn run(&mut self, buffers: &mut CalibrateBuffers) -> Result<(), DeviceError> {
        let count = self.input.words.len() as u32;
        let Lookups(lookups) = self.input.settings;
        let digis = buffers.digis.ptr();
        let charges = buffers.charges.ptr();
        let bytes = buffers.digis.bytes() + buffers.charges.bytes();
        let grid = LaunchConfig::blocks(count.div_ceil(DIGIS_OF_BLOCK)).with_traffic(bytes);
        let gpu = &*self.gpu;
        let with_buffer =
            CalibrateGlobal { digis, count, lookups, gains: buffers.gains.ptr(), charges };
        // SAFETY: there are `count` digis and charges, and gains of all channels.
        unsafe {
            match self.kind {
                Kind::Global => gpu.launch(&CALIBRATE_GLOBAL, grid, with_buffer),
                Kind::Shared => gpu.launch(&CALIBRATE_SHARED, grid, with_buffer),
                Kind::Constant => {
                    let arguments = CalibrateConstant { digis, count, lookups, charges };
                    gpu.launch(&CALIBRATE_CONSTANT, grid, arguments)
                }
                Kind::Parameter => {
                    let gains = Gains { of: GAINS };
                    let arguments = CalibrateParameter { digis, count, lookups, gains, charges };
                    gpu.launch(&CALIBRATE_PARAMETER, grid, arguments)
                }
            }
        }
    }

    fn inspect(&mut self, buffers: &mut CalibrateBuffers) -> Result<(), CheckError> {
        self.output = self.gpu.read_back(&buffers.charges, 0..self.input.words.len())?;
        Ok(())
    }

    fn output<'b>(&'b self, _: &'b CalibrateBuffers) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&self.output)
    }
}
