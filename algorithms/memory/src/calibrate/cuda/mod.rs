//! Gains in each kind of memory that kernels read constants from. Digis are on the device before a
//! run, and charges after it.

use std::borrow::Cow;

use portable_gpu::{DeviceBuffer, DeviceError, LaunchConfig};

use super::{Calibrate, GAINS, Lookups};
use crate::kernels::calibrate_calibrate::{
    CALIBRATE_CONSTANT, CALIBRATE_GLOBAL, CALIBRATE_PARAMETER, CALIBRATE_SHARED, CalibrateConstant,
    CalibrateGlobal, CalibrateParameter, DIGIS_OF_BLOCK, Gains,
};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{Unavailable, buffers};

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

struct CalibrateBuffers {
    charges: DeviceBuffer<u32>,
    digis: DeviceBuffer<u32>,
    gains: DeviceBuffer<u32>,
    /// Output of the last run, once it was copied back.
    output: Vec<u32>,
}

buffers!(CalibrateBuffers: charges; kept: digis, gains);

fn prepare<'a>(at: &VariantContext<'a, '_, Calibrate>, kind: Kind) -> PrepareResult<'a, Calibrate> {
    // The unused threads of a last, partial block are counted, too.
    let max = (u32::MAX - DIGIS_OF_BLOCK) as usize;
    if at.input.words.len() > max {
        return Err(Unavailable(format!("more than {max} digis; use fewer")));
    }
    at.on_gpu::<CalibrateBuffers>(kind)
}

impl<'a> GpuTask<'a> for CalibrateBuffers {
    type Task = Calibrate;
    type Config = Kind;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        let digis = input.words.len();
        Ok(CalibrateBuffers {
            charges: gpu.buffer(digis)?,
            digis: gpu.buffer(digis)?,
            gains: gpu.buffer(GAINS.len())?,
            output: Vec::new(),
        })
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        gpu.upload(&self.digis, &input.words[..])?;
        gpu.upload(&self.gains, &GAINS[..])
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        let kind = &at.config;
        let count = input.words.len() as u32;
        let Lookups(lookups) = input.settings;
        let digis = self.digis.ptr();
        let charges = self.charges.ptr();
        let bytes = self.digis.bytes() + self.charges.bytes();
        let grid = LaunchConfig::blocks(count.div_ceil(DIGIS_OF_BLOCK)).with_traffic(bytes);
        let with_buffer =
            CalibrateGlobal { digis, count, lookups, gains: self.gains.ptr(), charges };
        // SAFETY: there are `count` digis and charges, and gains of all channels.
        unsafe {
            match kind {
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

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        let GpuRunner { input, gpu, .. } = at;
        self.output = gpu.read_back(&self.charges, 0..input.words.len())?;
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<u32>> {
        Cow::Borrowed(&self.output)
    }
}
