//! The example, and what a good program leads to.

use reports::record::YesNo;

use super::{SORT, TASK, variant};
use crate::common::{folder, in_repository, measuring, row};

fn example() -> Option<String> {
    let has_python = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !has_python {
        eprintln!("skipped: no python3");
        return None;
    }
    Some(in_repository("examples/external-programs/programs.toml").display().to_string())
}

#[test]
fn the_programs_of_the_example_are_listed_and_right() {
    let Some(programs) = example() else { return };
    let folder = folder();
    let list = folder.bench(format!("list line-fit --plugin {programs}")).exits(0);
    list.prints("external-awk").prints("[programs.toml]").prints("--tracks");
    let verify =
        folder.bench(format!("verify line-fit --plugin {programs} --device cpu --seeds 1"));
    verify.exits(0).prints("2 variants, ").prints("0 wrong, 0 not run");
}

#[test]
fn the_programs_of_the_example_are_measured() {
    let Some(programs) = example() else { return };
    let Some(folder) = measuring() else { return };
    let line = "line-fit --tracks 2000 --threads 1 --max-time 300ms --no-charts --out r --plugin";
    let run = folder.bench(format!("{line} {programs}")).exits(0);
    run.prints("external-awk").prints("an external program, timed by its own report");
    let rows = folder.rows("r");
    for name in ["external-awk", "external-python"] {
        let row = row(&rows, name);
        assert_eq!((row.valid, row.items), (YesNo::Yes, 16_000), "{name}: {}", row.note);
        assert!(row.fingerprint.starts_with("external:"), "{}", row.fingerprint);
        assert!(row.memory_bytes > Some(100_000), "{name}: {:?}", row.memory_bytes);
    }
    // By its own report there is no start-up.
    let startup = |name| row(&rows, name).metrics.number("startup_s");
    assert!(startup("external-awk").is_some_and(|time| time > 0.0));
    assert_eq!(startup("external-python"), None);
}

#[test]
fn a_program_is_a_variant_next_to_those_of_bench() {
    let Some(folder) = measuring() else { return };
    folder.write("p.toml", variant(SORT, "summary = \"by coreutils\""));
    let line = "sort --digis 50k --segments 24 --variant external-shell,std-stable --threads 1";
    let flags = "--max-time 300ms --no-charts --out r --plugin p.toml";
    let run = folder.bench(format!("{line} {flags}")).exits(0);
    run.prints("external-shell").prints("std-stable");
    let rows = folder.rows("r");
    let [program, own] = ["external-shell", "std-stable"].map(|name| row(&rows, name).clone());
    assert_eq!([program.valid, own.valid], [YesNo::Yes; 2], "{}", program.note);
    assert!(program.median_s > own.median_s, "{:?} {:?}", program.median_s, own.median_s);
}

#[test]
fn rows_may_have_another_order_where_keys_say_which_belong_together() {
    let folder = folder();
    let verify = |keys: &str| {
        let table = TASK.replace("output = \"txt\"", &format!("output = \"csv\"\n{keys}"));
        let table = table.replace("seq {lines} >", "(echo n; seq {lines}) >");
        let own = "command = [\"cp\", \"{input}\", \"{output}\"]";
        let sorted = "sh\", \"-c\", \"(echo n; tail -n +2 {input} | sort -rn) > {output}";
        folder.write("p.toml", table.replace(own, &format!("command = [\"{sorted}\"]")));
        folder.bench("verify copies --device cpu --seeds 1 --plugin p.toml")
    };
    verify("").exits(3).prints("row 1, n: \"5\" instead of \"1\"");
    verify("keys = [\"n\"]").exits(0).prints("0 wrong");
}

#[test]
fn a_suite_and_a_file_of_defaults_can_name_programs() {
    let Some(folder) = measuring() else { return };
    folder.write("p.toml", variant(SORT, ""));
    let suite = "name = \"s\"\nplugins = [\"p.toml\"]\n[defaults]\nthreads = 1\nmax-time = \
                 \"200ms\"\n[[task]]\nname = \"sort\"\nvariants = [\"external-shell\"]\n\
                 [task.axes]\ndigis = \"50k\"\nsegments = 24\n";
    folder.write("s.toml", suite);
    folder.bench("run s.toml --no-charts --no-ceilings --no-save --out r").exits(0);
    assert_eq!(row(&folder.rows("r"), "external-shell").valid, YesNo::Yes);
    folder.write("recobench.toml", "plugin = [\"p.toml\"]\n");
    folder.bench("list sort").exits(0).prints("external-shell");
    folder.write("p.toml", TASK);
    folder.bench("list copies").exits(0).prints("external-cp");
    folder.bench("copies --help").exits(0).prints("--lines");
}
