//! Merging by plugins.

use bytemuck::{Pod, Zeroable, cast_slice};
use generators_tpc::slice_tracks::{Relations, SliceTracks};
use parallel::par_map;

use super::TpcMerge;
use tasks::plugin::Contract;
use tasks::plugin::abi::{self, structs};
use tasks::plugin_session::{Description, Layout, PluginRequest, PluginTask};

/// Features that plugins of this task may declare.
pub(super) const CONTRACT: Contract =
    Contract { task: "merge", cpu: BUFFERS, cuda: BUFFERS, ..Contract::NEW };

const BUFFERS: &[u32] = &[abi::SEPARATE, abi::IN_PLACE];

structs! {
    "recobench_slice_track" #[derive(Clone, Copy, Pod, Zeroable)] SliceTrack {
        q_over_pt: f32,
        zt_min: f32,
        zt_max: f32,
        n_clusters: u32,
    }

    "recobench_relations" #[derive(Clone, Copy, Pod, Zeroable)] Related {
        segment_prev: u32,
        segment_next: u32,
        neighbours: [u32; 2],
    }

    "recobench_merge" #[derive(Zeroable)] Merge {
        size: usize,
        tracks: u64,
        relations: *mut Related,
        slices: *const SliceTrack,
        links: *const u32,
        merged: *mut Related,
    }
}

impl PluginTask for TpcMerge {
    fn describe<'a>(
        &self,
        input: &'a SliceTracks,
        _: PluginRequest,
    ) -> Description<'a, Vec<Relations>> {
        let mut layout = Layout::new();
        // The first array, as the result may be stored in it.
        let relations = par_map(input.relations(), related);
        layout.array("its relations", relations, |shown: &mut Merge| &mut shown.relations);
        layout.array("its slice tracks", par_map(input.tracks(), slice), |shown| &mut shown.slices);
        layout.array("its links", input.links(), |shown| &mut shown.links);
        layout.output("its output", input.len(), |shown| &mut shown.merged);
        let shown =
            Merge { size: size_of::<Merge>(), tracks: input.len() as u64, ..Zeroable::zeroed() };
        layout
            .describe(shown, Box::new(|outputs| Ok(par_map(cast_slice(outputs[0]), relations_of))))
    }
}

fn slice(track: &generators_tpc::slice_tracks::SliceTrack) -> SliceTrack {
    let generators_tpc::slice_tracks::SliceTrack { q_over_pt, zt_min, zt_max, n_clusters } = *track;
    SliceTrack { q_over_pt, zt_min, zt_max, n_clusters }
}

fn related(relations: &Relations) -> Related {
    let Relations { segment_prev, segment_next, neighbours } = *relations;
    Related { segment_prev, segment_next, neighbours }
}

fn relations_of(related: &Related) -> Relations {
    let Related { segment_prev, segment_next, neighbours } = *related;
    Relations { segment_prev, segment_next, neighbours }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_merge::hard_inputs;
    use tasks::plugin_session::testing::Compiled;

    #[test]
    fn the_example_is_right_on_all_hard_inputs() {
        let Some(example) = Compiled::from_example(TpcMerge) else { return };
        example.assert_right(&["example-sequential"], &hard_inputs::all(1));
    }

    #[test]
    fn memory_matches_the_provided_buffers() {
        let Some(example) = Compiled::from_example(TpcMerge) else { return };
        let (_, input) = hard_inputs::all(1).swap_remove(0);
        // Kinematics, relations and links; the result is stored in the relations.
        let expected = (16 + 16 + 4) * input.len() as u64;
        assert_eq!(example.buffer_bytes("cpu-example-sequential", &input), expected);
    }
}
