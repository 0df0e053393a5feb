//! Output options: folders, formats and charts.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::{ArgAction, Args};
use reports::charts::{Diagnostics, Wanted};
use reports::rank::Rank;
use reports::run_table::Detail;
use reports::table::Format;

use super::values;

/// Formats of the output: one on standard output, others in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs<S = Results> {
    /// Format on standard output.
    pub stdout: Format,
    /// Formats and paths of files.
    pub files: Vec<(Format, PathBuf)>,
    set: PhantomData<S>,
}

impl<S> Outputs<S> {
    /// Creates an output to standard output only.
    pub fn only(stdout: Format) -> Self {
        Outputs { stdout, files: Vec::new(), set: PhantomData }
    }
}

impl Outputs<AnyResults> {
    /// Converts to the formats of one kind of results.
    ///
    /// # Errors
    /// If a format is for another kind of results.
    pub(super) fn convert<S: FormatSet>(&self, results: &str) -> Result<Outputs<S>, String> {
        let mut formats = self.files.iter().map(|(format, _)| format).chain([&self.stdout]);
        if let Some(other) = formats.find(|format| !S::FORMATS.contains(format)) {
            let names: Vec<&str> = S::FORMATS.iter().map(|format| format.name()).collect();
            let names = names.join(", ");
            return Err(format!("{results} can't be written as {}: use {names}", other.name()));
        }
        Ok(Outputs { stdout: self.stdout, files: self.files.clone(), set: PhantomData })
    }
}

/// Formats of a kind of results.
pub trait FormatSet: 'static {
    /// The formats, the default first.
    const FORMATS: &'static [Format];
}

/// Declares sets of formats, the default first.
macro_rules! format_sets {
    ($($(#[$of_set:meta])* $name:ident: $($format:ident)*;)*) => {$(
        $(#[$of_set])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name;

        impl FormatSet for $name {
            const FORMATS: &'static [Format] = &[$(Format::$format),*];
        }
    )*};
}

format_sets! {
    /// Results of a run, and lists.
    Results: Table Csv Json Markdown;
    /// Verdicts of a comparison.
    Verdicts: Table Markdown Json Junit;
    /// Results of a run, or verdicts on it.
    AnyResults: Table Csv Json Markdown Junit;
    /// Error rates of comparisons.
    SelfTests: Table Markdown Json;
    /// Descriptions of tasks, suites and devices.
    Descriptions: Table Json;
}

/// Output options of a measuring command.
#[derive(Args, Clone, Debug)]
pub struct OutputFlags<S: FormatSet = Results> {
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-<command>]")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs<S>,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show the times of stages and kernels, too.
    #[arg(long = "stages", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Detail::Ranking, Detail::Stages))]
    pub detail: Detail,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Draw charts of all single samples, too.
    #[arg(long)]
    pub diagnostics: bool,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
}

impl<S: FormatSet> OutputFlags<S> {
    /// Returns the charts to draw into the run's folder.
    pub(crate) fn charts_wanted(&self) -> Option<Wanted> {
        let diagnostics = if self.diagnostics { Diagnostics::All } else { Diagnostics::None };
        self.charts.then(|| Wanted { rank: self.rank, diagnostics, ..Wanted::default() })
    }
}
