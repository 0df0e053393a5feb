//! Examples after the flags in the help.

use std::collections::HashSet;

use clap::builder::StyledStr;
use reports::program::{self, renamed};

use super::groups::EXIT_CODES;
use crate::registry::{data_set, open_loop_task, open_loop_tasks, task, tasks};
use crate::suite::built_in;

/// Returns the examples of a command, given by its path: those that this program understands, with
/// the `names` of its commands.
pub(super) fn for_command(command: &str, names: &HashSet<String>) -> Option<StyledStr> {
    let text = match command {
        "" => {
            let examples = of_program(TOP, names).map(|text| text + "\n\n").unwrap_or_default();
            return Some(format!("{examples}Exit codes: {EXIT_CODES}").into());
        }
        "list" => LIST,
        "devices" => DEVICES,
        "throughput" => THROUGHPUT,
        "run" => {
            let examples = of_program(RUN, names)?;
            return Some(format!("{}\n\n{examples}", built_in::table(70)).into());
        }
        "mixed" => MIXED,
        "compare" => COMPARE,
        "pareto" => PARETO,
        "selftest" => SELFTEST,
        "verify" => VERIFY,
        "process" => PROCESS,
        "history" => HISTORY,
        "report" => REPORT,
        "export" => EXPORT,
        "trace" => TRACE,
        "winners" => WINNERS,
        "plan" => PLAN,
        "machines" => MACHINES,
        "submission" => SUBMISSION,
        "simulate" => SIMULATE,
        "site" => SITE,
        "reproduce" => REPRODUCE,
        "portability" => PORTABILITY,
        "completions" => COMPLETIONS,
        "man" => MAN,
        _ => return of_registry(command).map(|text| renamed(&text).into_owned().into()),
    };
    of_program(text, names).map(Into::into)
}

/// Fills in the name of the program, a task and a suite, and leaves out examples of others; `None`
/// if no example is left.
fn of_program(text: &str, names: &HashSet<String>) -> Option<String> {
    let first = || tasks().first().map(|task| task.name());
    let task = task(TASK).map(|task| task.name()).or_else(first);
    let suite = built_in::names().into_iter();
    let suite = suite.clone().find(|name| *name == SUITE).or_else(|| suite.clone().next());
    let fill = |line: &str| {
        let fields = [("{task}", task), ("{suite}", suite), ("{program}", Some(program::name()))];
        let renamed = renamed(line).into_owned();
        let filled = fields.into_iter().try_fold(renamed, |line, (field, value)| {
            if line.contains(field) { Some(line.replace(field, value?)) } else { Some(line) }
        })?;
        let filled = if filled == line { filled } else { aligned(&filled) };
        let is_example = line.starts_with(PROMPT);
        (!is_example || is_understood(&filled, names)).then_some((is_example, filled))
    };
    let lines: Vec<_> = text.lines().filter_map(fill).collect();
    let text: Vec<_> = lines.iter().map(|(_, line)| line.as_str()).collect();
    lines.iter().any(|(is_example, _)| *is_example).then(|| text.join("\n"))
}

/// Start of an example.
const PROMPT: &str = "  bench ";
/// Task and suite of examples, if the program has them; else those that it lists first.
const TASK: &str = "sort";
const SUITE: &str = "smoke";

/// Column of remarks on examples.
const REMARKS: usize = 38;

/// Moves a remark to its column.
fn aligned(line: &str) -> String {
    match line.trim_start().split_once("   ") {
        Some((example, remark)) => {
            format!("{:REMARKS$}{}", format!("  {example}"), remark.trim_start())
        }
        None => line.to_owned(),
    }
}

/// True if the program has the command, and the tasks, suites and axes that an example names.
fn is_understood(example: &str, names: &HashSet<String>) -> bool {
    let without_remark = example.trim_start().split("  ").next().unwrap_or_default();
    let mut words = without_remark.split_whitespace().skip(1);
    let command = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let is_suite = |name: &str| name.ends_with(".toml") || built_in::names().contains(&name);
    let is_axis =
        |name: &str| tasks().iter().flat_map(|task| task.axes()).any(|it| it.name == name);
    let object = rest.first().filter(|word| !word.starts_with('-'));
    let is_known = object.is_none_or(|object| match command {
        "verify" | "throughput" | "process" | "portability" => task(object).is_some(),
        "run" => is_suite(object),
        _ => true,
    });
    let mut flags = rest.windows(2).filter_map(|pair| <[&str; 2]>::try_from(pair).ok());
    names.contains(command)
        && is_known
        && flags.all(|[flag, value]| match flag {
            "--task" => task(value).is_some(),
            "--suite" => is_suite(value),
            "--over" => value.split(',').all(is_axis),
            _ => true,
        })
}

/// Examples of a command that is about a task or a data set, as these declare them.
fn of_registry(command: &str) -> Option<String> {
    let examples = match command.split_once(' ') {
        None if command == "stream" => {
            let first = open_loop_tasks().first()?.open_loop();
            first.examples.replace(" {task}", "") + MERGED_STREAM
        }
        None => match task(command)?.examples() {
            "" if is_of_plugin(command) => with_plugin(command),
            "" => of_any_task(command),
            own => own.replace("{task}", command),
        },
        Some(("generate", name)) => data_set(name)?.info().examples.to_owned(),
        Some(("stream", name)) => {
            open_loop_task(name)?.open_loop().examples.replace("{task}", name)
        }
        Some(("throughput", _)) => of_streams(command),
        Some(_) => return None,
    };
    (!examples.is_empty()).then(|| format!("Examples:\n{examples}"))
}

/// Examples of a task that a plugin brings.
fn with_plugin(task: &str) -> String {
    format!(
        "  bench verify {task} --plugin ./libmine.so    check its variants on all hard inputs
  bench {task} --plugin ./libmine.so           measure them on the default data"
    )
}

/// True if all variants of a task are of plugins.
fn is_of_plugin(name: &str) -> bool {
    task(name).is_some_and(|task| task.variants().iter().all(|variant| variant.plugin.is_some()))
}

/// Examples of a task that declares none.
fn of_any_task(task: &str) -> String {
    format!(
        "  bench {task} --threads 1,2
  bench {task} --threads 1,2 --places cores --bind false --bind close --bind spread
  bench {task} --device cuda:0 --rank kernel --format markdown=table.md"
    )
}

const MERGED_STREAM: &str = "
  bench stream --merge n1 n2 n3 --out all";

const TOP: &str = "\
Examples:
  bench sort --segments 24            sort digis of mCBM's 24 module sides
  bench {task} --max-time 300ms         measure all variants of a task, quickly
  bench list                          tasks, variants and axes
  bench devices --measure             this machine, and its bandwidths
  bench run {suite}                     measure a suite
  bench verify                        check all variants on hard inputs
  bench history --last 10             runs in the store, the newest first
  bench report results/today          a page with charts, tables and raw data";

const LIST: &str = "\
Examples:
  bench list                          all tasks
  bench list {task}                     one of them
  bench list --suites                 what bench run knows by name
  bench list --format json=tasks.json";

const DEVICES: &str = "\
Examples:
  bench devices                       CPUs, caches and GPUs
  bench devices --measure             what memory and links can do at most
  bench devices --measure --out ceilings --format json";

const THROUGHPUT: &str = "\
Examples:
  bench throughput {task} --streams 1,2,4 --device cpu
  bench throughput sts --preset cbm-auau --scale 0.1 --streams 1,2,4 --device cpu
  bench throughput unpack --scale 0.02 --variant simd --streams doubling
  bench throughput decode --threads 1,2 --streams 1,2 --batch 8 --duration 10s
  bench throughput sts --variant balanced --device cuda:0,cuda:0+cuda:1 --streams 1,2,4,8";

/// Examples of streams of a task.
fn of_streams(command: &str) -> String {
    format!(
        "  bench {command} --streams 1,2,4 --device cpu
  bench {command} --threads 1,2 --streams doubling --duration 10s
  bench {command} --streams 1,2,4,8 --device cuda:0,cuda:0+cuda:1 --out DIR"
    )
}

const RUN: &str = "\
Examples:
  bench run {suite}                     a built-in suite
  bench run {suite} --dry-run         print the plan and its estimated duration
  bench run {suite} --budget 10m      the same points in less time
  bench run suite.toml --out DIR      rerun the same command to resume
  bench run suite.toml --shard 2/4 --out part2
  bench run suite.toml --merge part1 part2 part3 part4 --out whole";

const MIXED: &str = "\
Examples:
  bench mixed examples/mixed/mix.toml
  bench mixed mix.toml --background memory --background cores --duration 3s --out DIR
  bench plan --need need.toml --machines machines.toml --results DIR

A file has [[load]] for each task, with task and variant, and optionally name, device, threads,
streams, batch, axes, and rate = \"200/s\" (events come when due) or weight (events in a mix). Exit
code 3 if an output is wrong, 5 if a load can't run; the others are measured without it.";

const VERIFY: &str = "\
Examples:
  bench verify                        all variants of all tasks
  bench verify sort --variant '*-merge' --seeds 20
  bench verify {task} --device emulator --lanes 64
  bench verify {task} --device emulator --races --schedules 8";

const PROCESS: &str = "\
Examples:
  bench process unpack --input run_%n.tsa --setup run.setup.json --out digis.parquet
  bench process sts --input digis.csv --setup digis.setup.json --out hits.csv --clusters clusters.csv
  bench process decode --input run.raw --sector 7 --device cuda:0 --out digits.csv
  bench process tpc --input event.0.dump --variant fused --device emulator --out clusters.bin
  bench process sort --input digis.csv --out sorted.csv

Exit code 3 if the output is wrong; nothing is written then.";

const HISTORY: &str = "\
Examples:
  bench history add results/20260131T120000Z-{task}
  bench history --task {task} --since 30d
  bench history accept latest --note 'after the new merge'
  bench history show accepted --format markdown
  bench history changes --check        exit code 4 if a point became slower for good
  bench history prune --keep 100 --keep-days 365 --dry-run";

const REPORT: &str = "\
Examples:
  bench report results/today --out report.html
  bench report results/monday results/tuesday results/today --title 'Sorting, this week'
  bench report results/today --base results/accepted --out report.md
  bench report results/today --comparison verdicts.json --task sort --axis order=random

Changes come either from a base run (--base) or from an earlier comparison (--comparison).";

const REPRODUCE: &str = "\
Examples:
  bench reproduce                     all figures and tables, in some ten minutes
  bench reproduce tab5.1 fig5.5 --budget 3m --out DIR
  bench run thesis --out results/thesis
  bench reproduce --run results/thesis --format markdown";

const WINNERS: &str = "\
Examples:
  bench winners                       fastest variants of the latest run of the store
  bench winners results/today --charts maps
  bench winners results/today --over segments,order --charts maps
  bench winners latest --task {task} --axis threads=16 --format csv";

const PLAN: &str = "\
Examples:
  bench plan --need examples/plan/cbm-need.toml --machines examples/plan/cbm-machines.toml
  bench plan --need need.toml --machines machines.toml --out farm --format json=farm.json
  bench plan --need need.toml --machines machines.toml --results results/today

Machines without a usable rate are listed with the reason; exit code 5 if no machine has one.";

const MACHINES: &str = "\
Examples:
  bench machines results/one results/other
  bench machines docs/results --reference H100 --task sort
  bench machines a b --prices machines.toml --out machines --format json=machines.json

Rows that can't be compared are listed with the reason; exit code 5 if no row can be.";

const SUBMISSION: &str = "\
Examples:
  bench submission check results/today
  bench submission check docs/results --format json=checks.json
  bench submission pack results/today --out submission

Exit code 1 if a run is not fit, with a line for each reason.";

const EXPORT: &str = "\
Examples:
  bench export latest --out /var/lib/node_exporter/recobench.prom
  bench export --all --store results/store --out history.parquet
  bench export latest --table samples --out samples.parquet
  bench export results/today --format influx | curl --data-binary @- 'http://host:8086/write?db=lab'";

const TRACE: &str = "\
Examples:
  bench trace latest                  writes trace.json into the run; open it in ui.perfetto.dev
  bench trace results/today --out today.json
  bench trace results/today --out today.cali

Exit code 5 if the run holds no sample.";

const PORTABILITY: &str = "\
Examples:
  bench portability                   shaders, checked and trusted, over CUDA on the first GPU
  bench portability --device cuda:1,wgpu:0 --out DIR
  bench portability unpack --device cuda:0
  bench portability --run DIR --format markdown

Exit codes: 5 if there is no GPU by NVIDIA, or none that wgpu knows.";

const COMPLETIONS: &str = "\
Example:
  bench completions bash > ~/.local/share/bash-completion/completions/{program}";

const SIMULATE: &str = "\
Examples:
  bench stream --preset mcbm-2024 --scale 0.02 --processes 2 --speed 1,2,4 --out results/day
  bench simulate results/day                      how well that predicts what was measured
  bench simulate results/day --nodes 40 --speed 4 --fail 30d/8h --duration 1d --format json=farm.json";

const SITE: &str = "\
Examples:
  bench site                          results/site/index.html of results/store
  bench site --store lab/store --out public --title 'Nights of the lab'
  bench site --task {task} --axis threads=16 --out sorts
  bench site --submissions results/submissions --out public";

const MAN: &str = "\
Example:
  bench man ~/.local/share/man/man1 && man {program}-{task}";

const COMPARE: &str = "\
Examples:
  bench compare                                   the store's baseline and its last run
  bench compare results/monday results/tuesday --task sort --axis segments=24,1792
  bench compare accepted latest --confirm
  bench compare accepted latest --confirm --confirm-time 20m --base-bench old/{program}
  bench compare a b --junit verdicts.xml --markdown verdicts.md

SLOWER and FASTER: the whole 95 % confidence interval of the ratio of medians lies beyond the
minimum effect, the rank test agrees, runs of the same code differ by less, and the false discovery
rate is controlled. SAME: changes above --resolution are excluded; (± 0.8 %) is the detectable
change. INCONCLUSIVE: too few samples, too much scatter, or a busy machine. Quality, where the truth
is known, is WORSE if the whole 95 % interval of its change is a drop beyond --quality-drop; runs on
the same data are compared event by event. The exit code is 4 if a point is slower (--fail-on) or
its quality is worse, and 3 if one that was correct is wrong now.";

const PARETO: &str = "\
Examples:
  bench pareto events --vary min-digis=5,10,20 --vary window=10ns,20ns,40ns
  bench pareto events --vary min-digis=3,10,30 --quality efficiency,fakes,splits --out sweep
  bench pareto cluster-finder --vary qmax-cutoff=1,3,6 --variant published
  bench pareto cluster-finder --vary noise-eps=5,10,20 --speed ns_per_cluster

A setting is dominated if another one is better in a metric and at least as good in all others,
beyond the 95 % intervals; it is undecided if that other one is better, but not beyond them. All
settings have the same data, so qualities are compared event by event. --out gets pareto.csv and
the chart pareto.svg.";

const SELFTEST: &str = "\
Examples:
  bench selftest                      built-in suite, with and without artificial slowdowns
  bench selftest --way in-turn        paired runs only, in four minutes
  bench selftest --suite mine.toml --repeats 3
  bench selftest --suite nightly      how much the points of a nightly run scatter

Reports false alarms and detected slowdowns, of separate and of paired runs, and the variance
between runs of the same code, which later comparisons on this machine use. The built-in suite
takes about twelve minutes.";
