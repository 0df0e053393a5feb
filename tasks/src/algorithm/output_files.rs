//! Description of the files that the output of a task is written to.

use std::path::Path;

use generators_common::DataError;
use generators_common::io::check_table_file;

use crate::device::Backend;

/// Files of a task's output.
#[derive(Clone, Copy, Debug)]
pub struct OutputFiles {
    /// Items of each file, in the singular: "hit". The first file is the main one.
    pub items: &'static [&'static str],
    /// The variant that runs on a CPU if none is named.
    pub on_cpu: &'static str,
    /// The variant that runs on a GPU if none is named.
    pub on_gpu: &'static str,
    /// The axis of generated inputs that must be 1, if there is one.
    pub single: Option<&'static str>,
    /// Flags of the task's own command that make it write files.
    pub aliases: &'static [OutputAlias],
    /// The format, if it is not that of tables.
    pub format: OutputFormat,
}

/// Format of files of outputs.
#[derive(Clone, Copy, Debug)]
pub struct OutputFormat {
    /// Endings of the names of files, in the words of the help.
    pub endings: &'static str,
    /// Checks the name of a file.
    pub check: fn(&Path) -> Result<(), DataError>,
    /// True for the name of a file that `--out` of the task's own command writes, instead of a folder with
    /// results.
    pub is_file: fn(&Path) -> bool,
}

impl OutputFormat {
    /// Tables, as CSV, binary or Parquet.
    pub const TABLE: OutputFormat = OutputFormat {
        endings: ".csv, .bin, .parquet; .csv.gz and .bin.gz are compressed",
        check: check_table_file,
        is_file: |_| false,
    };
}

/// A flag of the command of a task, that makes it write what `bench process` writes.
#[derive(Clone, Copy, Debug)]
pub struct OutputAlias {
    /// The flag, without dashes.
    pub flag: &'static str,
    /// Its help.
    pub help: &'static str,
    /// Index among [`OutputFiles::items`].
    pub file: usize,
    /// Variants that run.
    pub choice: VariantChoice,
    /// Checks the name of the file.
    pub check: fn(&Path) -> Result<(), DataError>,
}

/// Variants that run to write an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantChoice {
    /// One; without `--variant`, the default of the task.
    One,
    /// All that are named, or all there are, because they have to agree.
    All,
}

impl OutputFiles {
    /// Files of these items, of any input.
    pub const fn new(
        items: &'static [&'static str],
        on_cpu: &'static str,
        on_gpu: &'static str,
    ) -> Self {
        OutputFiles {
            items,
            on_cpu,
            on_gpu,
            single: None,
            aliases: &[],
            format: OutputFormat::TABLE,
        }
    }

    /// These files in another format than that of tables.
    pub const fn with_format(self, format: OutputFormat) -> Self {
        OutputFiles { format, ..self }
    }

    /// These files with flags of the task's own command.
    pub const fn with_aliases(self, aliases: &'static [OutputAlias]) -> Self {
        OutputFiles { aliases, ..self }
    }

    /// The variant that runs if none is named.
    pub fn default_variant(&self, backend: Backend) -> &'static str {
        match backend {
            Backend::Cpu => self.on_cpu,
            Backend::Cuda | Backend::Wgpu => self.on_gpu,
        }
    }
}
