//! Encoding of digis as messages, the inverse of unpacking.

use std::collections::BTreeMap;

use generators_common::named;
use generators_common::random::hash;

use super::clock::{EPOCH_NS, EPOCHS_PER_CYCLE, TICKS_PER_EPOCH, tick_of};
use super::{ASIC_CHANNELS, ASICS, Descriptor, Message, Readout, Rules};
use crate::{Address, CHANNELS_PER_SIDE, ModuleSide, SegmentedDigis};

/// The order of hits in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochOrder {
    /// Sorted by time.
    Time,
    /// Sorted by e-link.
    Elink,
    /// Random order.
    Random,
}

named! { "order", EpochOrder { Time = "time", Elink = "elink", Random = "random" } }

/// Format of encoded microslices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// The length of a microslice in ns.
    pub(super) microslice_ns: u64,
    pub(super) order: EpochOrder,
    /// True if microslices end with an end message.
    pub(super) with_end: bool,
    pub(super) seed: u64,
}

/// A microslice of a board.
pub(super) struct Encoded {
    index: u64,
    messages: Vec<u8>,
}

impl Encoded {
    /// The content of a board's component.
    pub(super) fn of_board(&self, board: u16) -> (Descriptor, &[u8]) {
        (Descriptor::of_sts(board, self.index), &self.messages)
    }
}

/// Mapping of channels to e-links.
pub(super) struct Encoder {
    boards: Vec<u16>,
    /// By address and ASIC: the index of the board and the e-link.
    elinks: BTreeMap<(u32, u8), (usize, u8)>,
    /// ASIC and channel of each channel of a module.
    channels: Vec<(u8, u8)>,
}

/// A hit before it is sent.
struct Hit {
    microslice: u32,
    /// Counted from the beginning of Unix time.
    epoch: u64,
    order: u64,
    message: Message,
}

impl Encoder {
    pub(super) fn new(readout: &Readout) -> Self {
        let mut elinks = BTreeMap::new();
        for (board, links) in readout.boards().values().enumerate() {
            for (elink, link) in (0..).zip(links) {
                elinks.entry((link.address, link.asic)).or_insert((board, elink));
            }
        }
        let mut channels = vec![(0, 0); 2 * usize::from(CHANNELS_PER_SIDE)];
        for asic in 0..ASICS {
            for channel in 0..ASIC_CHANNELS {
                channels[usize::from(Rules::Current.channel(asic, channel))] = (asic, channel);
            }
        }
        Encoder { boards: readout.boards().keys().copied().collect(), elinks, channels }
    }

    /// The equipment ids of all boards.
    pub(super) fn boards(&self) -> &[u16] {
        &self.boards
    }

    /// Encodes `microslices` microslices of each board, from `start_ns` of Unix time on, to which
    /// times of digis are relative. Digis of modules that no board reads are left out. A charge of
    /// 0 is sent as the smallest one.
    pub(super) fn encode(
        &self,
        digis: &SegmentedDigis,
        start_ns: u64,
        microslices: u32,
        format: &Format,
    ) -> Vec<Vec<Encoded>> {
        let mut hits: Vec<Vec<Hit>> = self.boards.iter().map(|_| Vec::new()).collect();
        let sides = digis.partition().segments();
        for (segment, digis) in digis.segments().enumerate() {
            let side = ModuleSide::of_segment(segment, sides);
            let address = Address::of_module(side.module).full();
            let first_channel = if side.back { usize::from(CHANNELS_PER_SIDE) } else { 0 };
            for (number, digi) in (0..).zip(digis) {
                let (asic, channel) = self.channels[first_channel + usize::from(digi.channel())];
                let Some(&(board, elink)) = self.elinks.get(&(address, asic)) else { continue };
                let time = u64::from(digi.time_ns());
                let microslice = (time / format.microslice_ns) as u32;
                if microslice >= microslices {
                    continue;
                }
                // An epoch starts at a whole ns; its last tick may round into the next one.
                let at = start_ns + time;
                let tick = at / EPOCH_NS * TICKS_PER_EPOCH + tick_of(at % EPOCH_NS);
                let ticks = (tick % TICKS_PER_EPOCH) as u16;
                let message = Message::hit(elink, channel, digi.adc().max(1), ticks);
                let order = match format.order {
                    EpochOrder::Time => ticks.into(),
                    EpochOrder::Elink => elink.into(),
                    EpochOrder::Random => hash(format.seed, [segment as u64, number, start_ns]),
                };
                hits[board].push(Hit { microslice, epoch: tick / TICKS_PER_EPOCH, order, message });
            }
        }
        let of_board = |mut hits: Vec<Hit>| {
            hits.sort_unstable_by_key(|hit| {
                (hit.microslice, hit.epoch, hit.order, hit.message.bits())
            });
            let mut rest = &hits[..];
            let microslices = (0..microslices).map(|number| {
                let count = rest.iter().take_while(|hit| hit.microslice == number).count();
                let (in_microslice, later) = rest.split_at(count);
                rest = later;
                let index = start_ns + u64::from(number) * format.microslice_ns;
                Encoded { index, messages: messages(index, in_microslice, format.with_end) }
            });
            microslices.collect()
        };
        hits.into_iter().map(of_board).collect()
    }
}

/// Messages of a microslice: the number of its first epoch, then the number of each epoch with
/// hits, before these.
fn messages(index: u64, hits: &[Hit], with_end: bool) -> Vec<u8> {
    let ts_msb = |epoch: u64| Message::ts_msb((epoch % EPOCHS_PER_CYCLE) as u32);
    let mut messages = vec![Message::epoch(0), ts_msb(index / EPOCH_NS)];
    for of_epoch in hits.chunk_by(|one, other| one.epoch == other.epoch) {
        messages.push(ts_msb(of_epoch[0].epoch));
        messages.extend(of_epoch.iter().map(|hit| hit.message));
    }
    messages.extend(with_end.then_some(Message::end()));
    messages.iter().flat_map(|message| message.to_bytes()).collect()
}
