//! The commands of the documents are run as they stand, with small inputs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::common::{BENCH, Folder, LITTLE_MEMORY, Run, in_repository, measuring};
use crate::documentation::{blocks, pages};

/// Commands that a page requires to have run before, by the end of its path.
const BEFORE: [(&str, &[&str]); 4] = [
    (
        "docs/cookbook.md",
        &[
            "bench sort --variant 'std-*' --samples 8 --out results/monday",
            "bench sort --variant 'std-*' --samples 8 --out results/today",
        ],
    ),
    (
        "docs/report.md",
        &[
            "bench sort --variant 'std-*' --samples 8 --out results/monday",
            "bench sort --variant 'std-*' --samples 8 --out results/tuesday",
            "bench sort --variant 'std-*' --samples 8 --out results/today",
            "bench sort --variant 'std-*' --samples 8 --out results/accepted",
        ],
    ),
    (
        "docs/history.md",
        &[
            "bench run smoke --budget 30s",
            "bench sort --variant 'std-*' --out results/20260131T120000Z-sort",
        ],
    ),
    ("docs/trust.md", &["bench run smoke --budget 30s", "bench history accept latest"]),
];

/// A run that can be accepted: those of RECOBENCH_SMALL can't.
const ACCEPTABLE: &str = "RECOBENCH_SMALL= bench run smoke --fresh --budget 30s --quiet";

/// Words of commands that do not run here, and why.
const ELSEWHERE: [(&str, &str); 9] = [
    ("cuda:", "needs a GPU"),
    ("hip:", "needs a GPU by AMD"),
    ("wgpu:", "needs a build with shaders, and a driver for them"),
    ("HEAD~1", "builds another revision"),
    ("emulator", "is run by .ci/nightly, and takes long"),
    ("curl", "needs a server"),
    ("heap", "needs the variant that the page has its reader write"),
    ("reproduce --budget 6m", "measures for docs/results"),
    ("/var/lib", "is where a collector looks"),
];

/// A verdict is no failure, nor that there is none: samples are few here.
const VERDICTS: [i32; 3] = [0, 4, 5];

/// A page's lines that call `bench`, or make what it calls.
fn lines(text: &str) -> Vec<String> {
    let blocks = blocks(text, "sh");
    let lines = blocks.iter().flat_map(|block| block.lines()).map(str::trim);
    let lines = lines.map(|line| line.replace("cargo run --release --", "bench"));
    let is_run = |line: &String| ["bench ", "cc ", "c++ "].iter().any(|it| line.starts_with(it));
    lines.filter(is_run).collect()
}

/// A folder with `bench` on the path, and the parts of the repository that commands name.
struct Sandbox(Folder);

impl Sandbox {
    fn new(page: &Path, text: &str) -> Option<Self> {
        let sandbox = Sandbox(measuring()?);
        for folder in ["bin", "docs", "results"] {
            fs::create_dir_all(sandbox.0.join(folder)).expect("made");
        }
        symlink(BENCH, sandbox.0.join("bin/bench")).expect("linked");
        symlink(in_repository("docs/plugin"), sandbox.0.join("docs/plugin")).expect("linked");
        let of_kept_runs = ["docs/plan.md", "docs/score.md", "docs/submission.md"];
        if of_kept_runs.iter().any(|name| page.ends_with(name)) {
            // Other pages measure into folders of these names.
            for folder in ["docs/results", "examples"] {
                symlink(in_repository(folder), sandbox.0.join(folder)).expect("linked");
            }
        }
        // The suite that a page shows is the one that its commands name.
        if let Some(suite) = blocks(text, "toml").first() {
            sandbox.0.write("suite.toml", suite);
        }
        for (name, commands) in BEFORE {
            if page.ends_with(name) {
                let failed: Vec<String> =
                    commands.iter().filter_map(|command| sandbox.run(page, command)).collect();
                assert!(failed.is_empty(), "{}", failed.join("\n"));
            }
        }
        Some(sandbox)
    }

    /// Runs a command line; returns a description of a failure.
    fn run(&self, page: &Path, line: &str) -> Option<String> {
        if let Some((_, why)) = ELSEWHERE.iter().find(|(words, _)| line.contains(words)) {
            eprintln!("{}: not run, for it {why}: {line}", page.display());
            return None;
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        let before = line.contains("history accept").then(|| format!("{ACCEPTABLE}; "));
        shell.args(["-c", &(before.unwrap_or_default() + line)]).current_dir(self.0.path());
        shell.env("PATH", format!("{}:{path}", self.0.join("bin").display()));
        shell.env("RECOBENCH_SMALL", "1").envs(LITTLE_MEMORY);
        let start = Instant::now();
        let run = Run::from_command(&mut shell);
        eprintln!("{:5.1} s {}: {line}", start.elapsed().as_secs_f64(), page.display());
        let fine = run.code.is_some_and(|code| VERDICTS.contains(&code));
        (!fine).then(|| format!("{}: {}", page.display(), run.story()))
    }
}

/// Advised commands work when pasted: those after a comparison, and those that repeat a reported
/// run.
#[test]
fn advice_works_when_it_is_pasted() {
    let Some(sandbox) = Sandbox::new(Path::new("advice"), "") else { return };
    let here = Path::new("advice");
    let run = |line: &str| assert_eq!(sandbox.run(here, line), None);
    let sorts = "bench sort --variant 'std-s*,rdst' --digis 1k,2k --cache hot,cold --samples 5..10";
    for name in ["old", "my new"] {
        run(&format!("{sorts} --places cores --store 'a store' --out '{name}'"));
    }
    run("bench compare old 'my new' --store 'a store' --min-effect 3% --format json=c.json");
    run("bench report 'my new' --out r.html && bench report 'my new' --out r.md");
    let comparison: serde_json::Value =
        serde_json::from_str(&sandbox.0.read("c.json")).expect("JSON");
    let points = comparison["points"].as_array().expect("points");
    let next = points.iter().filter_map(|point| point["next"].as_str()).map(str::to_owned);
    let page = sandbox.0.read("r.html");
    let again = page.split("<code>").skip(1).filter_map(|code| code.split("</code>").next());
    let again = again.flat_map(|code| code.lines()).map(|line| {
        line.replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("cargo run --release --", "bench")
    });
    let mut advised: Vec<String> = next
        .chain(again)
        .filter_map(|text| Some(format!("bench {}", text.split_once("bench ")?.1)))
        .collect();
    advised.sort();
    advised.dedup();
    assert!(advised.len() >= 2, "{advised:?}");
    advised.iter().for_each(|line| run(line));
}

/// The commands that a comparison prints for people, and those of its page.
fn next_lines(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("next: ").map(str::to_owned)).collect()
}

/// Advice on the terminal works for points of any task, with all kinds of axis values, and for
/// suites and inputs from files.
#[test]
fn printed_advice_works_for_all_kinds_of_axes_and_for_files() {
    let Some(sandbox) = Sandbox::new(Path::new("printed advice"), "") else { return };
    let here = Path::new("printed advice");
    let run = |line: &str| assert_eq!(sandbox.run(here, line), None);
    let suite = "name = \"mine\"\n[defaults]\nthreads = 1\nsamples = \"5..5\"\n[[task]]\n\
        name = \"sort\"\nvariants = [\"rdst\"]\n[task.axes]\nsegments = 24\ndigis = \"2k\"\n";
    fs::write(sandbox.0.path().join("my suite.toml"), suite).expect("written");
    run("bench generate sts --segments 24 --digis 2k --out 'my digis.bin'");
    let flags = "--samples 5..5 --threads 1 --no-charts -q";
    let commands = [
        format!("bench events --preset mcbm-2024 --variant at-distance --window 1us {flags}"),
        format!("bench events --input 'my digis.bin' --variant at-distance --window 50ns {flags}"),
        format!("bench decode --orbits 1 --noise 0.005 --variant simd {flags}"),
        format!("bench noisy-pads --orbits 1 --max-run 100 --variant '*' {flags}"),
        format!("bench sts --preset mcbm-2024 --noise 500Hz --compat --variant '*' {flags}"),
        "bench run 'my suite.toml' --no-store --no-charts -q".to_owned(),
    ];
    for (number, command) in commands.iter().enumerate() {
        run(&format!("{command} --out 'a {number}'"));
        run(&format!("{command} --out 'b {number}'"));
        run(&format!("bench compare 'a {number}' 'b {number}' > {number}.txt"));
        let advised = next_lines(&sandbox.0.read(format!("{number}.txt")));
        assert!(!advised.is_empty(), "{command}");
        let measures = advised.iter().filter(|line| !line.starts_with("bench compare"));
        let record = sandbox.0.record(format!("a {number}"));
        assert!(!record.axes.is_empty() && !record.metrics.is_empty(), "{command}");
        measures.take(2).for_each(|line| run(line));
    }
}

/// Runs all commands of the pages whose names end so.
fn run_pages(wanted: impl Fn(&Path) -> bool) {
    let mut failed = Vec::new();
    for (page, text) in pages().into_iter().filter(|(page, _)| wanted(page)) {
        let lines = lines(&text);
        if lines.is_empty() {
            continue;
        }
        let Some(sandbox) = Sandbox::new(&page, &text) else { return };
        failed.extend(lines.iter().filter_map(|line| sandbox.run(&page, line)));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn farms_are_planned_as_their_page_shows() {
    run_pages(|page| page.ends_with("docs/plan.md"));
}

#[test]
#[ignore = "takes a minute: for the night"]
fn commands_of_the_readme_run() {
    run_pages(is_readme_or_cookbook);
}

fn is_readme_or_cookbook(page: &Path) -> bool {
    page.ends_with("README.md") || page.ends_with("docs/cookbook.md")
}

#[test]
#[ignore = "takes a minute: for the night"]
fn commands_of_the_documents_run() {
    run_pages(|page| !is_readme_or_cookbook(page));
}
