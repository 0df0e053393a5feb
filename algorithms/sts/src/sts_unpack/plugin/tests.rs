use super::*;
use crate::sts_unpack::hard_inputs;
use tasks::algorithm::Semantics;
use tasks::plugin_session::testing::Compiled;

const ASKED: PluginRequest = PluginRequest { semantics: Semantics::Exact, by_time: false };

/// A hard input by its name.
fn input(name: &str) -> RawTimeslices {
    let mut inputs = hard_inputs::all(1).into_iter();
    inputs.find(|(found, _)| found == name).expect("an input of this name").1
}

#[test]
fn the_example_is_right_on_all_hard_inputs() {
    let Some(example) = Compiled::from_example(StsUnpack) else { return };
    example.assert_right(&["example-microslices"], &hard_inputs::all(1));
}

#[test]
fn microslices_are_described_before_allocation() {
    let input = input("boards and versions, current");
    let described = StsUnpack.describe(&input, ASKED);
    // SAFETY: it is the struct of this task.
    let shown = unsafe { &*described.shown.as_ptr().cast::<Unpack>() };
    assert!(shown.microslice.is_null() && shown.digis.is_null());
    assert_eq!((shown.rules, shown.order), (abi::CURRENT_RULES, USUAL_ORDER));
    // SAFETY: the header specifies a microslice for each index.
    let microslices =
        unsafe { std::slice::from_raw_parts(shown.host_microslice, shown.microslices as usize) };
    let counts = &input.expected().microslices;
    assert_eq!(microslices.len(), counts.len());
    let unknown = microslices.iter().zip(counts).filter(|(it, _)| it.board == abi::NO_BOARD);
    let mut unknown = unknown.peekable();
    assert!(unknown.peek().is_some());
    assert!(unknown.all(|(_, counts)| *counts == MicrosliceCounts::default()));
    let mut messages = 0;
    for microslice in microslices {
        assert_eq!(microslice.first_message, messages);
        assert!(microslice.first_byte + u64::from(microslice.bytes) <= shown.data_bytes);
        messages += messages_of(microslice);
    }
    assert_eq!(shown.messages, messages);
}

#[test]
fn rules_order_and_timeslices_are_shown() {
    for (name, input) in hard_inputs::all(1) {
        let described = StsUnpack.describe(&input, ASKED);
        // SAFETY: it is the struct of this task.
        let shown = unsafe { &*described.shown.as_ptr().cast::<Unpack>() };
        let is_by_time = input.order() == DigiOrder::Time;
        assert_eq!(shown.rules, abi::value_of(input.rules()), "{name}");
        assert_eq!(shown.order == BY_TIME, is_by_time, "{name}");
        let first: &[u64] = cast_slice(&described.arrays[2].content);
        assert_eq!(first.len() as u64, shown.timeslices + 1, "{name}");
        assert_eq!(first.last(), Some(&shown.microslices), "{name}");
    }
}

#[test]
fn more_digis_than_messages_are_reported() {
    let (microslices, timeslices) = surveyed(&input("a long microslice, current"));
    let messages = messages_of(&microslices[0]) as u32;
    let mut counts = vec![MicrosliceCounts::default(); microslices.len()];
    let digis = vec![0; messages as usize];
    counts[0].digis = messages;
    let unpacked = read(&microslices, &timeslices, &counts, &digis).expect("enough messages");
    assert_eq!(unpacked.digis.len(), digis.len());
    assert_eq!(unpacked.timeslices[0].bytes_out, 8 * u64::from(messages));
    counts[0].digis += 1;
    let problem = read(&microslices, &timeslices, &counts, &digis).expect_err("too many");
    let expected = format!("microslice 0: its counts have {} digis", messages + 1);
    assert!(problem.starts_with(&expected), "{problem}");
}
