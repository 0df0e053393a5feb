//! Programs that fail: each is reported with what to do, and what else is measured is kept.

use super::{SORT, TASK, variant};
use crate::common::folder;

/// The variant of the task fails on its hard input, with this message.
#[track_caller]
fn fails(command: &str, keys: &str, message: &str) {
    let own = "command = [\"cp\", \"{input}\", \"{output}\"]";
    let command = format!("command = [\"sh\", \"-c\", '{command}']\n{keys}");
    refuses(own, &command, message);
}

#[track_caller]
fn refuses(from: &str, to: &str, message: &str) {
    assert!(TASK.contains(from), "{from}");
    let folder = folder();
    folder.write("p.toml", TASK.replace(from, to));
    folder.bench("verify copies --device cpu --seeds 1 --plugin p.toml").exits(3).prints(message);
}

#[test]
fn failures_have_messages() {
    fails("exit 3; : {input} {output}", "", "ended with exit status: 3");
    fails("echo none of it >&2; exit 1; : {input} {output}", "", "exit status: 1: none of it");
    fails("kill -SEGV $$; : {input} {output}", "", "ended with signal: 11 (SIGSEGV)");
    fails("true {input} {output}", "", "has written no {output}");
    fails("head -n 1 {input} > {output}", "", "2 bytes instead of 10");
    fails("tac {input} > {output}", "", "byte 0 is 53 instead of 49");
    let hangs = "sleep 60; : {input} {output}";
    fails(hangs, "timeout = \"100ms\"", "did not end within 100ms; raise its timeout");
    let endless = "exec head -c 2000000000 /dev/zero > {output}; : {input}";
    fails(endless, "", "more than 67108864 bytes");
}

#[test]
fn tables_are_compared_by_their_columns() {
    let table = "output = \"csv\"\nkeys = [\"1\"]";
    let wrong = |command: &str, message: &str| {
        let folder = folder();
        let text = TASK.replace("output = \"txt\"", table);
        let own = "name = \"cp\"\ncommand = [\"cp\", \"{input}\", \"{output}\"]";
        let command = format!("name = \"cp\"\ncommand = [\"sh\", \"-c\", '{command}']");
        folder.write("p.toml", text.replace(own, &command));
        let run = folder.bench("verify copies --device cpu --seeds 1 --plugin p.toml");
        run.exits(3).prints(message);
    };
    wrong("head -n 3 {input} > {output}", "2 rows instead of 4; the first that differs is 1=4");
    wrong("tail -n 4 {input} > {output}", "it has no column \"1\"; it has 2");
    wrong("printf \"1\\n2,3\\n\" > {output}; : {input}", "its output is no table");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let own = "command = [\"cp\", \"{input}\", \"{output}\"]";
    let missing = "command = [\"./nowhere\", \"{input}\", \"{output}\"]";
    refuses(own, missing, "nowhere\" can't be started");
}

#[test]
fn times_that_can_not_be_are_refused() {
    let line = "sort --digis 5k --segments 24 --variant external-shell,std-stable --threads 1 \
                --max-time 100ms --no-charts --out r --plugin p.toml";
    let measured = |command: &str, keys: &str, message: &str| {
        if !crate::common::can_measure() {
            return;
        }
        let folder = folder();
        folder.write("p.toml", variant(command, keys));
        let run = folder.bench(line);
        run.prints(message).prints("std-stable");
        let rows = folder.rows("r");
        let own = crate::common::row(&rows, "std-stable");
        assert_eq!(own.valid, reports::record::YesNo::Yes);
    };
    let report = "report = \"took ([^ ]+)\"\nunit = \"s\"";
    measured(SORT, report, "has nothing that matches the pattern");
    measured(&format!("{SORT}; echo took ages"), report, "which is no number");
    measured(&format!("{SORT}; echo took 9000"), report, "is the unit right?");
}
