//! Raw data that are hard to get right: sizes, first messages, kinds, borders of ranges and cycles,
//! tables that nothing can be looked up by, epochs at borders of blocks, and damage.

use generators_common::random::{below, hash};
use generators_sts::raw::clock::{CYCLE_NS, EPOCH_NS, EPOCHS_PER_CYCLE};
use generators_sts::raw::{
    Cabling, Descriptor, ELINKS, Elink, Message, RawData, RawTimeslice, Readout, Rules, block_of,
    damaged,
};

use super::input::{DigiOrder, RawTimeslices};

/// Boards: all of it looked up, nothing looked up, few e-links, those of 40 modules.
const PLAIN: u16 = 0x1000;
const ODD: u16 = 0x1001;
const SMALL: u16 = 0x1002;
const UNKNOWN: u16 = 0x0fff;

/// Default start of timeslices: within an epoch, not near the end of a cycle.
const START_NS: u64 = 1000 * CYCLE_NS + 77_777 * EPOCH_NS + 1234;
/// Number of that epoch in its cycle.
const FIRST_EPOCH: u32 = 77_777;
/// The last epoch that has times in the range of digis.
const LAST_EPOCH: u32 = FIRST_EPOCH + 671_088;

/// Raw data with their names, each by both rules.
pub(super) fn all(seed: u64) -> Vec<(String, RawTimeslices)> {
    let inputs = [
        ("no timeslices", RawData::default()),
        ("no components", timeslice(|slice| drop(slice.components.pop()))),
        ("sizes", timeslice(sizes)),
        ("first messages", timeslice(first_messages)),
        ("all kinds of messages", timeslice(|slice| slice.random(PLAIN, 40, |at| word(seed, at)))),
        ("all hits of a board", timeslice(|slice| slice.add(PLAIN, START_NS, &all_hits()))),
        ("all hits of an odd board", timeslice(|slice| slice.add(ODD, START_NS, &all_hits()))),
        ("all hits of a small board", timeslice(|slice| slice.add(SMALL, START_NS, &all_hits()))),
        ("ends of the range", timeslice(|slice| ranges(slice, seed))),
        ("epochs back and forth", timeslice(|slice| epochs(slice, seed))),
        ("ends of a cycle", timeslice(|slice| cycles(slice, seed))),
        ("wrong indices", timeslice(|slice| indices(slice, seed))),
        ("epochs at borders of blocks", timeslice(|slice| blocks(slice, seed))),
        ("boards and versions", timeslice(|slice| boards(slice, seed))),
        ("a long microslice", timeslice(|slice| long(slice, 70_000, seed))),
        ("many microslices", timeslice(|slice| many(slice, 66_000))),
        ("contents that overlap", overlapping(seed)),
        (
            "no start of a timeslice",
            timeslice(|slice| {
                slice.head.start_ns = 0;
                boards(slice, seed);
            }),
        ),
        ("timeslices of all sizes", timeslices(seed)),
        ("damage", damaged(&timeslices(seed), 0.03, seed)),
        ("more damage than data", damaged(&timeslices(seed + 1), 0.4, seed)),
    ];
    let both = |(name, data): (&str, RawData)| {
        Rules::ALL.map(|rules| {
            (format!("{name}, {rules}"), RawTimeslices::new(data.clone(), readout(), rules))
        })
    };
    let mut inputs: Vec<_> = inputs.into_iter().flat_map(both).collect();
    inputs.extend(by_time(seed));
    inputs
}

/// Inputs whose digis are wanted by time: data with all kinds of times, and realistic ones.
fn by_time(seed: u64) -> Vec<(String, RawTimeslices)> {
    let random = |slice: &mut Slice| slice.random(PLAIN, 40, |at| word(seed, at));
    let inputs = [
        ("no timeslices, by time", RawData::default()),
        ("all kinds of messages, by time", timeslice(random)),
        (
            "all hits of a board, by time",
            timeslice(|slice| slice.add(PLAIN, START_NS, &all_hits())),
        ),
        ("ends of the range, by time", timeslice(|slice| ranges(slice, seed))),
        ("epochs back and forth, by time", timeslice(|slice| epochs(slice, seed))),
        ("a long microslice, by time", timeslice(|slice| long(slice, 70_000, seed))),
        ("timeslices of all sizes, by time", timeslices(seed)),
        ("damage, by time", damaged(&timeslices(seed), 0.03, seed)),
    ];
    let sorted = |(name, data): (&str, RawData)| {
        let raw = RawTimeslices::new(data, readout(), Rules::Current);
        (name.to_owned(), raw.in_order(DigiOrder::Time))
    };
    inputs.map(sorted).into()
}

/// The tables of these boards.
fn readout() -> Readout {
    let cabling = Cabling { time_offset_ns: -970, ..Cabling::regular(40) };
    let tables = vec![vec![0.0; 31], walk(0.125), walk(-3.75), vec![1e6, -1e6, 2_147_483_000.5]];
    let readout = cabling.readout(tables).expect("sensible");
    let mut boards = readout.boards().clone();
    let boards_2023 = readout.boards_2023().cloned();
    for (number, link) in boards.get_mut(&PLAIN).into_iter().flatten().enumerate() {
        link.walk_table = number % 3;
        link.masked = if number.is_multiple_of(5) { 1 << (number % 128) | 1 << 127 } else { 0 };
        link.adc_min_cut = if number.is_multiple_of(7) { 3 } else { 0 };
        link.time_offset_ns += number as i32;
    }
    for (number, link) in boards.get_mut(&ODD).into_iter().flatten().enumerate() {
        *link = odd(number, link);
    }
    let mut boards_2023 = boards_2023.unwrap_or_default();
    boards.entry(SMALL).or_default().truncate(3);
    boards_2023.entry(SMALL).or_default().truncate(3);
    let tables = readout.walk_tables().to_vec();
    Readout::new(boards, Some(boards_2023), tables).expect("sensible")
}

/// Corrections around a value, some of them whole, some nearly.
fn walk(around: f64) -> Vec<f64> {
    let near = [0.0, 0.5, -0.999_999_999, 1e-9, 0.25, -0.1, 0.999_999_9];
    (0..31).map(|adc| around + near[adc % near.len()]).collect()
}

/// E-links for which no lookup is exact: charges that are no ADC values, large corrections.
fn odd(number: usize, link: &Elink) -> Elink {
    Elink {
        walk_table: number % 5,
        adc_offset: if number.is_multiple_of(3) { 7.5 } else { 1.0 },
        adc_gain: if number.is_multiple_of(4) { 70.0 } else { 1.0 },
        time_offset_ns: [-970, i32::MAX, i32::MIN, 2000][number % 4],
        masked: u128::from(number as u64) << (number % 64),
        adc_min_cut: if number.is_multiple_of(6) { 31 } else { 0 },
        ..link.clone()
    }
}

/// A timeslice while it is made.
struct Slice {
    head: RawTimeslice,
    components: Vec<Vec<(Descriptor, Vec<u8>)>>,
}

/// One timeslice of a component without microslices, as others make it.
fn timeslice(make: impl FnOnce(&mut Slice)) -> RawData {
    let mut data = RawData::default();
    push(&mut data, START_NS, make);
    data
}

fn push(data: &mut RawData, start_ns: u64, make: impl FnOnce(&mut Slice)) {
    let head = RawTimeslice { start_ns, ..RawTimeslice::default() };
    let mut slice = Slice { head, components: vec![Vec::new()] };
    make(&mut slice);
    data.push_timeslice(slice.head);
    for microslices in slice.components.iter().filter(|microslices| !microslices.is_empty()) {
        let microslices =
            microslices.iter().map(|(descriptor, content)| (*descriptor, &content[..]));
        let (count, block) = block_of(microslices);
        data.push_component(count, &block).expect("a component");
    }
}

impl Slice {
    fn add_bytes(&mut self, descriptor: Descriptor, content: Vec<u8>) {
        let last = self.components.last_mut().expect("there is one");
        last.push((descriptor, content));
    }

    /// Adds a microslice of a board: its first two messages, with the epoch in which it starts, and
    /// these.
    fn add(&mut self, board: u16, index: u64, messages: &[Message]) {
        let epoch = (index / EPOCH_NS % EPOCHS_PER_CYCLE) as u32;
        self.add_from(board, index, epoch, messages);
    }

    fn add_from(&mut self, board: u16, index: u64, epoch: u32, messages: &[Message]) {
        let first = [Message::epoch(0), Message::ts_msb(epoch)];
        let content = first.iter().chain(messages).flat_map(|message| message.to_bytes());
        self.add_bytes(Descriptor::of_sts(board, index), content.collect());
    }

    /// Microslices of messages that are a function of three numbers: the microslice's index, 0, and
    /// the message's index.
    fn random(&mut self, board: u16, microslices: u64, message: impl Fn([u64; 3]) -> Message) {
        for number in 0..microslices {
            let message_at = |at: u64| message([number, 0, at]);
            let messages: Vec<_> = (0..number * 3).map(message_at).collect();
            self.add(board, START_NS, &messages);
        }
    }
}

/// Any word.
fn word(seed: u64, at: [u64; 3]) -> Message {
    Message::from_bits(hash(seed, at) as u32)
}

/// A hit of any e-link and channel, a quarter of them in few.
fn hit(seed: u64, at: [u64; 3]) -> Message {
    let random = hash(seed, at);
    let elinks = if random >> 62 == 0 { 4 } else { ELINKS as u64 };
    let elink = below(random as u32, elinks) as u8;
    let channel = (random >> 32) as u8;
    let adc = (random >> 40) as u8 | 1;
    Message::hit(elink, channel, adc, (random >> 48) as u16)
}

fn hits(seed: u64, name: u64, count: u64) -> Vec<Message> {
    (0..count).map(|at| hit(seed, [name, 0, at])).collect()
}

fn sizes(slice: &mut Slice) {
    let first = [Message::epoch(0), Message::ts_msb(FIRST_EPOCH)].map(Message::to_bytes);
    let content = [first.as_flattened(), &Message::hit(1, 2, 3, 4).to_bytes(), &[0; 60]].concat();
    for size in 0..content.len() {
        slice.add_bytes(Descriptor::of_sts(PLAIN, START_NS), content[..size].to_vec());
    }
}

fn first_messages(slice: &mut Slice) {
    let kinds = [0, 1 << 31, 5 << 29, 6 << 29, 7 << 29, 15 << 28, 1 << 10].map(Message::from_bits);
    for first in kinds {
        for second in kinds {
            let words = [first, second, Message::hit(1, 2, 3, 4)].map(Message::to_bytes);
            let content = words.as_flattened().to_vec();
            slice.add_bytes(Descriptor::of_sts(PLAIN, START_NS), content);
        }
    }
}

/// Hits of all e-links, channels and charges, with and without the bits that mean nothing.
fn all_hits() -> Vec<Message> {
    let hit = |number: u32| {
        let elink = (number >> 7) as u8 & 63;
        let channel = number as u8 & 127;
        let hit = Message::hit(elink, channel, (number % 31 + 1) as u8, (number * 7) as u16);
        Message::from_bits(hit.bits() | (number % 3) << 28)
    };
    (0..64 * 128).map(hit).collect()
}

/// Hits before, in and after the range of digis, and near its ends.
fn ranges(slice: &mut Slice, seed: u64) {
    for board in [PLAIN, ODD] {
        for end in [0, FIRST_EPOCH, LAST_EPOCH, FIRST_EPOCH + 2 * 671_088] {
            let mut messages = Vec::new();
            for epoch in end.saturating_sub(3)..end + 4 {
                messages.push(Message::ts_msb(epoch));
                messages.extend(hits(seed, epoch.into(), 64));
                messages.extend([0, 1, 4, 1022, 1023].map(|tick| Message::hit(2, 9, 1, tick)));
            }
            slice.add_from(board, START_NS, end.saturating_sub(4), &messages);
        }
    }
}

/// Epochs that are repeated, left out, and decrease: all hits after a decrease are lost then.
fn epochs(slice: &mut Slice, seed: u64) {
    for step in [[1_u32, 1], [0, 1], [1, 0], [5, u32::MAX], [u32::MAX, 1], [900, 1]] {
        let mut epoch = FIRST_EPOCH;
        let mut messages = Vec::new();
        for number in 0..60 {
            epoch = epoch.wrapping_add(step[number % 2]);
            messages.push(Message::ts_msb(epoch));
            messages.extend(hits(seed, number as u64, hash(seed, [number as u64]) % 9));
        }
        slice.add(PLAIN, START_NS, &messages);
        slice.add(ODD, START_NS, &messages);
    }
}

/// A cycle ends in a microslice, before its first epoch message, and after.
fn cycles(slice: &mut Slice, seed: u64) {
    let last = EPOCHS_PER_CYCLE as u32 - 1;
    slice.head.start_ns = 1001 * CYCLE_NS - 5 * EPOCH_NS;
    let index = slice.head.start_ns;
    let of = |epochs: &[u32]| -> Vec<Message> {
        let of_epoch = |&epoch: &u32| [vec![Message::ts_msb(epoch)], hits(seed, epoch.into(), 20)];
        epochs.iter().flat_map(of_epoch).flatten().collect()
    };
    slice.add(PLAIN, index, &of(&[last - 3, last, 0, 1, 7]));
    slice.add(PLAIN, index, &of(&[last, 0, last, 0, 1]));
    slice.add_from(PLAIN, index, 0, &of(&[0, 1, 2]));
    slice.add_from(PLAIN, index + 5 * EPOCH_NS, last, &of(&[last, 0, 1]));
}

/// Indices that are negative with a sign, early, late, of any cycle.
fn indices(slice: &mut Slice, seed: u64) {
    let late = [START_NS + CYCLE_NS, START_NS - CYCLE_NS, START_NS + (1 << 40), 0, 1];
    let wrong = (0..20).map(|number| hash(seed, [number, 1]));
    for index in late.into_iter().chain([u64::MAX, 1 << 63, u64::MAX - CYCLE_NS]).chain(wrong) {
        slice.add_from(PLAIN, index, FIRST_EPOCH, &hits(seed, index, 40));
        slice.add_from(ODD, index, FIRST_EPOCH + 3, &hits(seed, index, 40));
    }
}

/// Epoch markers at, and one off, multiples of the vector width; and long stretches without any.
fn blocks(slice: &mut Slice, seed: u64) {
    for block in [4, 8, 16, 32, 256, 512] {
        for shift in [0, 1, block - 1] {
            let message = |at: u64| match (at + shift) % block {
                0 => Message::ts_msb(FIRST_EPOCH + (at / block) as u32),
                _ if hash(seed, [at]).is_multiple_of(50) => Message::end(),
                _ => hit(seed, [block, shift, at]),
            };
            slice.add(PLAIN, START_NS, &(0..4 * block + 5).map(message).collect::<Vec<_>>());
        }
    }
    // Every word, then none.
    let dense = (0..200).map(|at| Message::ts_msb(FIRST_EPOCH + at / 3));
    slice.add(PLAIN, START_NS, &dense.chain(hits(seed, 5, 300)).collect::<Vec<_>>());
}

/// Components and microslices of others.
fn boards(slice: &mut Slice, seed: u64) {
    let sound = Descriptor::of_sts(PLAIN, START_NS);
    let variations = [
        sound,
        Descriptor { equipment: ODD, ..sound },
        Descriptor { equipment: UNKNOWN, ..sound },
        Descriptor { version: 0x21, ..sound },
        Descriptor { system: 0x60, ..sound },
        Descriptor { flags: u16::MAX, ..sound },
        Descriptor { equipment: UNKNOWN, version: 0, ..sound },
    ];
    for first in variations {
        slice.components.push(Vec::new());
        for descriptor in [&[first][..], &variations].concat() {
            let words = [Message::epoch(1), Message::ts_msb(FIRST_EPOCH)].into_iter();
            let content = words.chain(hits(seed, 3, 5)).flat_map(Message::to_bytes);
            slice.add_bytes(descriptor, content.collect());
        }
    }
}

fn long(slice: &mut Slice, messages: u64, seed: u64) {
    let message = |at: u64| match at % 97 {
        0 => Message::ts_msb(FIRST_EPOCH + (at / 97) as u32),
        _ => hit(seed, [8, 8, at]),
    };
    slice.add(PLAIN, START_NS, &(0..messages).map(message).collect::<Vec<_>>());
    slice.add(PLAIN, START_NS, &hits(seed, 9, 3));
}

/// More microslices than 16 bits count, of a hit or none.
fn many(slice: &mut Slice, microslices: u64) {
    for number in 0..microslices {
        let hit = Message::hit((number % 40) as u8, (number % 128) as u8, 5, number as u16);
        slice.add(PLAIN, START_NS, &[hit][..(number.is_multiple_of(3)).into()]);
    }
}

/// Contents that share bytes, with gaps, in any order, and offsets that don't begin at 0.
fn overlapping(seed: u64) -> RawData {
    let first = [Message::epoch(0), Message::ts_msb(FIRST_EPOCH)];
    let microslice = |name: u64| {
        let hits = hits(seed, name, 30);
        first.into_iter().chain(hits).flat_map(Message::to_bytes).collect::<Vec<_>>()
    };
    let one = microslice(1);
    let other = microslice(2);
    let content = [&[1, 2, 3][..], &one, &[4], &other, &[5, 6]].concat();
    let offset = u64::MAX - 1;
    let ranges =
        [(3, one.len()), (4 + one.len(), other.len()), (3, 12), (3, 0), (3, one.len() + 1)];
    let base = Descriptor { offset, ..Descriptor::of_sts(PLAIN, START_NS) };
    let mut block = base.to_bytes().to_vec();
    for (start, size) in ranges {
        let offset = offset.wrapping_add(start as u64);
        block.extend(Descriptor { offset, size: size as u32, ..base }.to_bytes());
    }
    block.extend(content);
    let mut data = RawData::default();
    data.push_timeslice(RawTimeslice { start_ns: START_NS, ..RawTimeslice::default() });
    data.push_component(1 + ranges.len() as u64, &block).expect("all of it is inside");
    data
}

/// Consecutive timeslices, with few messages and many.
fn timeslices(seed: u64) -> RawData {
    let mut data = RawData::default();
    for number in 0..12 {
        let start_ns = START_NS + number * 1_000_000;
        push(&mut data, start_ns, |slice| {
            for board in [PLAIN, ODD, SMALL, SMALL + 1] {
                slice.components.push(Vec::new());
                for microslice in 0..hash(seed, [number, board.into()]) % 6 {
                    let index = start_ns + microslice * 128_000;
                    let count = hash(seed, [number, microslice]) % 200;
                    let mut messages = hits(seed, number << 8 | microslice, count);
                    let epoch = (index / EPOCH_NS % EPOCHS_PER_CYCLE) as u32;
                    for (at, message) in messages.iter_mut().enumerate().step_by(13) {
                        *message = Message::ts_msb(epoch + at as u32 / 5);
                    }
                    slice.add(board, index, &messages);
                }
            }
        });
    }
    data
}
