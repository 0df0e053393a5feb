//! The examples in C, on the host and, as if they were for a GPU, on the emulator; and the outputs
//! of plugins, read back.

use bytemuck::cast_slice;

use super::items::Item;
use super::*;
use crate::sts::task::{check, hard_inputs};
use crate::sts::{Cluster, Hit, OfflineCluster, OfflineHit};
use tasks::algorithm::Algorithm;
use tasks::plugin_session::testing::Compiled;

/// The emulator takes its time, and sizes make no difference here.
const MAX_DIGIS: usize = 3_000;

fn inputs(task: StsTask) -> Vec<(String, Timeslices)> {
    let mut inputs = hard_inputs::all(task.stage, 1);
    inputs.retain(|(_, input)| input.digis() <= MAX_DIGIS);
    assert!(inputs.len() > 5);
    inputs
}

fn assert_right(task: StsTask, names: &[&str]) {
    let Some(example) = Compiled::from_example(task) else { return };
    example.assert_right(names, &inputs(task));
}

#[test]
fn presorting_is_right() {
    assert_right(StsTask::for_stage(ChainStage::Presort), &["example-count"]);
}

#[test]
fn clusters_are_right() {
    assert_right(
        StsTask::for_stage(ChainStage::Cluster),
        &["example-neighbours", "example-by-time"],
    );
}

#[test]
fn sorting_clusters_is_right() {
    assert_right(
        StsTask::for_stage(ChainStage::ClusterSort),
        &["example-merge", "example-objects"],
    );
}

#[test]
fn hits_are_right() {
    assert_right(StsTask::for_stage(ChainStage::Hits), &["example-search"]);
}

#[test]
fn collecting_hits_is_right() {
    let names = ["example-copy", "example-by-time", "example-objects"];
    assert_right(StsTask::for_stage(ChainStage::Collect), &names);
}

#[test]
fn the_whole_chain_is_right() {
    assert_right(StsTask { stage: None }, &["example-chain"]);
}

/// Concatenated lists of all timeslices, as a plugin would write them.
fn outputs_of<T: Item>(products: &[&Product]) -> [Vec<u8>; 3] {
    let mut items = Vec::new();
    let mut begins = Vec::new();
    let mut counts = Vec::new();
    for things in products.iter().copied().filter_map(T::from_product) {
        for list in (0..things.segments()).map(|segment| things.segment(segment)) {
            begins.push(items.len() as u64);
            counts.push(list.len() as u64);
            items.extend(list.iter().map(T::shown));
        }
    }
    [cast_slice(&items), cast_slice(&begins), cast_slice(&counts)].map(<[u8]>::to_vec)
}

/// The lists in aligned buffers of the full capacity.
fn buffers(
    task: StsTask,
    input: &Timeslices,
    asked: PluginRequest,
    lists: &[[Vec<u8>; 3]],
) -> Vec<Vec<u64>> {
    let specs = task.describe(input, asked).outputs;
    let filled = lists.iter().flatten().zip(&specs);
    let buffer = |(list, buffer_spec): (&Vec<u8>, &tasks::plugin_session::OutputSpec)| {
        assert!(list.len() <= buffer_spec.bytes, "the buffer has capacity for the list");
        let mut buffer = vec![0_u64; buffer_spec.bytes.div_ceil(8)];
        bytemuck::cast_slice_mut::<_, u8>(&mut buffer)[..list.len()].copy_from_slice(list);
        buffer
    };
    filled.map(buffer).collect()
}

#[test]
fn reference_output_passes_in_the_structs_of_all_answers() {
    let stages =
        [ChainStage::Cluster, ChainStage::ClusterSort, ChainStage::Hits, ChainStage::Collect];
    for stage in stages.map(Some).into_iter().chain([None]) {
        let task = StsTask { stage };
        for semantics in Semantics::ALL {
            for (name, input) in inputs(task) {
                let asked = PluginRequest { semantics, by_time: false };
                let right = task.reference(&input, semantics).expect("one");
                let products: Vec<&Product> = right.iter().flat_map(parts).collect();
                let mut lists = [
                    outputs_of::<Cluster>(&products),
                    outputs_of::<OfflineCluster>(&products),
                    outputs_of::<Hit>(&products),
                    outputs_of::<OfflineHit>(&products),
                ];
                // Lists with items: clusters, and one of the two kinds of hits.
                lists.sort_by_key(|[_, begins, _]| begins.is_empty());
                lists[..2].sort_by_key(|[_, begins, _]| std::cmp::Reverse(begins.len()));
                let buffers = buffers(task, &input, asked, &lists);
                let description = task.describe(&input, asked);
                let specs = description.outputs.iter().map(|buffer_spec| buffer_spec.bytes);
                let outputs = buffers.iter().zip(specs);
                let outputs: Vec<&[u8]> =
                    outputs.map(|(buffer, bytes)| &cast_slice(buffer)[..bytes]).collect();
                let found = (description.read)(&outputs).expect("enough capacity");
                for (right, found) in right.iter().zip(&found) {
                    let checked = check::check(stage, false, right, found);
                    assert_eq!(checked, Ok(()), "{stage:?}, {semantics:?}: {name}");
                }
                assert_eq!(found.len(), right.len());
            }
        }
    }
}

fn parts(product: &Product) -> Vec<&Product> {
    match product {
        Product::Both(clusters, hits) => vec![clusters, hits],
        other => vec![other],
    }
}
