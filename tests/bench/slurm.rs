//! `scripts/slurm/` on clusters of this machine, which the tests start, where Slurm and MUNGE are
//! installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use reports::record::YesNo;
use reports::stream::StreamRow;

use crate::common::servers::{Servers, are_installed, port, retried, words};
use crate::common::{BENCH, can_measure, cells, folder, in_repository};

const SUITE: &str = r#"
name = "little"
description = "two inputs"
[defaults]
samples = 3
max-time = "1s"
threads = 1
[[task]]
name = "sort"
variants = ["std-*"]
axes = { digis = "2k", segments = [3, 4] }
"#;

const CONFIG: &str = "\
ClusterName=lab
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket
SlurmctldPort=CTLPORT
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP
";
const NODE: &str = "\
NodeName=NAME NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT CPUs=CPUS Feature=small State=UNKNOWN
";

/// Returns the command of a Slurm server; its output goes to a file of its name.
fn server(folder: &Path, line: &str) -> Command {
    let words: Vec<&str> = line.split(' ').collect();
    let name = words[0].rsplit('/').next().unwrap_or_default();
    let log = fs::File::create(folder.join(format!("{name}.out"))).expect("a log");
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    command.env("SLURM_CONF", folder.join("slurm.conf"));
    command.stderr(log.try_clone().expect("a log")).stdout(log);
    command
}

fn shell(folder: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder);
    command.env("SLURM_CONF", folder.join("slurm.conf"));
    command.env("BENCH", BENCH).output().expect("a shell")
}

/// Runs a script with some flags.
fn script(folder: &Path, name: &str, flags: &str) -> Output {
    let script = in_repository("scripts/slurm").join(name);
    shell(folder, &format!("{} {flags}", script.display()))
}

/// Returns true if Slurm is installed and can be started; prints a note if not.
fn can_start(folder: &Path) -> bool {
    let is_root = words(&shell(folder, "id -u")) == "0";
    if !is_root {
        eprintln!("skipped: slurmd needs to be started by root");
    }
    is_root && are_installed(&["munged", "slurmctld", "slurmd", "sbatch"])
}

/// Asks until the answer is as wanted.
fn wait(folder: &Path, line: &str, is_wanted: impl Fn(&str) -> bool) {
    let answer = || words(&shell(folder, line));
    if retried(|| is_wanted(&answer()).then_some(())).is_none() {
        let log = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let logs = ["slurmctld.log", "slurmd-n1.log", "slurmd-n2.log"].map(log);
        panic!("{line}: {}\n{}", answer(), logs.join("\n"));
    }
}

/// A cluster of such nodes, each of which is this machine.
fn cluster(folder: &Path, nodes: &[&str]) -> Servers {
    let dir = folder.display().to_string();
    fs::create_dir(folder.join("state")).expect("made");
    let host = words(&shell(folder, "hostname -s"));
    let node = |name: &&str| NODE.replace("NAME", name).replace("PORT", &port());
    let config = [nodes.iter().map(node).collect(), CONFIG.to_owned()]
        .concat()
        .replace("CTLPORT", &port())
        .replace("DIR", &dir)
        .replace("HOST", &host)
        .replace("CPUS", &words(&shell(folder, "nproc --all")));
    fs::write(folder.join("slurm.conf"), config).expect("written");
    let line = "head -c 1024 /dev/urandom > munge.key && chmod 600 munge.key";
    let key = shell(folder, line);
    assert!(key.status.success(), "{}", words(&key));
    let mut servers = Servers::default();
    let mut start = |line: &str| servers.start(&mut server(folder, &line.replace("DIR", &dir)));
    start(
        "/usr/sbin/munged --foreground --force --key-file=DIR/munge.key --socket=DIR/munge.socket \
         --pid-file=DIR/munge.pid --log-file=DIR/munge.log --seed-file=DIR/munge.seed",
    );
    wait(folder, "ls munge.socket", |answer| answer == "munge.socket");
    start("/usr/sbin/slurmctld -D -f DIR/slurm.conf");
    for node in nodes {
        fs::create_dir(folder.join(format!("spool-{node}"))).expect("made");
        start(&format!("/usr/sbin/slurmd -D -N {node} -f DIR/slurm.conf"));
    }
    let states = "sinfo --noheader --Node --format=%t";
    let all = vec!["idle"; nodes.len()].join("\n");
    wait(folder, states, |answer| answer == all);
    servers
}

#[test]
fn a_suite_is_measured_by_an_array_merged_and_reported() {
    let folder = folder();
    let path = folder.path();
    if !can_measure() || !can_start(path) {
        return;
    }
    let _cluster = cluster(path, &["n1"]);
    folder.write("suite.toml", SUITE);
    let flags = "suite.toml --shards 2 --types small --out out --store store";
    let submitted = script(path, "submit.sh", flags);
    let said = words(&submitted);
    assert!(submitted.status.success(), "{said}");
    println!("{said}");
    wait(path, "squeue --noheader", str::is_empty);
    // State for messages of failed tests.
    let left = "sinfo; tail -n 100 out/*/*.log out/finish.log; ls -R out";
    println!("{}", words(&shell(path, left)));
    let finish = folder.read("out/finish.log");
    assert!(finish.ends_with("exit code: 0\n"));
    let table = folder.read("out/node-types.csv");
    assert!(table.starts_with("node_type,started,"), "{table}");
    // Two variants of two inputs, all measured on a node of that type.
    let rows = table.lines().filter(|line| line.starts_with("small,"));
    assert_eq!(rows.count(), 4);
    assert!(folder.read("out/small.html").contains("<svg"));
    // The first run becomes the baseline: there is nothing to compare it with.
    assert!(finish.contains(": accepted for"));
    assert!(!path.join("out/small-verdict.md").exists());
    assert!(folder.read("out/small/shard-2.log").contains("shard 2/2"));
    let stored = fs::read_dir(path.join("store/runs")).expect("a store");
    assert_eq!(stored.count(), 1);
}

/// Returns the id of the process with this word in its command line.
fn process_with(word: &str) -> String {
    let has_it = |process: &PathBuf| {
        let line = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        line.split('\0').any(|other| other == word)
    };
    let processes = fs::read_dir("/proc").expect("there").flatten().map(|entry| entry.path());
    let process = processes.into_iter().find(has_it).expect("it runs");
    process.file_name().expect("a number").to_string_lossy().into_owned()
}

#[test]
fn a_stream_begins_on_two_nodes_at_once_and_is_merged() {
    let folder = folder();
    let path = folder.path();
    if !can_measure() || !can_start(path) {
        return;
    }
    let _cluster = cluster(path, &["n1", "n2"]);
    let stream = |out: &str, length: &str| {
        let flags = format!(
            "FLAGS='--preset mcbm-2024 --scale 0.0005 --ring 2 --processes 1 --speed 0.05 \
             --duration {length}'"
        );
        let script = in_repository("scripts/slurm/stream.sh");
        let line = format!("{flags} {} --nodes 2 --wait 5 --out {out}", script.display());
        let submitted = shell(path, &line);
        let said = words(&submitted);
        assert!(submitted.status.success(), "{said}");
        println!("{said}");
    };
    stream("out", "1s");
    wait(path, "squeue --noheader", str::is_empty);
    // State for messages of failed tests.
    let left = "tail -n 100 out/*.log out/nodes/*.log; ls -R out";
    println!("{}", words(&shell(path, left)));
    assert!(folder.read("out/merged.log").ends_with("exit code: 0\n"));
    let rows = |file: &str| -> Vec<StreamRow> {
        let rows = csv::Reader::from_path(path.join(file)).expect("there").into_deserialize();
        rows.map(|row| row.expect("a row")).collect()
    };
    let [merged, each] = ["out/merged/stream.csv", "out/merged/nodes.csv"].map(rows);
    assert_eq!((merged[0].nodes, merged[0].due, merged[0].valid), (2, 80, YesNo::Yes));
    let names: Vec<&str> = each.iter().map(|row| row.node.as_str()).collect();
    assert_eq!(names, ["n1", "n2"]);
    assert!(each[0].begin == each[1].begin && merged[0].begin == each[0].begin);

    // A kill on a node loses its own results, and nothing else.
    stream("lost", "3s");
    wait(path, "cat lost/nodes/n2.log", |said| said.contains("all is ready"));
    let own = path.join("lost/nodes/n2").display().to_string();
    let killed = shell(path, &format!("kill -KILL {}", process_with(&own)));
    assert!(killed.status.success(), "{}", words(&killed));
    wait(path, "cat lost/merged.log", |said| said.contains("exit code: "));
    println!("{}", words(&shell(path, "tail -n 100 lost/*.log lost/nodes/*.log; ls -R lost")));
    let merged = folder.read("lost/merged.log");
    assert!(merged.ends_with("exit code: 1\n"), "{merged}");
    assert!(merged.contains("node n2"), "{merged}");
    let row = &rows("lost/merged/stream.csv")[0];
    assert_eq!((row.nodes, row.due, row.kept_up), (1, 120, YesNo::No));
}

#[test]
fn jobs_that_can_not_be_submitted_are_reported() {
    let folder = folder();
    for case in [
        "submit.sh |  | submit.sh SUITE",
        "submit.sh | smoke --shards 0 | --shards 0: use a number",
        "submit.sh | smoke --types 'a;b' | --types a;b: use names",
        "submit.sh | smoke nightly | one suite at a time",
        "submit.sh | smoke --shard 2 | unknown flag --shard",
        "stream.sh | --nodes 0 | --nodes 0: use a number",
        "stream.sh | --wait 0.5 | --wait 0.5: use a number of seconds",
        "stream.sh | --speed 2 | unknown flag --speed",
        "stream.sh | --nodes | --nodes needs a value",
    ] {
        let [name, flags, message] = cells(case);
        let refused = script(folder.path(), name, flags);
        let said = words(&refused);
        assert_eq!(refused.status.code(), Some(2), "{name} {flags}: {said}");
        assert!(said.contains(message), "{name} {flags}: {said}");
    }
}
