//! Examples after the flags in the help.

use crate::registry::task;
use clap::builder::StyledStr;

use super::groups::EXIT_CODES;
use crate::suite::built_in;

/// Returns the examples of a command, given by its path.
pub(super) fn for_command(command: &str) -> Option<StyledStr> {
    let text = match command {
        "" => return Some(format!("{TOP}\n\nExit codes: {EXIT_CODES}").into()),
        "list" => LIST,
        "devices" => DEVICES,
        "throughput" => THROUGHPUT,
        "stream" => STREAM,
        "run" => return Some(format!("{}\n\n{RUN}", built_in::table(70)).into()),
        "compare" => COMPARE,
        "selftest" => SELFTEST,
        "verify" => VERIFY,
        "generate sts" => GENERATE_STS,
        "generate sts-physics" => GENERATE_STS_PHYSICS,
        "generate tpc" => GENERATE_TPC,
        "generate sts-raw" => GENERATE_STS_RAW,
        "generate tracks" => GENERATE_TRACKS,
        "generate clusters" => GENERATE_CLUSTERS,
        "process" => PROCESS,
        "history" => HISTORY,
        "report" => REPORT,
        "export" => EXPORT,
        "winners" => WINNERS,
        "site" => SITE,
        "reproduce" => REPRODUCE,
        "portability" => PORTABILITY,
        "completions" => COMPLETIONS,
        "man" => MAN,
        "decode" => DECODE,
        "noisy-pads" => NOISY_PADS,
        "cluster-finder" => CLUSTER_FINDER,
        "events" => EVENTS,
        "unpack" => UNPACK,
        "tpc" => TPC,
        "merge" => MERGE,
        "gather" => GATHER,
        "memory-kinds" => MEMORY_KINDS,
        "calibrate" => CALIBRATE,
        "sts" => STS,
        "presort" | "cluster" | "cluster-sort" | "hits" | "collect" => {
            return Some(sts_stage(command).into());
        }
        _ if command.starts_with("throughput ") => return Some(of_streams(command).into()),
        _ => {
            let task = task(command)?;
            let is_built_in = task.variants().iter().any(|variant| variant.plugin.is_none());
            let text = if is_built_in { of_sorts(command) } else { with_plugin(command) };
            return Some(text.into());
        }
    };
    Some(text.into())
}

const TOP: &str = "\
Examples:
  bench sort --segments 24            sort digis of mCBM's 24 module sides
  bench list                          tasks, variants and axes
  bench devices --measure             this machine, and its bandwidths
  bench run smoke                     measure a suite of a minute
  bench verify                        check all variants on hard inputs
  bench history --last 10             runs in the store, the newest first
  bench report results/today          a page with charts, tables and raw data";

const LIST: &str = "\
Examples:
  bench list                          all tasks
  bench list sort                     one of them
  bench list --suites                 what bench run knows by name
  bench list --format json=tasks.json";

const DEVICES: &str = "\
Examples:
  bench devices                       CPUs, caches and GPUs
  bench devices --measure             what memory and links can do at most
  bench devices --measure --out ceilings --format json";

const THROUGHPUT: &str = "\
Examples:
  bench throughput sts --preset cbm-auau --scale 0.1 --streams 1,2,4 --device cpu
  bench throughput unpack --scale 0.02 --variant simd --streams doubling
  bench throughput decode --threads 1,2 --streams 1,2 --batch 8 --duration 10s
  bench throughput sts --variant balanced --device cuda:0,cuda:0+cuda:1 --streams 1,2,4,8";

/// Examples of streams of a task.
fn of_streams(command: &str) -> String {
    format!(
        "\
Examples:
  bench {command} --streams 1,2,4 --device cpu
  bench {command} --threads 1,2 --streams doubling --duration 10s
  bench {command} --streams 1,2,4,8 --device cuda:0,cuda:0+cuda:1 --out DIR"
    )
}

const STREAM: &str = "\
Examples:
  bench stream --preset mcbm-2024 --scale 0.02 --processes 2 --speed 0.5,1,2,4
  bench stream --preset mcbm-2024 --scale 0.05 --spill 4s/6s --jitter 0.3 --duration 1m
  bench stream --preset cbm-auau --scale 0.1 --processes 2 --find-limit
  bench stream --from raw --scale 0.02 --processes 4 --places cores --when-full drop
  bench stream --device cpu,cuda:0 --processes 4 --speed 1,2,4,8
  bench stream --merge n1 n2 n3 --out all";

const RUN: &str = "\
Examples:
  bench run smoke                     the built-in suite of a minute
  bench run nightly --dry-run         print the plan and its estimated duration
  bench run nightly --budget 10m      the same points in less time
  bench run suite.toml --out DIR      rerun the same command to resume
  bench run suite.toml --shard 2/4 --out part2
  bench run suite.toml --merge part1 part2 part3 part4 --out whole";

const VERIFY: &str = "\
Examples:
  bench verify                        all variants of all tasks
  bench verify sort --variant '*-merge' --seeds 20
  bench verify sort --device emulator --lanes 64
  bench verify sort --device emulator --races --schedules 8";

const GENERATE_STS: &str = "\
Examples:
  bench generate sts --segments 24 --digis 2M --out digis.csv
  bench generate sts --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10 --out digis.bin.gz

Digis are independent of each other; sts-physics makes those of particles.";

const GENERATE_STS_PHYSICS: &str = "\
Examples:
  bench generate sts-physics --preset cbm-auau --scale 0.1 --out digis.csv
  bench generate sts-physics --preset mcbm-2024 --scale 0.05 --truth --out digis.bin.gz
  bench generate sts-physics --rate 1MHz --noise 100Hz --threshold 5000 --out digis.csv";

const GENERATE_STS_RAW: &str = "\
Examples:
  bench generate sts-raw --preset mcbm-2024 --scale 0.01 --out d.ts.bin.gz
  bench generate sts-raw --scale 0.01 --damage 0.01 --out damaged.ts.bin
  bench generate sts-raw --microslice 10us --overlap 3 --epoch-order elink --out d.ts.bin";
const GENERATE_TPC: &str = "\
Examples:
  bench generate tpc --out frame.pages
  bench generate tpc --zs row12 --orbits 128 --rate 50kHz --out frame.pages.gz
  bench generate tpc --occupancy 0.3 --noise 0.01 --sectors 8 --out sectors.pages
  bench generate tpc --sectors 1 --orbits 1 --truth tracks --out labelled.pages
  bench generate tpc --preset laser --mapping DIR --out laser.pages";

const GENERATE_TRACKS: &str = "\
Examples:
  bench generate tracks --tracks 1M --out tracks.bin
  bench generate tracks --tracks 20k --ids shuffled --out tracks.csv.gz";

const GENERATE_CLUSTERS: &str = "\
Examples:
  bench generate clusters --scale 0.01 --out clusters.bin
  bench generate clusters --tracks 20k --fewest 1 --most 300 --row-clusters 50 --out clusters.bin.gz";

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
  bench history add results/20260131T120000Z-sort
  bench history --task sort --since 30d
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
  bench winners latest --task sort --axis threads=16 --format csv";

const EXPORT: &str = "\
Examples:
  bench export latest --out /var/lib/node_exporter/recobench.prom
  bench export --all --store results/store --out history.parquet
  bench export latest --table samples --out samples.parquet
  bench export results/today --format influx | curl --data-binary @- 'http://host:8086/write?db=lab'";

const PORTABILITY: &str = "\
Examples:
  bench portability                   shaders, checked and trusted, over CUDA on the first GPU
  bench portability --device cuda:1,wgpu:0 --out DIR
  bench portability unpack --device cuda:0
                                      portable CUDA kernels, without shaders
  bench portability --run DIR --format markdown

Exit codes: 5 if there is no GPU by NVIDIA, or none that wgpu knows.";

const COMPLETIONS: &str = "\
Example:
  bench completions bash > ~/.local/share/bash-completion/completions/bench";

const SITE: &str = "\
Examples:
  bench site                          results/site/index.html of results/store
  bench site --store lab/store --out public --title 'Nights of the lab'
  bench site --task sort --axis threads=16 --out sorts";

const MAN: &str = "\
Example:
  bench man ~/.local/share/man/man1 && man bench-sort";

const DECODE: &str = "\
Examples:
  bench decode --zs row12,link,dense-link --orbits 2 --threads 1,2
  bench decode --output digits,charge-map --sectors 4 --fragment 1000,4000
  bench decode --occupancy 0.05,0.1,0.3 --noise 0.005 --parallel sectors,pages
  bench decode --threads 1,2 --places cores --bind close --bind spread
  bench generate tpc --sectors 8 --out sectors.pages
  bench decode --input sectors.pages --sector 7 --digits digits.csv
  bench decode --input sectors.pages --index sectors.index.csv --sector 7 --strict";

const NOISY_PADS: &str = "\
Examples:
  bench noisy-pads --sectors 4 --orbits 2,8 --threads 1,2
  bench noisy-pads --noisy-pads 0,0.05 --hot-pads 0 --max-run 100
  bench noisy-pads --occupancy 0.05,0.3 --variant simd --cache hot,cold
  bench noisy-pads --sectors 36 --orbits 9 --device cuda:0
  bench generate tpc --sectors 8 --out sectors.pages
  bench noisy-pads --input sectors.pages --sector 7";

const EVENTS: &str = "\
Examples:
  bench events --preset mcbm-2024 --scale 1 --threads 1,2
  bench events --preset mcbm-2024 --min-digis 3,10,20 --window 10ns,20ns,50ns
  bench events --preset cbm-auau --scale 1 --device cuda:0
  bench events --dead-time 0 --before 100ns --after 200ns
  bench generate sts-physics --preset mcbm-2024 --scale 0.001 --out digis.csv
  bench events --input digis.csv --min-digis 5";

const UNPACK: &str = "\
Examples:
  bench unpack --preset mcbm-2024 --scale 0.05 --threads 1,2
  bench unpack --microslice 10us,100us,1ms --variant simd,published
  bench unpack --damage 0,0.01 --semantics current,2023
  bench unpack --order arrival,time
  bench unpack --input d.ts.bin.gz --threads 1,2
  bench unpack --input d.ts.bin.gz --setup d.setup.json --digis digis.bin";
const CLUSTER_FINDER: &str = "\
Examples:
  bench cluster-finder --sectors 4 --orbits 1 --threads 1,2
  bench cluster-finder --occupancy 0.01,0.07,0.2 --variant rows,published
  bench cluster-finder --noisy-pads 0.01 --qmax-cutoff 2,3,5 --variant rows
  bench cluster-finder --sectors 36 --orbits 4 --device cuda:0
  bench cluster-finder --input charges.cases.gz --threads 1,2
  bench cluster-finder --input labelled.pages --clusters clusters.csv
  bench cluster-finder --input charges.cases.gz --variant rows --clusters clusters.csv";

const TPC: &str = "\
Examples:
  bench tpc --orbits 1 --sectors 4 --threads 1,2
  bench tpc --zs row12,link,dense-link --occupancy 0.01,0.07
  bench tpc --noisy published,lab --noisy-pads 0.01
  bench generate tpc --sectors 4 --out sectors.pages
  bench tpc --input sectors.pages --sector 2 --threads 1,2";

const MERGE: &str = "\
Examples:
  bench merge --tracks 1M,10M --ids local,shuffled --threads 1,2
  bench merge --tracks 30M --device cuda:0 --variant components-blocks,buckets
  bench merge --variant shares,sequential --threads 1,2 --cache hot,cold
  bench generate tracks --tracks 1M --out tracks.csv
  bench merge --input tracks.csv --format markdown";

const GATHER: &str = "\
Examples:
  bench gather --scale 0.1 --threads 1,2
  bench gather --scale 1 --device cuda:0
  bench gather --tracks 50k --fewest 1 --most 20 --row-clusters 1000
  bench generate clusters --scale 0.01 --out clusters.bin
  bench gather --input clusters.bin --variant streamed,naive
  bench gather --plugin ./libmine.so --variant 'my-*,streamed'";

const MEMORY_KINDS: &str = "\
Examples:
  bench memory-kinds --bytes 64M --threads 1,2
  bench memory-kinds --bytes 256M --turns device,both --steps 4
  bench memory-kinds --bytes 64M --turns device --variant 'pinned*,device'";

const CALIBRATE: &str = "\
Examples:
  bench calibrate --digis 4M --threads 1,2
  bench calibrate --digis 64M --indices uniform,divergent
  bench calibrate --digis 4M --indices divergent --format csv=calibrate.csv";

const STS: &str = "\
Examples:
  bench sts --preset cbm-auau --scale 0.1 --threads 1,2
  bench sts --preset mcbm-2024 --scale 0.05 --variant online,time-sweep
  bench sts --compat --variant online
  bench sts --from raw --preset mcbm-2024 --scale 0.02 --threads 1,2
  bench generate sts-physics --scale 0.1 --out digis.csv
  bench sts --input digis.csv --setup digis.setup.json --threads 1,2
  bench sts --input digis.csv --setup digis.setup.json --clusters clusters.csv --hits hits.csv
  bench sts --preset mcbm-2024 --scale 0.001 --hits hits.csv --variant balanced --device emulator";

/// Examples of a stage of the STS chain.
fn sts_stage(task: &str) -> String {
    format!(
        "\
Examples:
  bench {task} --preset cbm-auau --scale 0.1 --threads 1,2
  bench {task} --preset mcbm-2024 --scale 0.05
  bench {task} --compat --noise 0,1kHz
  bench generate sts-physics --scale 0.1 --out digis.csv
  bench {task} --input digis.csv --setup digis.setup.json"
    )
}

/// Examples of a task that a plugin brings.
fn with_plugin(task: &str) -> String {
    format!(
        "\
Examples:
  bench verify {task} --plugin ./libmine.so    check its variants on all hard inputs
  bench {task} --plugin ./libmine.so           measure them on the default data"
    )
}

fn of_sorts(task: &str) -> String {
    format!(
        "\
Examples:
  bench {task} --segments 24
  bench {task} --segments 24,1792 --digis 2M --order random,time --threads 1,2
  bench {task} --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10
  bench {task} --threads 1,2 --places cores --bind false --bind close --bind spread
  bench {task} --variant 'std-*,block-merge' --cache hot,cold --out DIR
  bench {task} --device cuda:0 --rank kernel --format markdown=table.md
  bench generate sts --digis 2M --out digis.csv
  bench {task} --input digis.csv --format markdown
  bench {task} --plugin ./libmine.so --variant 'my-*,std-*'"
    )
}

const COMPARE: &str = "\
Examples:
  bench compare                                   the store's baseline and its last run
  bench compare results/monday results/tuesday --task sort --axis segments=24,1792
  bench compare accepted latest --confirm
  bench compare accepted latest --confirm --confirm-time 20m --base-bench old/bench
  bench compare a b --junit verdicts.xml --markdown verdicts.md

SLOWER and FASTER: the whole 95 % confidence interval of the ratio of medians lies beyond the
minimum effect, the rank test agrees, runs of the same code differ by less, and the false discovery
rate is controlled. SAME: changes above --resolution are excluded; (± 0.8 %) is the detectable
change. INCONCLUSIVE: too few samples, too much scatter, or a busy machine. The exit code is 4 if a
point is slower (--fail-on), and 3 if one that was correct is wrong now.";

const SELFTEST: &str = "\
Examples:
  bench selftest                      built-in suite, with and without artificial slowdowns
  bench selftest --way in-turn        paired runs only, in four minutes
  bench selftest --suite mine.toml --repeats 3
  bench selftest --suite nightly      how much the points of a nightly run scatter

Reports false alarms and detected slowdowns, of separate and of paired runs, and the variance
between runs of the same code, which later comparisons on this machine use. The built-in suite
takes about twelve minutes.";
