//! Decoder on the device, ready to run on the pages of a time frame.

use std::borrow::Cow;

use generators_tpc::{Digit, Layout};
use parallel::{Grain, extend, par_map};
use portable_gpu::{DeviceError, FromHost, Gpu, PinnedBuffer, QUEUES, ToHost};

use super::context::{DecoderConfig, FragmentContext};
use super::division::Division;
use super::parts::Part;
use super::resident::{PageBuffers, Resident};
use super::tables::DeviceTables;
use super::target::{Charges, Target};
use super::{parts, validation};
use crate::tpc_decode::charge_map::{Position, present};
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode, check};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask, PrepareResult, VariantContext};
use tasks::device::{CachedPerInput, PinnedInput, Unavailable, buffers};

const STAGE: &str = "decode";
const HEADERS: &str = "headers";

struct Decoder {
    config: DecoderConfig,
    division: Division,
    /// Parts, as each run determines them; buffers are allocated for these.
    parts: Vec<Part>,
}

/// Buffers of a run.
struct DecodeBuffers<'a> {
    tables: CachedPerInput<'a, DeviceTables>,
    /// All pages, page-locked. A run does not change them.
    pages: PinnedInput<'a, u8>,
    /// Digits on the host, part after part. Charges stay on the device, where clusters are found.
    digits: PinnedBuffer<u64>,
    parts: Vec<PartBuffers>,
    /// Output of the last run, once it was requested.
    found: Decoded,
}

buffers!(DecodeBuffers<'_>: tables, pages, digits, parts);

buffers! {
    /// Buffers of a part of the pages.
    struct PartBuffers(gpu, frame: &TimeFrame, part: &Part, config: DecoderConfig) {
        pages: PageBuffers = PageBuffers::new(gpu, frame, part, config.index)?,
        target: Target = Target::new(gpu, frame, part, config.maps)?,
    }
}

/// A part, and its data on the host.
struct PartData<'d> {
    frame: &'d TimeFrame,
    part: &'d Part,
    tables: &'d DeviceTables,
    /// Its pages.
    pages: FromHost<'d, u8>,
    /// Destination of its digits.
    digits: ToHost<'d, u64>,
}

/// A decoder, ready to run.
pub(super) fn decode_on_gpu<'a>(
    at: &VariantContext<'a, '_, TpcDecode>,
    division: Division,
    config: DecoderConfig,
) -> PrepareResult<'a, TpcDecode> {
    let parts = parts::parts_of(at.input, at.input.settings.output, division);
    fit(&parts)?;
    at.on_gpu::<DecodeBuffers<'a>>(Decoder { config, division, parts })
}

/// Decodes by shaders, all sectors together. Only dense link pages are supported.
pub(super) fn decode_by_shaders<'a>(
    at: &VariantContext<'a, '_, TpcDecode>,
    config: DecoderConfig,
) -> PrepareResult<'a, TpcDecode> {
    if at.input.format().layout() != Layout::DenseLink {
        let reason = "shaders decode dense link pages only; use such a format";
        return Err(Unavailable(reason.to_owned()));
    }
    decode_on_gpu(at, Division::Whole, config)
}

/// Checks that samples of a part can be counted with 32 bits.
pub(crate) fn fit(parts: &[Part]) -> Result<(), Unavailable> {
    let samples = parts.iter().map(Part::samples).max();
    let max = u64::from(u32::MAX);
    match samples.filter(|&samples| samples > max) {
        None => Ok(()),
        Some(samples) => Err(Unavailable(format!(
            "{samples} samples exceed the limit of {max} on a GPU; use fewer sectors or orbits"
        ))),
    }
}

impl DecodeBuffers<'_> {
    /// The complete output; positions and charges are copied to the host, which no timed run does.
    fn decoded(
        &self,
        gpu: &Gpu,
        frame: &TimeFrame,
        parts: &[Part],
    ) -> Result<Decoded, DeviceError> {
        let mut all = Decoded::default();
        let mut digits = &self.digits[..];
        for (part, buffers) in parts.iter().zip(&self.parts) {
            let (own, others) = digits.split_at(buffers.target.digits());
            digits = others;
            let samples = buffers.pages.samples();
            let verdicts = buffers.pages.verdicts();
            let own = &own[..samples.min(own.len())];
            extend(&mut all.digits, own.len(), Grain::Adaptive, |range| {
                own[range].iter().map(|&bits| Digit::from_bits(bits))
            });
            let damaged = check::damaged(frame, part.pages.start, verdicts, validation::DAMAGED);
            all.damaged.extend(damaged);
            if let Target::Charges(charges) = &buffers.target {
                all.positions.append(&mut positions(gpu, charges, samples)?);
                all.charges.extend(present_in(gpu, charges, part)?);
            }
        }
        Ok(all)
    }

    /// Starts all copies and kernels; parts overlap.
    fn start(
        &mut self,
        gpu: &Gpu,
        frame: &TimeFrame,
        parts: &[Part],
        config: DecoderConfig,
    ) -> Result<(), DeviceError> {
        let tables = &self.tables;
        let mut next = 0;
        for ((part, buffers), number) in parts.iter().zip(&mut self.parts).zip(0_u32..) {
            let own = next..next + buffers.target.digits();
            next = own.end;
            if !part.pages.is_empty() {
                let pages = self.pages.part(part.bytes());
                let digits = self.digits.part_mut(own);
                let data = PartData { frame, part, tables, pages, digits };
                gpu.with_queue(number % QUEUES, |gpu| buffers.start(gpu, data, config))?;
            }
        }
        Ok(())
    }
}

impl PartBuffers {
    /// Starts all copies and kernels, from pages to digits.
    fn start(
        &mut self,
        gpu: &Gpu,
        data: PartData<'_>,
        config: DecoderConfig,
    ) -> Result<(), DeviceError> {
        let PartData { frame, part, tables, pages, digits } = data;
        let resident = Resident { frame, part, tables, buffers: &self.pages };
        self.pages.upload(gpu, pages)?;
        resident.prepare(gpu)?;
        for fragment in 0..part.fragments.len() {
            self.target.clear(gpu)?;
            let work = FragmentContext { gpu, resident: &resident, target: &self.target, fragment };
            gpu.scope(STAGE, || (config.decode)(&work))?;
        }
        self.pages.download(gpu)?;
        match &self.target {
            Target::Digits(decoded) => gpu.download(digits, decoded),
            Target::Charges(_) => Ok(()),
        }
    }
}

fn positions(gpu: &Gpu, charges: &Charges, samples: usize) -> Result<Vec<Position>, DeviceError> {
    let samples = samples.min(charges.positions.len());
    let words = gpu.read_back(&charges.positions, 0..samples)?;
    let position = |word: &u32| Position { column: *word as i16, time: (*word >> 16) as i16 };
    Ok(par_map(&words, position))
}

/// The entries of the maps of a part that are not 0.
fn present_in(
    gpu: &Gpu,
    charges: &Charges,
    part: &Part,
) -> Result<Vec<Vec<(u32, u16)>>, DeviceError> {
    if part.fragments.is_empty() {
        // These maps were not cleared.
        return Ok(vec![Vec::new(); part.sectors.len()]);
    }
    let of_sector = |sector: usize| {
        // One at a time: all together may need too much memory.
        let map =
            gpu.read_back(&charges.maps, sector * part.entries()..(sector + 1) * part.entries())?;
        Ok(present(&map))
    };
    (0..part.sectors.len()).map(of_sector).collect()
}

impl<'a> GpuTask<'a> for DecodeBuffers<'a> {
    type Task = TpcDecode;
    type Config = Decoder;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input: frame, arena, gpu, .. } = at;
        let Decoder { config, parts, .. } = &at.config;
        let tables = &frame.tables;
        let pages = frame.pages.bytes();
        let parts = parts.iter().map(|part| PartBuffers::new(gpu, frame, part, *config));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let digits = parts.iter().map(|part| part.target.digits());
        Ok(DecodeBuffers {
            tables: CachedPerInput::get_or_make("tables", tables, arena, gpu, |gpu| {
                DeviceTables::new(gpu, tables)
            })?,
            pages: PinnedInput::take(arena, gpu, pages, 0..pages.len())?,
            digits: gpu.pinned(digits.sum())?,
            parts,
            found: Decoded::default(),
        })
    }

    /// Runs do not change the pages; the output of the last run is cleared.
    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { gpu, .. } = at;
        let decoder = &at.config;
        self.found = Decoded::default();
        for (part, own) in decoder.parts.iter().zip(&self.parts) {
            own.target.load(gpu, part, &self.tables)?;
        }
        Ok(())
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input: frame, gpu, .. } = at;
        let Decoder { config, division, .. } = at.config;
        let headers =
            || Ok(gpu.host_stage(|| parts::parts_of(frame, frame.settings.output, division)));
        let parts = gpu.scope(HEADERS, headers)?;
        self.start(gpu, frame, &parts, config)
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        let decoder = &at.config;
        self.found = self.decoded(&at.gpu, at.input, &decoder.parts)?;
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Decoded> {
        Cow::Borrowed(&self.found)
    }
}
