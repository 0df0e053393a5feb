//! Gains in each kind of memory that kernels read constants from. Digis are on the device before
//! and charges after.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Calibrate, GAINS, Uncalibrated};
use crate::algorithm::{Damage, Opened, Opening, Runner, Variant};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid};
use crate::device::{Unavailable, buffers};
use crate::kernels::calibrate_calibrate::{
    CALIBRATE_CONSTANT, CALIBRATE_GLOBAL, CALIBRATE_PARAMETER, CALIBRATE_SHARED, CalibrateConstant,
    CalibrateGlobal, CalibrateParameter, DIGIS_OF_BLOCK, Gains,
};

/// Where gains are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Global,
    Shared,
    Constant,
    Parameter,
}

pub(super) const VARIANTS: &[Variant<Calibrate>] = &[
    Variant::cuda("global", "gains in global memory: the caches answer", |at| {
        on_gpu(at, Kind::Global)
    }),
    Variant::cuda("shared", "each block copies the gains to shared memory first", |at| {
        on_gpu(at, Kind::Shared)
    }),
    Variant::cuda("constant", "gains in constant memory, one address at a time", |at| {
        on_gpu(at, Kind::Constant)
    }),
    Variant::cuda(
        "parameter",
        "gains are a parameter of the kernel, copied at each launch",
        |at| on_gpu(at, Kind::Parameter),
    ),
];

struct OnGpu<'a> {
    kind: Kind,
    input: &'a Uncalibrated,
    gpu: Arc<Gpu>,
    /// What the last run left, once it was asked for.
    found: Vec<u32>,
}

struct Held {
    charges: DeviceBuffer<u32>,
    digis: DeviceBuffer<u32>,
    gains: DeviceBuffer<u32>,
}

buffers!(Held: charges; kept: digis, gains);

fn on_gpu<'a>(at: &Opening<'a, '_, Calibrate>, kind: Kind) -> Opened<'a, Calibrate> {
    // Places of a last block that is not full are counted, too.
    let most = (u32::MAX - DIGIS_OF_BLOCK) as usize;
    if at.input.digis.len() > most {
        return Err(Unavailable(format!("more than {most} digis; use fewer")));
    }
    at.session(OnGpu { kind, input: at.input, gpu: at.gpu()?, found: Vec::new() })
}

impl Runner<Calibrate> for OnGpu<'_> {
    type Buffers = Held;

    fn allocate(&self) -> Result<Held, DeviceError> {
        let digis = self.input.digis.len();
        Ok(Held {
            charges: self.gpu.buffer(digis)?,
            digis: self.gpu.buffer(digis)?,
            gains: self.gpu.buffer(GAINS.len())?,
        })
    }

    fn load(&mut self, held: &mut Held) -> Result<(), DeviceError> {
        self.gpu.upload(&held.digis, &self.input.digis[..])?;
        self.gpu.upload(&held.gains, &GAINS[..])
    }

    fn run(&mut self, held: &mut Held) -> Result<(), DeviceError> {
        let (count, lookups) = (self.input.digis.len() as u32, self.input.lookups);
        let (digis, charges) = (held.digis.ptr(), held.charges.ptr());
        let bytes = held.digis.bytes() + held.charges.bytes();
        let grid = Grid::blocks(count.div_ceil(DIGIS_OF_BLOCK)).moving(bytes);
        let gpu = &*self.gpu;
        let of_buffer = CalibrateGlobal { digis, count, lookups, gains: held.gains.ptr(), charges };
        // SAFETY: there are so many digis and charges, and gains of all channels.
        unsafe {
            match self.kind {
                Kind::Global => gpu.launch(&CALIBRATE_GLOBAL, grid, of_buffer),
                Kind::Shared => gpu.launch(&CALIBRATE_SHARED, grid, of_buffer),
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

    fn inspect(&mut self, held: &mut Held) -> Result<(), Damage> {
        self.found = self.gpu.fetched(&held.charges, 0..self.input.digis.len())?;
        Ok(())
    }

    fn output<'b>(&'b self, _: &'b Held) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&self.found)
    }
}
