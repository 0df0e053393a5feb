//! Errors of charts.

use std::io;
use std::path::PathBuf;

use text::Untrusted;

/// Reason why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The folder cannot be made.
    #[error(
        "cannot make the folder {} for the charts: {source}; choose another with --out, or draw \
         none with --no-charts", path.escaped()
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(
        "cannot write the chart {}: {source}; free some space or choose another folder with --out, \
         or draw none with --no-charts", path.escaped()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The picture cannot be made.
    #[error(
        "cannot draw the chart {}: {reason}; the numbers are in summary.csv, draw no charts with \
         --no-charts", path.escaped()
    )]
    Draw {
        /// File of the chart.
        path: PathBuf,
        /// Error of the drawing library.
        reason: String,
    },
}
