//! What is no plugin, or none for this bench: refused before anything is measured.

use std::fs;

use super::compiled::{RIGHT, Workshop};

/// How it is compiled, and a part of the message.
type Case = (&'static str, &'static str);

/// Compiles, and expects the exit code and the message of a refusal.
fn check(cases: &[Case], code: i32) {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    for (defines, message) in cases {
        let plugin = workshop.plugin("libforeign.so", defines);
        for line in ["list", "sort --out r", "verify sort", "run smoke --out r"] {
            let run = workshop.bench(&format!("{line} --plugin {plugin}"));
            assert_eq!(run.code, Some(code), "{line} {defines}: {}", run.stderr);
            assert!(
                run.stderr.contains(message),
                "{line} {defines}: {}",
                run.stderr
            );
            assert!(
                run.stderr.contains("libforeign.so"),
                "{line}: {}",
                run.stderr
            );
        }
        assert!(!workshop.path().join("r").exists(), "{defines}");
    }
}

#[test]
fn plugins_of_another_version_and_without_functions() {
    check(
        &[
            (
                "-DABI=2",
                "made for version 2 of recobench.h, and this bench has version 1",
            ),
            ("-DNO_TABLE", "it lacks recobench_plugin; "),
            (
                "-DNO_TABLE -Drecobench_plugin_abi=other",
                "it lacks recobench_plugin_abi and recobench_plugin; ",
            ),
        ],
        2,
    );
}

#[test]
fn tables_that_make_no_sense() {
    check(
        &[
            ("-DNAME=NULL", "the name of variant 0 is NULL"),
            ("-DNAME=\"\"", "the name of variant 0 has 0 characters"),
            (
                "-DNAME=\"My_Sort\"",
                "is called \"My_Sort\"; use lower case",
            ),
            ("-DTABLE_NAME=NULL", "the plugin's name is NULL"),
            (
                "-DSUMMARY=NULL",
                "the summary of variant \"foreign\" is NULL",
            ),
            ("-DRUN=NULL", "variant \"foreign\": run is NULL"),
            ("-DSIZE=8", "variant 0 says that it has 8 bytes"),
            ("-DBACKEND=9", "backend is 9"),
            (
                "-DTASK=\"srot\"",
                "for the task \"srot\"; plugins can be for sort",
            ),
        ],
        2,
    );
}

#[test]
fn names_that_are_taken() {
    check(
        &[(
            "-DNAME=\"std-stable\"",
            "its variant \"std-stable\" (sort, cpu) has the name of one that bench has itself",
        )],
        2,
    );
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let (one, two) = (
        workshop.plugin("libone.so", RIGHT),
        workshop.plugin("libtwo.so", RIGHT),
    );
    let run = workshop.bench(&format!("list --plugin {one} --plugin {two}"));
    assert_eq!(run.code, Some(2));
    for part in [
        "libtwo.so: its variant \"foreign\" (sort, cpu) has the name of one of ",
        "libone.so",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn the_same_name_on_another_backend_is_free() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin(
        "libforeign.so",
        "-DNAME=\"std-stable\" -DBACKEND=RECOBENCH_CUDA",
    );
    let run = workshop.bench(&format!("list --plugin {plugin}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn files_that_are_no_libraries() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let library = workshop.plugin("whole.so", RIGHT);
    let bytes = fs::read(workshop.path().join(library)).expect("readable");
    let write = |name: &str, bytes: &[u8]| fs::write(workshop.path().join(name), bytes);
    write("empty.so", b"").expect("written");
    write("text.so", b"not a library at all".repeat(50).as_slice()).expect("written");
    write("cut.so", &bytes[..200]).expect("written");
    for (name, message) in [
        ("missing.so", "No such file"),
        ("empty.so", "file too short"),
        ("text.so", "invalid ELF header"),
        ("cut.so", "cut.so"),
        (".", "it is no file"),
        ("/dev/null", "it is no file"),
    ] {
        let run = workshop.bench(&format!("sort --plugin {name}"));
        assert_eq!(run.code, Some(2), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{name}: {}", run.stderr);
    }
}

#[test]
fn plugins_that_crash_while_they_are_loaded() {
    check(
        &[
            (
                "-DWHERE=constructor -DHOW=crash",
                "it crashed in load (SIGSEGV)",
            ),
            (
                "-DWHERE=constructor -DHOW=give_up",
                "it crashed in load (SIGABRT)",
            ),
            (
                "-DWHERE=constructor -DHOW=leave",
                "it ended the process in load (exit code 0)",
            ),
            (
                "-DWHERE=describe -DHOW=crash",
                "it crashed in recobench_plugin (SIGSEGV)",
            ),
        ],
        3,
    );
}
