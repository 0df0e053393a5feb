//! Digis go to the device, events and their digis come back.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::Digi;

use crate::algorithm::{Opened, Opening, Runner};
use crate::all_cores::mapped;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Pristine, same_as};
use crate::device::{Arena, Buffers, Unavailable, buffers};
use crate::kernels::sts_events_cuda_building_events_h::{self as kernels, Rules, Totals};
use crate::sts_events::{DigiStream, Event, Events, StsEvents};

same_as!(Event { begin, end, first_copy } => kernels::Event);

/// Kernels search by leaps that double, in 32 bits.
const MOST_DIGIS: usize = 1 << 30;

/// What a way to build events has beside digis and events, and what it does.
pub(super) trait Way: Buffers {
    /// Starts to find events; there is room for all of them.
    ///
    /// # Errors
    /// If the device refuses.
    fn start(&mut self, gpu: &Gpu, data: &OnDevice) -> Result<(), DeviceError>;

    /// Starts what is left to do once it is known how many there are.
    ///
    /// # Errors
    /// If the device refuses.
    fn finish(&mut self, _: &Gpu, _: &OnDevice, _: &Totals) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Takes the buffers of a way for so many digis.
type MakeWay = fn(&Gpu, usize) -> Result<Box<dyn Way>, DeviceError>;

/// What all ways read and write.
pub(super) struct OnDevice {
    pub(super) digis: DeviceBuffer<u64>,
    pub(super) rules: Rules,
    pub(super) events: DeviceBuffer<Event>,
    pub(super) copies: DeviceBuffer<u64>,
    pub(super) totals: DeviceBuffer<Totals>,
}

buffers!(OnDevice: digis, events, copies, totals);

struct OnGpu<'a> {
    make_way: MakeWay,
    input: &'a DigiStream,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    /// What the last run has found.
    totals: Totals,
}

struct Held<'a> {
    pristine: Pristine<'a, u64>,
    data: OnDevice,
    way: Box<dyn Way>,
    totals: PinnedBuffer<Totals>,
    events: PinnedBuffer<Event>,
    copies: PinnedBuffer<u64>,
}

buffers!(Held<'_>: pristine, data, way, totals, events, copies);

/// A way to build events, ready to run.
pub(super) fn build_on_gpu<'a>(
    at: &Opening<'a, '_, StsEvents>,
    make_way: MakeWay,
) -> Opened<'a, StsEvents> {
    let digis = at.input.digis().len();
    if digis > MOST_DIGIS {
        let reason = format!("{digis} digis; on a GPU {MOST_DIGIS} is the most; use fewer");
        return Err(Unavailable(reason));
    }
    let (input, arena, gpu) = (at.input, at.arena, at.gpu()?);
    at.session(OnGpu { make_way, input, arena, gpu, totals: Totals::default() })
}

/// The rules as kernels have them. A window that would reach beyond all digis reaches beyond them by
/// one, so that places fit into 32 bits.
fn rules_of(input: &DigiStream) -> Rules {
    let rules = input.rules();
    Rules {
        window: rules.window_ns,
        reach: rules.reach().min(input.digis().len()) as u32,
        dead_time: rules.dead_time_ns,
        before: rules.before_ns,
        after: rules.after_ns,
    }
}

impl<'a> Runner<StsEvents> for OnGpu<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let (gpu, input) = (&self.gpu, self.input);
        let (digis, right) = (input.digis(), input.right());
        let (events, copies) = (right.events.len(), right.digis.len());
        Ok(Held {
            pristine: Pristine::converted(self.arena, gpu, digis, |digi| digi.bits())?,
            data: OnDevice {
                digis: gpu.buffer(digis.len())?,
                rules: rules_of(input),
                events: gpu.buffer(events)?,
                copies: gpu.buffer(copies)?,
                totals: gpu.buffer(1)?,
            },
            way: (self.make_way)(gpu, digis.len())?,
            totals: gpu.pinned(1)?,
            events: gpu.pinned(events)?,
            copies: gpu.pinned(copies)?,
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let (gpu, data) = (&self.gpu, &held.data);
        gpu.upload(&data.digis, &held.pristine)?;
        gpu.fill(&data.totals, 0)?;
        held.way.start(gpu, data)?;
        gpu.download(&mut held.totals, &data.totals)?;
        gpu.wait()?;
        self.totals = held.totals[0];
        held.way.finish(gpu, data, &self.totals)?;
        let (events, copies) = (self.totals.events as usize, self.totals.copies as usize);
        gpu.download(held.events.part_mut(0..events), &data.events)?;
        gpu.download(held.copies.part_mut(0..copies), &data.copies)
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Events> {
        let (events, copies) = (self.totals.events as usize, self.totals.copies as usize);
        let digis = mapped(&held.copies[..copies], |&bits| Digi::from_bits(bits));
        Cow::Owned(Events { events: held.events[..events].to_vec(), digis })
    }
}
