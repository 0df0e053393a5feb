//! The right answer: microslice by microslice and message by message, as described in
//! `docs/unpack.md`.

use generators_sts::raw::clock::{CYCLE_NS, EPOCH_NS, EPOCHS_PER_CYCLE};
use generators_sts::raw::{
    Component, Descriptor, Kind, Link, Message, MicrosliceCounts, RawData, RawTimeslice, Readout,
    Rules, STS_SYSTEM, SYSTEM_VERSION, TimesliceCounts, Unpacked,
};
use generators_sts::{Address, Digi, MAX_TIME_NS};

use parallel::map;

/// Unpacks raw data by some rules.
pub fn unpack(data: &RawData, readout: &Readout, rules: Rules) -> Unpacked {
    let timeslices = map(data.timeslices(), |(head, components)| {
        let mut timeslice = Timeslice::new(head, readout, rules);
        components.enumerate().for_each(|(number, component)| timeslice.add(number, component));
        timeslice.finish()
    });
    let mut all = Unpacked::default();
    for timeslice in timeslices {
        all.timeslices.extend(timeslice.timeslices);
        all.microslices.extend(timeslice.microslices);
        all.digis.extend(timeslice.digis);
    }
    all
}

/// A timeslice while it is unpacked.
struct Timeslice<'a> {
    readout: &'a Readout,
    rules: Rules,
    start_ns: u64,
    counts: TimesliceCounts,
    unpacked: Unpacked,
}

impl<'a> Timeslice<'a> {
    fn new(head: RawTimeslice, readout: &'a Readout, rules: Rules) -> Self {
        let counts = TimesliceCounts::default();
        let unpacked = Unpacked::default();
        Timeslice { readout, rules, start_ns: head.start_ns, counts, unpacked }
    }

    fn finish(mut self) -> Unpacked {
        self.counts.bytes_out = size_of_val(&self.unpacked.digis[..]) as u64;
        self.unpacked.timeslices.push(self.counts);
        self.unpacked
    }

    fn add(&mut self, number: usize, component: Component<'_>) {
        let first = component.descriptor(0);
        // A timeslice without a start time starts with its first microslice.
        if number == 0 && self.start_ns == 0 {
            self.start_ns = first.index;
        }
        if first.system != STS_SYSTEM {
            return;
        }
        let Some(own) = self.readout.links(self.rules, first.equipment) else {
            self.counts.bad_equipment += 1;
            return;
        };
        self.counts.components += 1;
        self.counts.microslices += component.microslices() as u64;
        self.counts.bytes_in += component.block().len() as u64;
        for descriptor in component.descriptors() {
            let counts = match self.rules {
                Rules::Of2023 => self.microslice(&component, &descriptor, &own),
                Rules::Current => self.current_microslice(&component, &descriptor),
            };
            self.unpacked.microslices.push(counts);
        }
    }

    /// Each microslice is looked up separately.
    fn current_microslice(
        &mut self,
        component: &Component<'_>,
        descriptor: &Descriptor,
    ) -> MicrosliceCounts {
        match self.readout.links(self.rules, descriptor.equipment) {
            None => self.counts.bad_equipment += 1,
            Some(_) if descriptor.version != SYSTEM_VERSION => self.counts.bad_version += 1,
            Some(links) => return self.microslice(component, descriptor, &links),
        }
        MicrosliceCounts::default()
    }

    fn microslice(
        &mut self,
        component: &Component<'_>,
        descriptor: &Descriptor,
        links: &[Link<'_>],
    ) -> MicrosliceCounts {
        let content = component.content(descriptor);
        let mut counts = MicrosliceCounts::default();
        let (words, rest) = content.as_chunks();
        let messages: Vec<_> = words.iter().map(|&word| Message::from_bytes(word)).collect();
        if !rest.is_empty() || messages.len() < 2 {
            counts.size = 1;
            return counts;
        }
        if [messages[0].kind(), messages[1].kind()] != [Kind::Epoch, Kind::TsMsb] {
            counts.first = 1;
            return counts;
        }
        let mut epoch = Epoch::new(descriptor.index, self.start_ns);
        for message in &messages[1..] {
            match message.kind() {
                Kind::TsMsb => epoch.advance(message.value()),
                Kind::Hit => match self.digi(*message, &epoch, links) {
                    Ok(digi) => {
                        counts.digis += 1;
                        self.unpacked.digis.push(digi);
                    }
                    Err(lost) => lost.count(&mut counts),
                },
                _ => counts.other += 1,
            }
        }
        counts
    }

    fn digi(
        &self,
        message: Message,
        epoch: &Epoch,
        links: &[Link<'_>],
    ) -> Result<Digi, DropReason> {
        let adc = message.adc();
        let Link { elink, walk_ns } =
            links.get(usize::from(message.elink())).ok_or(DropReason::UnknownElink)?;
        if adc <= elink.adc_min_cut || elink.is_masked(message.channel()) {
            return Err(DropReason::Unwanted);
        }
        // All of it wraps, before the division too.
        let ticks = epoch.since_start().wrapping_mul(1024).wrapping_add(message.ticks().into());
        let time = ticks.wrapping_mul(25).wrapping_add(4) / 8;
        let time = time.wrapping_sub(i64::from(elink.time_offset_ns) as u64);
        let time = match self.rules {
            Rules::Current => current_time(time, walk_ns.get(usize::from(adc) - 1))?,
            Rules::Of2023 => time_of_2023(time)?,
        };
        let address = Address::of_full(elink.address);
        let channel = self.rules.channel(elink.asic, message.channel());
        let channel_and_charge = channel << 5 | elink.charge(adc);
        let of_address = Digi::new(address, 0, time, 0).bits();
        Ok(Digi::from_bits(of_address | u64::from(channel_and_charge) << 32))
    }
}

/// The time of a hit in ns, corrected by its charge.
fn current_time(time: u64, walk_ns: Option<&f64>) -> Result<u32, DropReason> {
    let Some(walk) = walk_ns else {
        return if time <= MAX_TIME_NS.into() { Ok(time as u32) } else { Err(DropReason::Late) };
    };
    let time = time as f64 + walk;
    // Such times are out of the range of the experiment's conversion to integers.
    if time <= -1.0 || time >= 18_446_744_073_709_551_616.0 {
        return Err(DropReason::Undefined);
    }
    // Truncated, so that values above -1 become 0.
    if time < f64::from(MAX_TIME_NS) + 1.0 { Ok(time as u32) } else { Err(DropReason::Late) }
}

/// The time without a check of the range: the highest of 32 bits is lost.
fn time_of_2023(time: u64) -> Result<u32, DropReason> {
    u32::try_from(time).map(|time| time & MAX_TIME_NS).map_err(|_| DropReason::UndefinedIn2023)
}

/// Why there is no digi of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DropReason {
    /// The board has no such e-link.
    UnknownElink,
    /// The channel is masked, or the charge is too small.
    Unwanted,
    /// Before the timeslice, or later than digis can be.
    Late,
    /// Dropped, because the experiment's code has undefined behaviour for it.
    Undefined,
    /// Dropped as undefined, by rules without a limit on times.
    UndefinedIn2023,
}

impl DropReason {
    fn count(self, counts: &mut MicrosliceCounts) {
        match self {
            DropReason::UnknownElink => counts.elink += 1,
            DropReason::Unwanted => {}
            DropReason::Late => counts.overflow += 1,
            DropReason::Undefined => {
                counts.overflow += 1;
                counts.undefined += 1;
            }
            DropReason::UndefinedIn2023 => counts.undefined += 1,
        }
    }
}

/// Epoch of the current message.
struct Epoch {
    cycle: u64,
    number: u32,
    first: u64,
}

impl Epoch {
    /// At the beginning of a microslice, whose index determines the cycle.
    fn new(index: u64, start_ns: u64) -> Self {
        // The only division with a sign.
        let cycle = (index as i64 / CYCLE_NS as i64) as u64;
        Epoch { cycle, number: 0, first: start_ns / EPOCH_NS }
    }

    /// Numbers only grow within a cycle.
    fn advance(&mut self, number: u32) {
        if number < self.number {
            self.cycle = self.cycle.wrapping_add(1);
        }
        self.number = number;
    }

    fn since_start(&self) -> u64 {
        let first_of_cycle = self.cycle.wrapping_mul(EPOCHS_PER_CYCLE);
        first_of_cycle.wrapping_add(self.number.into()).wrapping_sub(self.first)
    }
}
