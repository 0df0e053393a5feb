//! What the help shows behind the flags.

pub(super) const TOP: &str = "\
Examples:
  bench sort --segments 24            sort digis of mCBM's 24 module sides
  bench list                          tasks, variants and axes
  bench devices --measure             this machine, and its memory bandwidth
  bench verify                        check all variants on hard inputs
  bench report results/today          a page with charts, tables and raw data

Exit codes:
  0 success   1 the tool failed   2 usage   3 a variant's output was wrong
  4 a regression was found   5 nothing was measured   130 interrupted";

pub(super) const VERIFY: &str = "\
Examples:
  bench verify                        all variants of all tasks
  bench verify sort --variant '*-merge' --seeds 20";

pub(super) const GENERATE_STS: &str = "\
Examples:
  bench generate sts --segments 24 --digis 2M --out digis.csv
  bench generate sts --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10 --out digis.bin.gz";

pub(super) const REPORT: &str = "\
Examples:
  bench report results/today --out report.html
  bench report results/monday results/tuesday results/today --title 'Sorting, this week'
  bench report results/today --base results/accepted --out report.md";

pub(super) const COMPLETIONS: &str = "\
Example:
  bench completions bash > ~/.local/share/bash-completion/completions/bench";

/// Examples of a command that measures.
pub(super) fn measuring(task: &str) -> String {
    format!(
        "\
Examples:
  bench {task} --segments 24
  bench {task} --segments 24,1792 --digis 2M --order random,time --threads 1,2
  bench {task} --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10
  bench {task} --threads 1,2 --places cores --bind false --bind close --bind spread
  bench {task} --variant 'std-*,block-merge' --cache hot,cold --out DIR
  bench {task} --input digis.csv --format markdown"
    )
}
