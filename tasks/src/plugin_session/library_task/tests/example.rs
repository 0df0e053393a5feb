//! The example of the documentation, `docs/plugin/examples/pixel-clusters.cpp`.

use std::path::Path;

use bytemuck::cast_slice;

use super::super::input::LibraryInput;
use super::super::judged;
use super::super::task::LibraryTask;
use crate::algorithm::{Algorithm, Semantics};
use crate::axis::Params;
use crate::plugin_session::testing::Compiled;

const SOURCE: &str = "../docs/plugin/examples/pixel-clusters.cpp";

fn pixels() -> Option<&'static Compiled<LibraryTask>> {
    static PIXELS: std::sync::OnceLock<Option<Compiled<LibraryTask>>> = std::sync::OnceLock::new();
    PIXELS.get_or_init(|| super::task(SOURCE, &["-O3", "-Wextra"])).as_ref()
}

/// Generates an input.
fn generated(task: LibraryTask, values: &[(&'static str, &str)], seed: u64) -> LibraryInput {
    let mut params = Params::default();
    params.extend(values.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let plan = task.plan(params).expect("a plan");
    task.generate(&plan.params, seed).expect("an input")
}

fn cells(input: &LibraryInput) -> Vec<u32> {
    let cells = input.array_bytes().next().expect("an array");
    cells.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("4"))).collect()
}

fn labels(task: LibraryTask, input: &LibraryInput) -> Vec<u32> {
    let right = task.reference(input, Semantics::Exact).expect("a reference");
    cast_slice(right.0[0].content.as_slice()).to_vec()
}

#[test]
fn all_variants_are_right() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let mut inputs = task.hard_inputs(7);
    for pattern in ["clusters", "noise"] {
        let values =
            [("rows", "200"), ("columns", "333"), ("occupancy", "0.2"), ("pattern", pattern)];
        inputs.push((pattern.to_owned(), generated(task, &values, 5)));
    }
    pixels.assert_right(&["scan-lines", "row-bands"], &inputs);
    pixels.assert_stages("row-bands", &inputs[2].1, &["bands", "seams", "labels"]);
}

#[test]
fn labels_are_the_first_cells_of_clusters() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let inputs = task.hard_inputs(1);
    let of_input = |name: &str| {
        let (_, input) = inputs.iter().find(|(known, _)| known == name).expect(name);
        labels(task, input)
    };
    assert!(of_input("no cells").is_empty());
    assert_eq!(of_input("one cell"), [0]);
    for name in ["all cells", "checkerboard", "teeth of a comb"] {
        assert!(of_input(name).iter().all(|label| *label == 0), "{name}");
    }
    let apart = of_input("rows that end");
    assert!((0..).zip(&apart).all(|(index, label)| index == *label), "{apart:?}");
}

#[test]
fn inputs_depend_on_parameters_and_seed_alone() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let values = [("rows", "64"), ("columns", "64"), ("occupancy", "0.1")];
    let made = |seed| cells(&generated(task, &values, seed));
    assert_eq!(made(1).len(), 409);
    assert_eq!(made(1), made(1));
    assert_ne!(made(1), made(2));
    let refused = task.plan([("occupancy", "0.7")].into_iter().collect());
    let refused = refused.expect_err("too much").to_string();
    assert_eq!(refused, "libtask.so failed in plan: use an occupancy of 0 to 0.5");
}

#[test]
fn inputs_survive_files_and_bad_files_are_refused() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cells.csv");
    let input = generated(task, &[("rows", "64"), ("columns", "64")], 1);
    task.write(&input, &path).expect("written");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    let read = |path: &Path| task.read(&path.into(), &Params::default());
    let (again, _) = read(&path).expect("read");
    assert_eq!(cells(&again), cells(&input));
    for (content, expected) in [
        ("rows", "line 1 is not \"rows,columns\""),
        ("4,4\n4,0\n", "a cell is outside of the matrix"),
        ("4,4\n1,0\n1,0\n", "a cell is there twice"),
        ("4,4\n1,0\nx", "a line is not \"row,column\""),
    ] {
        std::fs::write(&path, content).expect("written");
        let error = read(&path).err().expect(content).to_string();
        assert!(error.ends_with(&format!("libtask.so failed in read: {expected}")), "{error}");
        assert!(error.contains("cells.csv: "), "{error}");
    }
}

#[test]
fn smaller_inputs_lack_each_part_once() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let input = generated(task, &[("rows", "16"), ("columns", "16"), ("occupancy", "0.04")], 1);
    let all = cells(&input);
    assert_eq!(all.len(), 10);
    let smaller: Vec<usize> = task.shrink(&input).map(|input| cells(&input).len()).collect();
    assert_eq!(smaller[..6], [5, 5, 8, 7, 8, 7]);
    assert!(smaller.iter().filter(|cells| **cells == 9).count() >= all.len());
}

#[test]
fn metrics_have_their_values() {
    let Some(pixels) = pixels() else { return };
    let task = pixels.task();
    let (_, input) = task.hard_inputs(1).swap_remove(2);
    let right = judged::reference(task.loaded(), &input).expect("a reference");
    let metrics = task.quality(&input, &right);
    let values: Vec<_> = metrics.iter().map(|it| (it.metric.info.name, it.value())).collect();
    assert_eq!(values, [("cells_per_cluster", 1024.0)]);
    let names: Vec<_> = task.info().metrics.iter().map(|info| info.name).collect();
    assert_eq!(names, ["ns_per_cell", "cells_per_cluster"]);
}
