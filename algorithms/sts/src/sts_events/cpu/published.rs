//! The experiment's algorithm: times first, then a sliding window over them, then events by binary
//! search in the whole timeslice, each with a list of its own. (V. Friese's trigger on clusters in
//! time, and the event builder after it.)

use std::borrow::Cow;

use generators_sts::Digi;
use portable_gpu::DeviceError;

use crate::sts_events::event::assign_copies;
use crate::sts_events::{DigiStream, Event, EventRules, Events, StsEvents};
use tasks::algorithm::{PrepareResult, Runner, VariantContext};

/// An event with its own list of digis.
struct OwnEvent {
    event: Event,
    digis: Vec<Digi>,
}

struct Published<'a> {
    input: &'a DigiStream,
    events: Vec<OwnEvent>,
}

pub(super) fn prepare<'a>(at: &VariantContext<'a, '_, StsEvents>) -> PrepareResult<'a, StsEvents> {
    at.session(Published { input: at.input, events: Vec::new() })
}

impl Runner<StsEvents> for Published<'_> {
    type Buffers = ();

    fn allocate(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn load(&mut self, _: &mut ()) -> Result<(), DeviceError> {
        self.events.clear();
        Ok(())
    }

    fn run(&mut self, _: &mut ()) -> Result<(), DeviceError> {
        let digis = self.input.digis();
        let rules = self.input.rules();
        let times: Vec<f64> = digis.iter().map(|digi| digi.time_ns().into()).collect();
        let triggers = triggers(&times, rules);
        self.events = triggers.iter().map(|&trigger| build(digis, rules, trigger)).collect();
        Ok(())
    }

    fn output<'b>(&'b self, _: &'b ()) -> Cow<'b, Events> {
        let mut events: Vec<_> = self.events.iter().map(|own| own.event).collect();
        assign_copies(&mut events);
        let digis = self.events.iter().flat_map(|own| &own.digis).copied().collect();
        Cow::Owned(Events { events, digis })
    }

    fn input_bytes(&self) -> u64 {
        size_of_val(self.input.digis()) as u64
    }
}

/// The times of triggers in ns.
fn triggers(times: &[f64], rules: &EventRules) -> Vec<f64> {
    let window = f64::from(rules.window_ns);
    let dead_time = f64::from(rules.dead_time_ns);
    let mut triggers = Vec::new();
    let mut first = 0;
    let mut last = 0;
    while last < times.len() {
        while times[last] - times[first] > window {
            first += 1;
        }
        if last - first < rules.reach() {
            last += 1;
            continue;
        }
        triggers.push((times[first] + times[last]) / 2.0);
        let dead_until = times[last] + dead_time;
        first = last + 1;
        while first < times.len() && times[first] <= dead_until {
            first += 1;
        }
        last = first;
    }
    triggers
}

/// The event around a trigger.
fn build(digis: &[Digi], rules: &EventRules, trigger: f64) -> OwnEvent {
    let first = trigger - f64::from(rules.before_ns);
    let last = trigger + f64::from(rules.after_ns);
    let begin = digis.partition_point(|digi| f64::from(digi.time_ns()) < first);
    let end = begin + digis[begin..].partition_point(|digi| f64::from(digi.time_ns()) <= last);
    let event = Event {
        trigger_half_ns: (2.0 * trigger) as u32,
        begin: begin as u32,
        end: end as u32,
        first_copy: 0,
    };
    OwnEvent { event, digis: digis[begin..end].to_vec() }
}
