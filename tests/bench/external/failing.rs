//! Programs that fail: each is reported with what to do, and what else is measured is kept.

use super::{SORT, sorting};

const VERIFY: &str = "verify sort --device cpu --seeds 1 --threads 1 --variant external-shell \
                      --plugin p.toml";

/// A program fails on each hard input, with this message.
#[track_caller]
fn fails(command: &str, keys: &str, message: &str) {
    sorting(command, keys).bench(VERIFY).exits(3).prints(message);
}

#[test]
fn failures_have_messages() {
    fails("exit 3", "", "ended with exit status: 3");
    fails("echo no such digi >&2; exit 1", "", "ended with exit status: 1: no such digi");
    fails("kill -SEGV $$; : {input} {output}", "", "ended with signal: 11 (SIGSEGV)");
    fails("true {input} {output}", "", "has written no {output}");
    fails("echo {input} > {output}", "", "its output is no table");
    fails("head -n 1 {input} > {output}", "", "rows instead of");
    fails("cp {input} {output}", "columns = [\"colour\"]", "it has no column \"colour\"");
    fails(
        "sleep 60; : {input} {output}",
        "timeout = \"100ms\"",
        "did not end within 100ms; raise its timeout",
    );
    fails("head -c 2000000000 /dev/zero > {output}; : {input}", "", "wrote a file of more than");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let folder = sorting("", "");
    let text = "[[variant]]\ntask = \"sort\"\nname = \"shell\"\ninput = \"csv\"\ncommand = \
                [\"./nowhere\", \"{input}\", \"{output}\"]\n";
    folder.write("p.toml", text);
    folder.bench(VERIFY).exits(3).prints("nowhere").prints("can't be started");
}

#[test]
fn times_that_can_not_be_are_refused() {
    let line = "sort --digis 5k --segments 24 --variant external-shell,std-stable --threads 1 \
                --max-time 100ms --no-charts --no-ceilings --out r --plugin p.toml";
    let measured = |command: &str, keys: &str, message: &str| {
        if !crate::common::can_measure() {
            return;
        }
        let folder = sorting(command, keys);
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
