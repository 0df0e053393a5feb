//! Digis go to the device, events and their digis come back.

use std::borrow::Cow;

use generators_sts::Digi;
use parallel::par_map;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, same_as};

use crate::kernels::sts_events_cuda_building_events_h::{
    self as kernels, Capacities, EventOutput, Rules, Stream, Totals,
};
use crate::sts_events::{DigiStream, Event, Events, StsEvents};
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, VariantContext, limit_digis};
use tasks::device::{Buffers, PinnedInput, buffers};

same_as!(Event {
    trigger_half_ns = trigger,
    begin = begin,
    end = end,
    first_copy = first_copy
} => kernels::Event);

/// Kernels search by leaps that double, in 32 bits.
const MAX_DIGIS: usize = 1 << 30;

/// Algorithm that builds events, with its buffers other than digis and events.
pub(super) trait EventBuilder: Buffers {
    /// Starts to find events. Those beyond the capacities are counted and not written.
    fn start(&mut self, gpu: &Gpu, data: &OnDevice) -> Result<(), DeviceError>;

    /// Starts the remaining kernels, after the counts are known.
    fn finish(&mut self, _: &Gpu, _: &OnDevice, _: &Totals) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Allocates the buffers of an algorithm for a number of digis.
type MakeEventBuilder = fn(&Gpu, usize) -> Result<Box<dyn EventBuilder>, DeviceError>;

/// Inputs and outputs of all algorithms.
pub(super) struct OnDevice {
    pub(super) digis: DeviceBuffer<u64>,
    rules: Rules,
    events: DeviceBuffer<Event>,
    copies: DeviceBuffer<u64>,
    pub(super) totals: DeviceBuffer<Totals>,
    /// Events and copies of the previous run, or else the capacities.
    expected: Totals,
}

buffers!(OnDevice: digis, events, copies, totals);

impl OnDevice {
    /// The digis, as passed to kernels.
    pub(super) fn stream(&self) -> Stream {
        Stream { digis: self.digis.ptr(), count: self.digis.len() as u32, rules: self.rules }
    }

    /// The outputs, as passed to kernels.
    pub(super) fn output(&self) -> EventOutput {
        EventOutput {
            events: self.events.ptr(),
            copies: self.copies.ptr(),
            capacities: self.capacities(),
            totals: self.totals.ptr(),
        }
    }

    pub(super) fn capacities(&self) -> Capacities {
        Capacities { events: self.events.len() as u32, copies: self.copies.len() as u32 }
    }

    pub(super) fn expected_event_bytes(&self) -> u64 {
        u64::from(self.expected.events) * size_of::<Event>() as u64
    }

    pub(super) fn expected_copy_bytes(&self) -> u64 {
        u64::from(self.expected.copies) * size_of::<u64>() as u64
    }
}

impl EventBuffers<'_> {
    /// Finds and counts events, and waits for the counts.
    fn find(&mut self, gpu: &Gpu) -> Result<Totals, DeviceError> {
        let data = &self.data;
        gpu.fill(&data.totals, 0)?;
        self.builder.start(gpu, data)?;
        gpu.download(&mut self.totals, &data.totals)?;
        gpu.wait()?;
        Ok(self.totals[0])
    }

    /// Takes larger buffers if part of the output was not written; `false` if all was. More events
    /// than digis: the check will reject it, and no capacity is enough.
    fn grow(&mut self, gpu: &Gpu, totals: &Totals) -> Result<bool, DeviceError> {
        let events = totals.events as usize;
        let copies = totals.copies as usize;
        let data = &mut self.data;
        let is_enough = events <= data.events.len() && copies <= data.copies.len();
        if is_enough || events > data.digis.len() {
            return Ok(false);
        }
        if events > data.events.len() {
            data.events = gpu.buffer(events)?;
            self.events = gpu.pinned(events)?;
        }
        if copies > data.copies.len() {
            data.copies = gpu.buffer(copies)?;
            self.copies = gpu.pinned(copies)?;
        }
        Ok(true)
    }
}

/// Algorithm, and the elements of the next buffers.
pub(super) struct EventConfig {
    make_builder: MakeEventBuilder,
    capacities: Capacities,
}

struct EventBuffers<'a> {
    pristine: PinnedInput<'a, u64>,
    data: OnDevice,
    builder: Box<dyn EventBuilder>,
    totals: PinnedBuffer<Totals>,
    events: PinnedBuffer<Event>,
    copies: PinnedBuffer<u64>,
}

buffers!(EventBuffers<'_>: pristine, data, builder, totals, events, copies);

/// A session of an algorithm on a GPU.
pub(super) fn build_on_gpu<'a>(
    at: &VariantContext<'a, '_, StsEvents>,
    make_builder: MakeEventBuilder,
) -> PrepareResult<'a, StsEvents> {
    let digis = at.input.digis().len();
    limit_digis(digis, MAX_DIGIS)?;
    at.on_gpu::<EventBuffers<'a>>(EventConfig { make_builder, capacities: first_capacities(digis) })
}

/// Capacities of the first run: a run that finds more is repeated with more.
fn first_capacities(digis: usize) -> Capacities {
    const DIGIS_OF_EVENT: usize = 16;
    const MIN_EVENTS: usize = 64;
    Capacities { events: (digis / DIGIS_OF_EVENT + MIN_EVENTS) as u32, copies: digis as u32 }
}

/// The rules in the layout of kernels. A window longer than all digis is limited to one more than
/// all digis, so that indices fit into 32 bits.
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

impl<'a> GpuTask<'a> for EventBuffers<'a> {
    type Task = StsEvents;
    type Config = EventConfig;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, .. } = at;
        let EventConfig { make_builder, capacities } = &at.config;
        let digis = input.digis();
        let Capacities { events, copies } = *capacities;
        Ok(EventBuffers {
            pristine: PinnedInput::converted(arena, gpu, digis, |digi| digi.bits())?,
            data: OnDevice {
                digis: gpu.buffer(digis.len())?,
                rules: rules_of(input),
                events: gpu.buffer(events as usize)?,
                copies: gpu.buffer(copies as usize)?,
                totals: gpu.buffer(1)?,
                expected: Totals { events, copies, ..Totals::default() },
            },
            builder: make_builder(gpu, digis.len())?,
            totals: gpu.pinned(1)?,
            events: gpu.pinned(events as usize)?,
            copies: gpu.pinned(copies as usize)?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { gpu, .. } = at;
        gpu.upload(&self.data.digis, &self.pristine)?;
        let mut totals = self.find(gpu)?;
        if self.grow(gpu, &totals)? {
            totals = self.find(gpu)?;
        }
        self.builder.finish(gpu, &self.data, &totals)?;
        let Capacities { events, copies } = self.data.capacities();
        self.data.expected = Totals {
            events: totals.events.min(events),
            copies: totals.copies.min(copies),
            ..totals
        };
        let events = self.data.expected.events as usize;
        let copies = self.data.expected.copies as usize;
        gpu.download(self.events.part_mut(0..events), &self.data.events)?;
        gpu.download(self.copies.part_mut(0..copies), &self.data.copies)
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Events> {
        let events = self.data.expected.events as usize;
        let copies = self.data.expected.copies as usize;
        let digis = par_map(&self.copies[..copies], |&bits| Digi::from_bits(bits));
        Cow::Owned(Events { events: self.events[..events].to_vec(), digis })
    }

    fn release(self, config: &mut EventConfig) {
        config.capacities = self.data.capacities();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use portable_gpu::emulator::{self, Config};

    use super::*;
    use crate::sts_events::cuda::fused::Fused;
    use crate::sts_events::cuda::thread_per_digi::ThreadPerDigi;
    use tasks::algorithm::{Algorithm, Runner};
    use tasks::device::Arena;

    /// An emulator that finds accesses beyond the capacities.
    fn gpu() -> Option<Arc<Gpu>> {
        emulator::gpu_for_tests(Config { checked: true, ..Config::default() })
    }

    fn runner<'a>(
        gpu: &Arc<Gpu>,
        input: &'a DigiStream,
        arena: &'a Arena,
        config: EventConfig,
    ) -> GpuRunner<'a, EventBuffers<'a>> {
        GpuRunner { input, arena, gpu: Arc::clone(gpu), threads: 1, config }
    }

    /// Small inputs with some events.
    fn inputs() -> Vec<DigiStream> {
        let all = StsEvents.hard_inputs(3).into_iter().map(|(_, input)| input);
        let is_small = |input: &DigiStream| input.digis().len() < 3_000;
        let mut inputs: Vec<_> = all.filter(is_small).collect();
        inputs.retain(|input| input.expected().events.len() > 1);
        inputs.truncate(4);
        assert!(!inputs.is_empty());
        inputs
    }

    #[test]
    fn events_beyond_a_capacity_are_found_by_a_second_pass() {
        let Some(gpu) = gpu() else { return };
        for make_builder in [Fused::boxed as MakeEventBuilder, ThreadPerDigi::boxed] {
            for input in inputs() {
                let right = input.expected();
                let events = right.events.len() as u32;
                let copies = right.digis.len() as u32;
                let capacities = [
                    Capacities { events: events - 1, copies },
                    Capacities { events, copies: copies - 1 },
                    Capacities { events: 1, copies: 1 },
                    Capacities { events, copies },
                ];
                for capacities in capacities {
                    let arena = Arena::default();
                    let config = EventConfig { make_builder, capacities };
                    let mut runner = runner(&gpu, &input, &arena, config);
                    let mut buffers = runner.allocate().expect("memory");
                    assert_eq!(runner.run(&mut buffers), Ok(()));
                    gpu.finish().expect("no failure");
                    assert!(*runner.output(&buffers) == *right);
                    runner.release(buffers);
                    assert!(runner.config.capacities.events >= events);
                    assert!(runner.config.capacities.copies >= copies);
                }
            }
        }
    }

    /// Finds more events than there are digis, at addresses that no array has.
    struct FindsTooMuch {
        unused: DeviceBuffer<u32>,
    }
    buffers!(FindsTooMuch: unused);

    impl EventBuilder for FindsTooMuch {
        fn start(&mut self, gpu: &Gpu, data: &OnDevice) -> Result<(), DeviceError> {
            gpu.fill(&data.totals, 0x7f)
        }
    }

    #[test]
    fn a_kernel_that_finds_too_much_is_wrong_and_no_panic() {
        let Some(gpu) = gpu() else { return };
        let make_builder: MakeEventBuilder =
            |gpu, _| Ok(Box::new(FindsTooMuch { unused: gpu.buffer(1)? }));
        for input in inputs() {
            let arena = Arena::default();
            let capacities = first_capacities(input.digis().len());
            let config = EventConfig { make_builder, capacities };
            let mut runner = runner(&gpu, &input, &arena, config);
            let mut buffers = runner.allocate().expect("memory");
            buffers.poison().expect("started");
            assert_eq!(runner.run(&mut buffers), Ok(()));
            gpu.finish().expect("no failure");
            assert!(*runner.output(&buffers) != *input.expected());
        }
    }
}
