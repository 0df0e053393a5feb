//! Digis that can be computed by hand, and damaged raw data.

use generators_sts::physics::{Preset, Scenario};
use generators_sts::raw::clock::EPOCH_NS;
use generators_sts::raw::{
    Cabling, Descriptor, EpochOrder, Message, MicrosliceCounts, RawData, RawShape, RawTimeslice,
    Readout, Rules, TimesliceCounts, Unpacked, block_of, generate,
};

use super::*;
use tasks::device::{Backend, Target, Team};

/// The board of the first five module sides. E-links 0 to 7 are the front of module 0, the last
/// ASIC first, and 8 to 15 its back.
const BOARD: u16 = 0x1000;

fn readout() -> Readout {
    let cabling = Cabling { time_offset_ns: -970, ..Cabling::regular(3) };
    cabling.readout(vec![]).expect("sensible")
}

/// Unpacks a microslice that starts with the timeslice, at the beginning of the second epoch of a
/// cycle.
fn unpacked(messages: &[Message], rules: Rules) -> Unpacked {
    let index = generators_sts::raw::clock::CYCLE_NS + EPOCH_NS;
    let content: Vec<_> = messages.iter().flat_map(|message| message.to_bytes()).collect();
    let (count, block) = block_of([(Descriptor::of_sts(BOARD, index), &content[..])].into_iter());
    let mut data = RawData::default();
    data.push_timeslice(RawTimeslice { start_ns: index, ..RawTimeslice::default() });
    data.push_component(count, &block).expect("a component");
    unpack(&data, &readout(), rules)
}

/// Time, channel and charge of each digi.
fn digis(unpacked: &Unpacked) -> Vec<(u32, u16, u8)> {
    unpacked.digis.iter().map(|digi| (digi.time_ns(), digi.channel(), digi.adc())).collect()
}

#[test]
fn a_hit_has_the_time_of_its_epoch_and_tick() {
    let messages = [
        Message::epoch(0),
        Message::ts_msb(1),
        Message::hit(7, 5, 31, 4),
        Message::ts_msb(3),
        Message::hit(7, 6, 1, 1023),
        Message::end(),
        Message::hit(63, 6, 1, 0),
    ];
    let found = unpacked(&messages, Rules::Current);
    // Tick 4 is 12.5 ns, 1023 is 3196.875.
    assert_eq!(digis(&found), [(970 + 13, 5, 31), (970 + 6400 + 3197, 6, 1)]);
    let counts = MicrosliceCounts { digis: 2, other: 1, elink: 1, ..Default::default() };
    assert_eq!(found.microslices, [counts]);
    let timeslice = TimesliceCounts {
        components: 1,
        microslices: 1,
        bytes_in: 32 + 28,
        bytes_out: 16,
        ..Default::default()
    };
    assert_eq!(found.timeslices, [timeslice]);
    assert_eq!(digis(&unpacked(&messages, Rules::Of2023)), digis(&found));
}

#[test]
fn backs_are_read_in_reverse() {
    let hits = [0, 1, 127].map(|channel| Message::hit(8, channel, 9, 0));
    let messages = [&[Message::epoch(0), Message::ts_msb(1)][..], &hits].concat();
    let channels = |rules| -> Vec<_> {
        digis(&unpacked(&messages, rules)).iter().map(|(_, channel, _)| *channel).collect()
    };
    // The back of module 0 has a FEB of type A: its first e-link is ASIC 0 of the FEB, 15 of the
    // module, and 8 by the older numbers.
    assert_eq!(channels(Rules::Current), [2047, 2044, 1918]);
    assert_eq!(channels(Rules::Of2023), [2047, 2046, 1920]);
}

#[test]
fn hits_before_the_timeslice_are_lost_though_the_offset_would_save_them() {
    let messages = [
        Message::epoch(0),
        Message::ts_msb(0),
        Message::hit(7, 5, 3, 1023),
        Message::ts_msb(1),
        Message::hit(7, 5, 3, 0),
    ];
    let found = unpacked(&messages, Rules::Current);
    assert_eq!(digis(&found), [(970, 5, 3)]);
    assert_eq!((found.microslices[0].overflow, found.microslices[0].undefined), (1, 0));
    let found = unpacked(&messages, Rules::Of2023);
    assert_eq!((found.microslices[0].overflow, found.microslices[0].undefined), (0, 1));
}

#[test]
fn an_epoch_that_goes_back_is_of_the_next_cycle() {
    let messages = [
        Message::epoch(0),
        Message::ts_msb(2),
        Message::hit(7, 5, 3, 0),
        Message::ts_msb(1),
        Message::hit(7, 5, 3, 0),
        Message::ts_msb(2),
        Message::hit(7, 5, 3, 0),
    ];
    let found = unpacked(&messages, Rules::Current);
    assert_eq!((found.digis.len(), found.microslices[0].overflow), (1, 2));
}

/// `timeslices` damaged timeslices of a millisecond, in microslices of `microslice_ns`: 5,000 of
/// them in each if that is a microsecond.
pub(super) fn damaged_input(
    timeslices: u32,
    microslice_ns: u64,
    seed: u64,
    rules: Rules,
) -> RawTimeslices {
    let whole = Preset::Mcbm2024.scenario();
    let scenario = Scenario { timeslices, timeslice_ns: 1_000_000, ..whole };
    let shape = RawShape {
        scenario,
        microslice_ns,
        overlap: 3,
        order: EpochOrder::Random,
        with_end: true,
        masked: 0.02,
        with_walk: true,
        damage: 0.05,
    };
    let (data, readout) = generate(&shape, seed).expect("sensible");
    RawTimeslices::new(data, readout, rules)
}

/// Unpacks damaged microslices by all variants on the host, and returns their number.
fn unpack_damaged(timeslices: u32, seed: u64, rules: Rules) -> usize {
    let team = Team::new(2).expect("threads");
    let input = damaged_input(timeslices, 1_000, seed, rules);
    let variants = StsUnpack.variants().into_iter();
    for variant in variants.filter(|variant| variant.backend == Backend::Cpu) {
        let target = Target::host(&team);
        let checked = variant.checked_output(&StsUnpack, &input, &target, Some(input.expected()));
        assert!(checked.is_ok(), "{}, {seed}: {:?}", variant.name, checked.err());
    }
    input.data().microslices()
}

#[test]
fn a_hundred_thousand_damaged_microslices_are_unpacked_alike() {
    let microslices = Rules::ALL.map(|rules| unpack_damaged(10, 1, rules));
    assert!(microslices.iter().sum::<usize>() > 100_000, "{microslices:?}");
}

#[test]
#[ignore = "takes minutes: for the night"]
fn ten_million_damaged_microslices_are_unpacked_alike() {
    let of_seed = |seed| Rules::ALL.map(|rules| unpack_damaged(100, seed, rules));
    let microslices: usize = (2..12).flat_map(of_seed).sum();
    assert!(microslices > 10_000_000, "{microslices}");
}
