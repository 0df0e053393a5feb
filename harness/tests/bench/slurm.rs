//! `scripts/slurm/` on a cluster of one node, which the test starts, where Slurm and MUNGE
//! are installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
SlurmdPort=DPORT
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=node NodeHostname=HOST NodeAddr=127.0.0.1 CPUs=CPUS Feature=small State=UNKNOWN
PartitionName=lab Nodes=node Default=YES MaxTime=INFINITE State=UP
";

/// A server of Slurm, by its command line; what it says goes to a file of its name.
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

/// What `submit.sh` says to some flags.
fn submit(folder: &Path, flags: &str) -> Output {
    let script = in_repository("scripts/slurm/submit.sh");
    shell(folder, &format!("{} {flags}", script.display()))
}

/// Whether Slurm is there, and may be started; says so if not.
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
        let logs = ["slurmctld.log", "slurmd.log"].map(log);
        panic!("{line}: {}\n{}", answer(), logs.join("\n"));
    }
}

/// A cluster of this machine.
fn cluster(folder: &Path) -> Servers {
    let dir = folder.display().to_string();
    fs::create_dir(folder.join("state")).expect("made");
    fs::create_dir(folder.join("spool")).expect("made");
    let host = words(&shell(folder, "hostname -s"));
    let config = CONFIG
        .replace("CTLPORT", &port())
        .replace("DPORT", &port())
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
    start("/usr/sbin/slurmd -D -N node -f DIR/slurm.conf");
    let states = "sinfo --noheader --format=%t";
    wait(folder, states, |answer| answer == "idle");
    servers
}

#[test]
fn a_suite_is_measured_by_an_array_merged_and_reported() {
    let folder = folder();
    let path = folder.path();
    if !can_measure() || !can_start(path) {
        return;
    }
    let _cluster = cluster(path);
    folder.write("suite.toml", SUITE);
    let flags = "suite.toml --shards 2 --types small --out out --store store";
    let submitted = submit(path, flags);
    let said = words(&submitted);
    assert!(submitted.status.success(), "{said}");
    println!("{said}");
    wait(path, "squeue --noheader", str::is_empty);
    // For those who look into a failure.
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

#[test]
fn what_can_t_be_submitted_is_told() {
    let folder = folder();
    for case in [
        " | submit.sh SUITE",
        "smoke --shards 0 | --shards 0: use a number",
        "smoke --types 'a;b' | --types a;b: use names",
        "smoke nightly | one suite at a time",
        "smoke --shard 2 | unknown flag --shard",
    ] {
        let [flags, message] = cells(case);
        let refused = submit(folder.path(), flags);
        let said = words(&refused);
        assert_eq!(refused.status.code(), Some(2), "{flags}: {said}");
        assert!(said.contains(message), "{flags}: {said}");
    }
}
