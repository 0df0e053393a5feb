//! Files that are not plugins, or not for this bench: refused before anything is measured.

use std::fs;

use super::compiled::{RIGHT, workshop};
use crate::common::rows_of;

/// Compiles the plugins of a table, and expects the exit code and the words of refusals.
#[track_caller]
fn check(code: i32, table: &str) {
    let Some(workshop) = workshop() else { return };
    for [defines, words] in rows_of(table) {
        let plugin = workshop.plugin("libforeign.so", defines);
        for line in ["list", "sort --out r", "verify sort", "run smoke --out r"] {
            let run = workshop.bench(format!("{line} --plugin {plugin}"));
            run.exits(code).says(words).says("libforeign.so");
        }
        assert!(!workshop.join("r").exists(), "{defines}");
    }
}

#[test]
fn plugins_of_another_version_and_without_functions() {
    check(
        2,
        "
            -DABI=4 | made for version 4 of recobench.h, and this bench has version 3 and runs those from 1 on
            -DABI=0 | made for version 0 of recobench.h, and this bench has version 3
            -DNO_TABLE | it lacks recobench_plugin;
            -DNO_TABLE -Drecobench_plugin_abi=other | it lacks recobench_plugin_abi and recobench_plugin;
        ",
    );
}

#[test]
fn tables_that_make_no_sense() {
    check(
        2,
        r#"
            -DNAME=NULL | the name of variant 0 is NULL
            -DNAME="" | the name of variant 0 has 0 characters
            -DNAME="My_Sort" | is called "My_Sort"; use lower case
            -DTABLE_NAME=NULL | the plugin's name is NULL
            -DSUMMARY=NULL | the summary of variant "foreign" is NULL
            -DSUMMARY="two\nlines" | the summary of variant "foreign" has a line break in it;
            -DSUMMARY="\33[7m" | the summary of variant "foreign" has the control character U+001B in it
            -DREMARK="" | the remark of variant "foreign" has 0 characters
            -DREMARK="two\nlines" | the remark of variant "foreign" has a line break in it;
            -DRUN=NULL | variant "foreign": run is NULL
            -DSIZE=8 | variant 0 declares a size of 8 bytes
            -DBACKEND=9 | backend is 9
            -DTASK="srot" | is for the task "srot"; plugins can be for sort, unpack, presort, cluster
            -DABI=1 -DTASK="hits" | for the task "hits", which version 1 of recobench.h does not have
            -DSIZE=104 | variant 0 declares a size of 104 bytes, and 112 are needed
            -DSEMANTICS=8 | variant "foreign": semantics is 8, which sort does not know
            -DSEMANTICS=2 | variant "foreign": semantics is 2, which sort does not know
            -DORDER=1 | variant "foreign": order is 1, but sort has no order to choose
            -DTASK="cluster" -DSTABLE=0 -DSEMANTICS=5 | semantics has RECOBENCH_OFFLINE and others
            -DTASK="cluster" -DSTABLE=0 -DORDER=7 | order is 7; RECOBENCH_USUAL_ORDER and
            -DTASK="cluster" -DSTABLE=0 -DORDER=1 -DSEMANTICS=4 | RECOBENCH_OFFLINE leaves none
            -DTASK="cluster" -DSTABLE=1 | stable is 1, but cluster has no order to keep
            -DTASK="merge" -DSTABLE=0 | stable is 0, but merge keeps the order
            -DTASK="cluster" -DSTABLE=0 -DBACKEND=RECOBENCH_CUDA | how much a run of cluster finds is known
            -DTASK="decode" -DBUFFERS=RECOBENCH_IN_PLACE | use one of these for decode on cpu: RECOBENCH_SEPARATE
            -DNATIVE="block-merge" -DWRITTEN_AS="layer" | variant "foreign": native is for RECOBENCH_CUDA
            -DBACKEND=RECOBENCH_CUDA -DWRITTEN_AS="layer" | native is NULL, but written_as and differs
            -DBACKEND=RECOBENCH_CUDA -DNATIVE="block-merge" | the written_as of variant "foreign" is NULL
        "#,
    );
}

#[test]
fn kernels_that_are_compared_with_nothing() {
    check(
        2,
        r#"
            -DBACKEND=RECOBENCH_CUDA -DNATIVE="block-mrege" -DWRITTEN_AS="layer" | "foreign" is to be compared with "block-mrege" of sort, which bench does not have in CUDA; native can be block-merge,
            -DBACKEND=RECOBENCH_CUDA -DNATIVE="std-stable" -DWRITTEN_AS="layer" | which bench does not have in CUDA
        "#,
    );
}

#[test]
fn what_an_older_header_did_not_have_is_not_read() {
    let Some(workshop) = workshop() else { return };
    let defines = "-DSIZE=112 -DNATIVE=\"block-mrege\" -DDIFFERS=\"all\"";
    let plugin = workshop.plugin("libforeign.so", defines);
    workshop.bench(format!("list --plugin {plugin}")).exits(0);
    let before_remarks = "-DSIZE=136 -DREMARK=\"\"";
    let plugin = workshop.plugin("libolder.so", before_remarks);
    workshop.bench(format!("list --plugin {plugin}")).exits(0);
    let compared = format!("{before_remarks} -DBACKEND=RECOBENCH_CUDA -DNATIVE=\"block-mrege\"");
    let plugin = workshop.plugin("libcompared.so", &compared);
    let run = workshop.bench(format!("list --plugin {plugin}"));
    run.exits(2).says("the written_as of variant \"foreign\" is NULL");
}

#[test]
fn names_that_are_taken() {
    check(
        2,
        r#"-DNAME="std-stable" | "std-stable" (sort, cpu) has the name of one that bench has itself"#,
    );
    let Some(workshop) = workshop() else { return };
    let [one, two] = ["libone.so", "libtwo.so"].map(|name| workshop.plugin(name, RIGHT));
    let run = workshop.bench(format!("list --plugin {one} --plugin {two}"));
    let taken = "libtwo.so: its variant \"foreign\" (sort, cpu) has the name of one of ";
    run.exits(2).says(taken).says("libone.so");
}

#[test]
fn the_same_name_on_another_backend_is_free() {
    let Some(workshop) = workshop() else { return };
    let defines = "-DNAME=\"std-stable\" -DBACKEND=RECOBENCH_CUDA";
    let plugin = workshop.plugin("libforeign.so", defines);
    workshop.bench(format!("list --plugin {plugin}")).exits(0);
}

#[test]
fn files_that_are_no_libraries() {
    let Some(workshop) = workshop() else { return };
    let library = workshop.plugin("whole.so", RIGHT);
    let bytes = fs::read(workshop.join(library)).expect("readable");
    workshop.write("empty.so", "");
    workshop.write("text.so", "not a library at all".repeat(50));
    workshop.write("cut.so", &bytes[..200]);
    workshop.check(
        "
            2 | sort --plugin missing.so | No such file
            2 | sort --plugin empty.so | file too short
            2 | sort --plugin text.so | invalid ELF header
            2 | sort --plugin cut.so | cut.so
            2 | sort --plugin . | it is not a file
            2 | sort --plugin /dev/null | it is not a file
        ",
    );
}

#[test]
fn plugins_that_crash_while_they_are_loaded() {
    check(
        3,
        "
            -DWHERE=constructor -DHOW=crash | it crashed in load (SIGSEGV)
            -DWHERE=constructor -DHOW=give_up | it crashed in load (SIGABRT)
            -DWHERE=constructor -DHOW=leave | it ended the process in load (exit code 0)
            -DWHERE=describe -DHOW=crash | it crashed in recobench_plugin (SIGSEGV)
        ",
    );
}
