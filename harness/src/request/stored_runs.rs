//! Requests of commands that show or compare stored runs: `bench compare`, `report`, `export`,
//! `trace`, `site` and `winners`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use reports::compare::Thresholds;
use reports::compare::render::Listing;
use reports::export::{ExportFormat, ExportTable};
use reports::filter::{AxisValues, PointFilter};
use reports::rank::{Rank, RankedBy};
use reports::table::Format;
use reports::trace::TraceFormat;
use text::Untrusted;

use super::{Outputs, Verdicts, values};

/// Request of a report.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ReportRequest {
    /// Runs: folders, latest, accepted or ids of the store; reports the last, with the others as its
    /// history.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Output file: .html or .md.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
    /// Base run to compare with: a folder, or latest, accepted or an id of the store.
    #[arg(long, value_name = "RUN")]
    pub base: Option<PathBuf>,
    /// Show a comparison written by `bench compare --format json=FILE`, instead of --base.
    #[arg(long, value_name = "FILE", conflicts_with = "base")]
    pub comparison: Option<PathBuf>,
    /// Add the history of this store.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Format of the report [default: by the extension of FILE]
    #[arg(long, value_name = "format", value_parser = values::choice::<ReportFormat>())]
    format: Option<ReportFormat>,
    /// Title [default: tasks, machine and date]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show all samples, too: as distributions and in time order.
    #[arg(long)]
    pub diagnostics: bool,
    /// Overwrite the file even if it is not a report.
    #[arg(long)]
    pub force: bool,
    /// Points to report.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A page with charts, tables and raw data.
    Html,
    /// A short text for a merge request.
    Markdown,
}

impl ReportRequest {
    /// Returns the format, given by flag or by the extension of the file.
    ///
    /// # Errors
    /// If neither specifies one.
    pub fn format(&self) -> Result<ReportFormat, String> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        match ending(&self.out).as_deref() {
            Some("html" | "htm") => Ok(ReportFormat::Html),
            Some("md" | "markdown") => Ok(ReportFormat::Markdown),
            _ => Err(format!(
                "unknown report format of {}: use a file name that ends in .html or .md, or add \
                 --format html",
                self.out.escaped()
            )),
        }
    }
}

/// Request to export runs.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// Runs, the oldest first: folders, latest, accepted or ids of the store.
    #[arg(value_name = "RUN", required_unless_present = "all")]
    pub runs: Vec<PathBuf>,
    /// Export all runs of the store.
    #[arg(long, conflicts_with = "runs")]
    pub all: bool,
    /// Format [default: by the extension of FILE]
    #[arg(long, value_name = "format", value_parser = values::named(ExportFormat::ALL))]
    format: Option<ExportFormat>,
    /// Rows: one per point and stage, or one per sample (CSV, Parquet and JSON only).
    #[arg(long, value_name = "table", default_value = "summary",
        value_parser = values::named(ExportTable::ALL))]
    pub table: ExportTable,
    /// Output file: .prom, .lp, .csv, .parquet or .json [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

impl ExportRequest {
    /// Returns the format, given by flag or by the extension of the file.
    ///
    /// # Errors
    /// If neither specifies one, or it can't be printed.
    pub fn format(&self) -> Result<ExportFormat, String> {
        let by_ending = || self.out.as_deref().and_then(by_ending);
        let format = self.format.or_else(by_ending).ok_or(
            "no export format: add --format, or --out with a file name that ends in .prom, .lp, \
             .csv, .parquet or .json",
        )?;
        if self.table == ExportTable::Samples && !format.is_table() {
            return Err(
                "--table samples is available as a table only: use --format csv, parquet or json"
                    .to_owned(),
            );
        }
        if self.out.is_none() && format == ExportFormat::Parquet {
            return Err("Parquet is not printed to the terminal: name a file with --out".to_owned());
        }
        Ok(format)
    }
}

/// Request for the trace of a run.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// A run folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Output file: .json (Perfetto, Chrome) or .cali (Caliper) [default: RUN/trace.json]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite the file even if it is not a trace.
    #[arg(long)]
    pub force: bool,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

impl TraceRequest {
    /// Returns the format, given by the extension of the file.
    ///
    /// # Errors
    /// If the extension is of no format.
    pub fn format(&self) -> Result<TraceFormat, String> {
        let Some(path) = &self.out else { return Ok(TraceFormat::Chrome) };
        ending(path).as_deref().and_then(TraceFormat::from_ending).ok_or_else(|| {
            format!(
                "unknown trace format of {}: use a file name that ends in .json or .cali",
                path.escaped()
            )
        })
    }
}

/// The extension of a file in lower case.
fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn by_ending(path: &Path) -> Option<ExportFormat> {
    ExportFormat::from_ending(&ending(path)?)
}

/// Request for the pages of a store.
#[derive(Args, Clone, Debug)]
pub struct SiteRequest {
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Folder of the pages; open its index.html.
    #[arg(long, value_name = "DIR", default_value = "results/site")]
    pub out: PathBuf,
    /// Title [default: the store's folder]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Overwrite pages even if they are not pages of recobench.
    #[arg(long)]
    pub force: bool,
    /// Add pages of machines, by those of these submissions that are fit: folders, or folders of them.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub submissions: Vec<PathBuf>,
    /// Points that get pages.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}

/// Request for the fastest variants.
#[derive(Args, Clone, Debug)]
pub struct WinnersRequest {
    /// A run folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN", default_value = "latest")]
    pub run: PathBuf,
    /// Folder for a map of the winners over two axes.
    #[arg(long = "charts", alias = "out", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Axes of the map [default: the two with the most values]
    #[arg(long, value_name = "AXIS,AXIS", value_delimiter = ',', num_args = 1..=2)]
    pub over: Vec<String>,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Rank by time, or by the energy of an item, which is known end to end only and has no map.
    #[arg(long, value_name = "QUANTITY", value_parser = values::ranked_by(), default_value = RankedBy::default().name())]
    pub by: RankedBy,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Points to rank.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}

/// Selection of points.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct PointFlags {
    /// Only points of these tasks.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub task: Vec<String>,
    /// Only points of these variants, such as std-*.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub variant: Vec<String>,
    /// Only points with these axis values: segments=24, threads=1,2; repeatable.
    #[arg(long, value_name = "NAME=VALUE[,VALUE]")]
    pub axis: Vec<AxisValues>,
}

impl PointFlags {
    /// Returns the filter of points.
    pub fn filter(&self) -> PointFilter {
        let filter = PointFilter::new(&self.task, &self.variant, &self.axis);
        filter.expect("patterns were checked when the flags were parsed")
    }
}

fn glob(text: &str) -> Result<String, String> {
    let filter = PointFilter::new(&[text], &[], &[]);
    filter.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Two runs to compare.
#[derive(Args, Clone, Debug)]
pub struct CompareRequest {
    /// Base run: a folder, or latest, accepted or an id of the store.
    #[arg(default_value = "accepted", requires = "new")]
    pub base: String,
    /// New run: a folder, or latest, accepted or an id of the store.
    #[arg(default_value = "latest")]
    pub new: String,
    /// Thresholds of the verdicts.
    #[command(flatten, next_help_heading = "Judging")]
    pub judging: Judging,
    /// Selection of points.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
    /// Measure slower and inconclusive points again, interleaved, and judge the new samples.
    #[arg(long, help_heading = "Confirming")]
    pub confirm: bool,
    /// Time budget for --confirm; most urgent points first.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10m")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub confirm_time: Duration,
    /// Executable that measured BASE, to interleave with this one.
    #[arg(long, value_name = "FILE")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub base_bench: Option<PathBuf>,
    /// Formats of the comparison.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs<Verdicts>,
    /// Hidden aliases of `--format FORMAT=FILE`.
    #[command(flatten)]
    pub(crate) files: ComparisonFiles,
    /// List all points, including unchanged ones.
    #[arg(long = "all", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Flags for judging and confirming as typed, word by word: advised commands repeat them.
    #[arg(skip)]
    pub given: Vec<String>,
}

/// Thresholds of the verdicts.
#[derive(Args, Clone, Copy, Debug)]
pub struct Judging {
    /// Smallest change to report: the whole confidence interval must lie beyond it.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    pub min_effect: f64,
    /// Report SAME only if changes larger than this are excluded.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "5%")]
    pub resolution: f64,
    /// Upper limit of the rank test's p-value.
    #[arg(long, value_name = "P", value_parser = values::probability, default_value = "0.01")]
    pub significance: f64,
    /// False discovery rate of SLOWER and FASTER verdicts.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "2%")]
    pub false_discovery: f64,
    /// Largest drop of quality to accept: of shares, such as the efficiency, in percentage points, of
    /// residuals relative to the base; 0 for any drop.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage_or_none, default_value = "0.1%")]
    pub quality_drop: f64,
    /// Verdict that exits with code 4: slower, or also inconclusive, or also more energy.
    #[arg(long, value_name = "fail-on", value_parser = values::choice::<FailOn>(), default_value = "slower")]
    pub fail_on: FailOn,
    /// Allow a comparison of runs from different machines.
    #[arg(long)]
    pub across_machines: bool,
}

impl Judging {
    /// Returns the thresholds.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            min_effect: self.min_effect,
            resolution: self.resolution,
            significance: self.significance,
            false_discovery: self.false_discovery,
            quality_drop: self.quality_drop,
        }
    }
}

/// Hidden flags for files of a comparison.
#[derive(Args, Clone, Debug)]
pub(crate) struct ComparisonFiles {
    /// Write it as Markdown to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    markdown: Option<PathBuf>,
    /// Write it as JSON to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    json: Option<PathBuf>,
    /// Write it as JUnit XML to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    junit: Option<PathBuf>,
}

impl ComparisonFiles {
    /// Takes the formats and paths out of the flags.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (Format, PathBuf)> {
        let files = [
            (Format::Markdown, self.markdown.take()),
            (Format::Json, self.json.take()),
            (Format::Junit, self.junit.take()),
        ];
        let files = files.into_iter();
        files.filter_map(|(format, file)| Some((format, file?)))
    }
}

/// Verdicts that make a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Slower points.
    Slower,
    /// Slower or inconclusive points.
    Inconclusive,
    /// Slower points, and points that take more energy.
    Energy,
}

/// Default folder of the store of runs.
pub const DEFAULT_STORE: &str = "results/store";
