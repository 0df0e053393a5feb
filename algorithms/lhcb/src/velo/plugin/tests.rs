//! The examples in C, which are right on all hard inputs, and capacities.

use tasks::plugin_session::testing::Compiled;

use super::*;
use crate::velo::hard_inputs;

fn assert_right(stage: Stage, name: &str) {
    let Some(example) = Compiled::from_example(VeloTask { stage }) else { return };
    example.assert_right(&[name], &hard_inputs::all(stage, 1));
}

#[test]
fn the_example_finds_the_clusters_of_all_hard_inputs() {
    assert_right(Stage::Clusters, "example-columns");
}

#[test]
fn the_example_decodes_all_hard_inputs() {
    assert_right(Stage::Decode, "example-words");
}

#[test]
fn the_example_sorts_all_hard_inputs() {
    assert_right(Stage::Sort, "example-insertion");
}

#[test]
fn the_example_finds_the_tracks_of_all_hard_inputs() {
    assert_right(Stage::Tracks, "example-windows");
}

#[test]
fn the_example_reconstructs_all_hard_inputs() {
    assert_right(Stage::Chain, "example-chain");
}

#[test]
fn capacities_are_upper_limits() {
    for stage in [Stage::Clusters, Stage::Decode, Stage::Chain] {
        for (name, input) in hard_inputs::all(stage, 1) {
            let offsets = slot_offsets(&input.events);
            assert_eq!(offsets.len(), input.events.len() + 1, "{name}");
            for (event, offsets) in offsets.windows(2).enumerate() {
                let slots = offsets[1] - offsets[0];
                let needed = input.unsorted().event(event).ids.len() as u32;
                assert!(needed <= slots, "{name}: event {event} needs {needed} of {slots} slots");
                let kind = input.events.event(event).format.kind;
                assert!(kind == BankKind::SuperPixel || needed == slots, "{name}: event {event}");
            }
        }
    }
}
