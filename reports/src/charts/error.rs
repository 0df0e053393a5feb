//! What can go wrong with a chart.

use std::io;
use std::path::PathBuf;

use text::Foreign;

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The folder cannot be made.
    #[error(
        "cannot make the folder {} for the charts: {source}; choose another with --out, or draw none with --no-charts", path.shown()
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(
        "cannot write the chart {}: {source}; free some space or choose another folder with --out, or draw none with --no-charts", path.shown()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The picture cannot be made.
    #[error(
        "cannot draw the chart {}: {reason}; the numbers are in summary.csv, draw no charts with --no-charts", path.shown()
    )]
    Draw {
        /// The file that the picture was for.
        path: PathBuf,
        /// What the drawing library said.
        reason: String,
    },
}
