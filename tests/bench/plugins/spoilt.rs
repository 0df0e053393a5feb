//! Wrong plugins of the tasks with arrays and lists: reported as for sorting, with the index of
//! the first difference.

use super::compiled::workshop;
use crate::common::rows_of;

/// Checks the message for a modified example of a task.
#[track_caller]
fn check(task: &str, defines: &str, table: &str) {
    let Some(workshop) = workshop() else { return };
    for [how, reported] in rows_of(table) {
        let library = format!("lib{how}.so");
        let defines = format!("-DEXAMPLE=\"examples/{task}.c\" -DHOW={how} {defines}");
        let plugin = workshop.plugin_of("spoilt.c", &library, &defines);
        let line = format!("verify {task} --variant spoilt --device cpu --seeds 1");
        let run = workshop.bench(format!("{line} --plugin {plugin}")).exits(3);
        run.prints(format!("{task} spoilt, 1 thread")).prints(reported.replace("LIB", &library));
    }
}

#[test]
fn clusters() {
    check(
        "cluster",
        "-DINPUT=recobench_sts -DLISTS=output -DITEM=24 -DSPOILT=input->input.counts",
        "
            crash | failed: LIB crashed in run, on
            wrong | clusters, segment 0, number
            beyond | it wrote beyond the end of its clusters
            before | it wrote before the beginning of its clusters
            far_beyond | failed: LIB crashed in run, on
            count | list 0 of its clusters has
            begin | items from index 18446744073709551615 on, but there is capacity for
            spoil | it changed the counts of its digis, at byte 0
        ",
    );
}

#[test]
fn digis_by_side() {
    let defines = "-DINPUT=recobench_sts -DLISTS=output -DITEM=8 -DSPOILT=input->setup->module";
    let table = "
        wrong | digis, segment 0, number
        beyond | it wrote beyond the end of its digis
        spoil | it changed the modules of its setup, at byte 0
    ";
    check("presort", defines, table);
}

#[test]
fn clusters_by_time() {
    let defines = "-DINPUT=recobench_sts -DLISTS=output -DITEM=24 -DSPOILT=input->input.begins";
    let table = "
        wrong | clusters, segment 0, number
        count | list 0 of its clusters has
        spoil | it changed the offsets of its clusters, at byte 0
    ";
    check("cluster-sort", defines, table);
}

#[test]
fn hits() {
    let defines = "-DINPUT=recobench_sts -DLISTS=output -DITEM=48";
    let table = "
        crash | failed: LIB crashed in run, on
        wrong | hits, segment 0, number
        far_beyond | failed: LIB crashed in run, on
        count | list 0 of its hits has
    ";
    check("hits", defines, table);
}

#[test]
fn hits_in_one_array() {
    let defines = "-DINPUT=recobench_sts -DLISTS=output -DITEM=48";
    let table = "
        gap | of its hits begins at
        wrong | hits, segment 0, number
    ";
    check("collect", defines, table);
}

#[test]
fn the_second_output_of_the_chain() {
    let defines = "-DINPUT=recobench_sts -DLISTS=hits -DITEM=48";
    let table = "
        far_beyond | failed: LIB crashed in run, on
        count | list 0 of its hits has
        wrong | hits, segment 0, number
    ";
    check("sts", defines, table);
}

#[test]
fn unpacked_digis() {
    let defines = "-DINPUT=recobench_unpack -DARRAY=digis -DITEM=8 -DELEMENTS=input->messages";
    let defines = format!("{defines} -DSPOILT=input->elink");
    let table = "
        crash | failed: LIB crashed in run, on
        wrong | digi 0: 
        before | it wrote before the beginning of its digis
        far_beyond | failed: LIB crashed in run, on
        spoil | it changed its e-links, at byte 0
    ";
    check("unpack", &defines, table);
}

#[test]
fn counts_of_microslices() {
    let counts = "-DARRAY=counts -DITEM=28 -DELEMENTS=input->microslices";
    let defines = format!("-DINPUT=recobench_unpack {counts} -DSPOILT=input->data");
    let table = "
        wrong | microslice 0: its counts have 1 digis, but it has 0 messages
        beyond | it wrote beyond the end of its counts
        spoil | it changed its raw data, at byte 0
    ";
    check("unpack", &defines, table);
}

#[test]
fn samples_of_pages() {
    let defines = "-DINPUT=recobench_decode -DLISTS=samples -DITEM=8";
    let table = "
        crash | failed: LIB crashed in run, on
        count | list 0 of its samples has
        wrong | digit 0: 
    ";
    check("decode", defines, table);
}

#[test]
fn verdicts_on_pages() {
    let defines = "-DINPUT=recobench_decode -DARRAY=damaged -DITEM=2 -DELEMENTS=input->pages/2";
    let table = "
        verdict | page 0: damaged is 7; 1 is yes and 0 is no
        wrong | damaged page 0: 
    ";
    check("decode", defines, table);
}

#[test]
fn noisy_pads() {
    let found = "-DARRAY=found -DITEM=8 -DELEMENTS=input->sectors*input->pads";
    let defines = format!("-DINPUT=recobench_noisy_pads {found} -DSPOILT=input->charges");
    let table = "
        crash | failed: LIB crashed in run, on
        before | it wrote before the beginning of its output
        far_beyond | failed: LIB crashed in run, on
        wrong | pad 0: 
        verdict | pad 0: noisy is 7; 1 is yes and 0 is no
        spoil | it changed its charges, at byte 0
    ";
    check("noisy-pads", &defines, table);
}

#[test]
fn merged_slice_tracks() {
    let relations = "-DARRAY=relations -DITEM=16 -DELEMENTS=input->tracks";
    let defines = format!("-DINPUT=recobench_merge {relations} -DSPOILT=input->links");
    let table = "
        crash | failed: LIB crashed in run, on
        beyond | it wrote beyond the end of its relations
        wrong | slice track 0: 
        spoil | it changed its links, at byte 0
    ";
    check("merge", &defines, table);
}

#[test]
fn hits_of_words_of_the_velo() {
    let pairs = "-DARRAY=pairs -DITEM=8 -DELEMENTS=26*input->events";
    let defines = format!("-DINPUT=recobench_velo_banks {pairs} -DSPOILT=input->module_z");
    let table = "
        crash | failed: LIB crashed in run, on
        wrong | event 0, pair of modules 0: 0 hits from slot 1 on
        before | it wrote before the beginning of its pairs of modules
        beyond | it wrote beyond the end of its pairs of modules
        far_beyond | failed: LIB crashed in run, on
        verdict | event 0, pair of modules 0: 458752 hits from slot 0 on, but the event has 0 slots
        spoil | it changed the positions of modules, at byte 0
    ";
    check("velo-decode", &defines, table);
    check("velo-cluster", &defines, table);
}

#[test]
fn numbers_of_hits_of_the_velo() {
    let defines = "-DINPUT=recobench_velo_banks -DARRAY=hits.phi -DITEM=2 -DELEMENTS=input->slots";
    let table = "
        wrong | hit 0: Hit
        before | it wrote before the beginning of the angles of its hits
        beyond | it wrote beyond the end of the angles of its hits
    ";
    check("velo-decode", defines, table);
}

#[test]
fn tracks_of_the_velo() {
    let defines = "-DINPUT=recobench_velo_banks -DLISTS=track_hits -DITEM=20";
    let table = "
        far_beyond | failed: LIB crashed in run, on
        count | list 0 of its hits of tracks has
        begin | items from index 18446744073709551615 on, but there is capacity for
        wrong | event 0: track of slots
    ";
    check("velo", defines, table);
    let defines = "-DINPUT=recobench_velo_banks -DLISTS=tracks -DITEM=4";
    check("velo", defines, "wrong | event 0: its tracks have");
}
