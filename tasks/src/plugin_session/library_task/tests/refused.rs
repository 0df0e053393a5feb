//! Libraries whose tasks are refused when they are loaded, each for a reason of its own.

use super::{SOURCE, library};
use crate::registry::Registry;

/// Expects that a library is refused with a message.
#[track_caller]
fn check(flags: &str, expected: &str) {
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let Some(loaded) = library(SOURCE, &flags) else { return };
    let Err(error) = loaded else { panic!("{flags:?}: it was accepted") };
    let message = error.to_string();
    let file_is_named = message.contains("libtask.so: ");
    assert!(file_is_named && message.contains(expected), "{flags:?}: {message}");
}

#[test]
fn structs_of_another_size() {
    let bytes = size_of::<crate::plugin::task_abi::Task>();
    let expected = format!(
        "recobench_task 0 declares a size of 96 bytes, and that of this bench has {bytes}; set size"
    );
    check("-DTASK_SIZE=96", &expected);
    check("-DTASK_SIZE=4096", "recobench_task 0 declares a size of 4096 bytes");
    check("-DTABLE_SIZE=8", "recobench_task_table declares a size of 8 bytes, and that of this");
    check("-DAXIS_SIZE=16", "its task \"double\": axis 0 declares a size of 16 bytes");
}

#[test]
fn missing_functions() {
    check("-DREFERENCE=NULL", "its task \"double\": reference is NULL; every task has it");
    check("-DDESCRIBE=NULL", "describe is NULL");
    check("-DPLAN=NULL", "plan is NULL");
    check("-DHARD_INPUT=NULL", "hard_input is NULL");
    check("-DGENERATE=NULL", "generate is NULL; so is read");
    check("-DANY_ORDER=1", "check is NULL; outputs are compared in order without it");
    check("-DTASKS=NULL", "recobench_plugin_tasks gives NULL");
}

#[test]
fn tables_that_make_no_sense() {
    check("-DHARD_INPUTS=0", "hard_input_count is 0");
    check("-DTASK_NAME=\"Double\"", "is called \"Double\"; use lower case letters");
    check("-DTASK_NAME=NULL", "the name of task 0 is NULL");
    check("-DELEMENT_BYTES=0", "output 0, its doubles: element_bytes is 0; use 1 to 4096");
    check("-DKIND=77", "axis \"count\": kind is 77");
    check("-DKIND=RECOBENCH_AXIS_CHOICE", "it has 0 choices of axis \"count\"; 1 to 1000");
    check(
        "-DDEFAULT=\"many\"",
        "axis \"count\": default_value: --count \"many\": not a whole number",
    );
    check("-DPLAN=no_plan", "libtask.so failed in plan: never");
    check("-DANY_ORDER=7 -DCHECK=sum_check", "any_order is 7; 1 is yes and 0 is no");
}

#[test]
fn variants_of_no_task_and_tasks_of_no_variant() {
    check("-DNO_TASKS", "is for the task \"double\"; plugins can be for ");
    check("-DVARIANT_TASK=\"triple\"", "is for the task \"triple\"; plugins can be for double");
}

#[test]
fn names_that_are_taken() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let flags = ["-DTASK_NAME=\"taken\""];
    let paths = folders.each_ref().map(|it| super::compiled(it.path(), SOURCE, &flags));
    let [Some(first), Some(second)] = paths else { return };
    let mut registry = Registry::default();
    registry.load_plugin(&first, String::new()).expect("it is free");
    assert!(registry.task("taken").is_some());
    let error = registry.load_plugin(&second, String::new()).expect_err("it is taken").to_string();
    let expected = "its task \"taken\": there is a task of this name of ";
    assert!(error.contains(expected) && error.ends_with("; rename it"), "{error}");
}

#[test]
fn hard_inputs_that_can_not_be() {
    check(
        "-DHARD_INPUT=failing_input",
        "hard input \"none\": libtask.so failed in hard_input: out of numbers",
    );
    check(
        "-DHARD_INPUT=no_input",
        "libtask.so set no input in hard_input, but answered RECOBENCH_OK",
    );
    check("-DHARD_INPUT=varying_inputs", "its numbers differ the second time, with the same seed");
    check("-DHARD_INPUT=empty_inputs", "the right outputs of all hard inputs are empty");
}

#[test]
fn descriptions_that_lie() {
    const LYING: &str = "-DDESCRIBE=lying";
    let lie = |field: &str, value: &str, expected: &str| {
        check(&format!("{LYING} -DFIELD={field} -DVALUE={value}"), expected);
    };
    lie("elements[0]", "UINT64_MAX", "numbers of 4 bytes are more than any memory has");
    lie("capacities[0]", "UINT64_MAX/2", "doubles of 4 bytes are more than any memory has");
    lie("arrays[0]", "NULL", "in describe: its numbers are NULL, but it has 1 of them");
    lie("shape", "NULL", "in describe: shape is NULL, but shape_bytes is 4");
    lie("shape_bytes", "70000", "shape_bytes is 70000, and at most 65536 are allowed");
}

#[test]
fn references_that_are_wrong_by_themselves() {
    check("-DREFERENCE=failing_reference", "libtask.so failed in reference: no idea");
    check("-DREFERENCE=long_reference", "in reference: it set the length of its doubles to 5");
    check("-DREFERENCE=beyond_reference", "in reference: it wrote out of bounds of its doubles");
    check("-DREFERENCE=varying_reference", "the reference has another output the second time");
    check(
        "-DCHECK=no_check",
        "the check refuses the output of the reference (libtask.so failed in",
    );
}

#[test]
fn checks_that_accept_what_is_wrong() {
    check("-DCHECK=yes_check", "the check accepts the output of a variant that does nothing");
    check(
        "-DCHECK=sum_check",
        "accepts an output with one of its doubles swapped with another one",
    );
    check(
        "-DCHECK=length_check",
        "hard input \"fifty\": the check accepts an output with one of its",
    );
}
