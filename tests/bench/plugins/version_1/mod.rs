//! Plugins that were compiled with version 1 of the header: the example of that time, and those
//! of the tests, run unchanged.

use std::fs;

use reports::record::YesNo;

use super::compiled::{measuring, workshop};
use crate::common::{in_repository, row};

#[test]
fn the_header_is_that_of_version_1() {
    let header = in_repository("tests/bench/plugins/version_1/recobench.h");
    let header = fs::read_to_string(header).expect("readable");
    assert!(header.contains("#define RECOBENCH_ABI 1u\n"));
}

#[test]
fn the_example_of_version_1_is_measured_as_it_was() {
    let Some(workshop) = measuring() else { return };
    let example = workshop.plugin_of_version_1("version_1/example.c", "libexample.so");
    workshop.measure(&[&example], "example*", "").exits(0);
    let rows = workshop.rows("r");
    let example = row(&rows, "example-lsd-radix");
    assert_eq!((example.valid, example.stable), (YesNo::Yes, YesNo::Yes));
}

#[test]
fn plugins_of_version_1_are_right_on_hard_inputs() {
    let Some(workshop) = workshop() else { return };
    for (source, tasks, name) in [
        ("version_1/example.c", "sort", "example-*"),
        ("plugin.c", "sort", "foreign"),
        ("gather.c", "gather sort", "foreign-*"),
    ] {
        let plugin = workshop.plugin_of_version_1(source, "libold.so");
        let line = format!("verify {tasks} --variant {name} --device cpu --seeds 1");
        let run = workshop.bench(format!("{line} --plugin {plugin}")).exits(0);
        run.prints("0 wrong, 0 not run");
    }
}
