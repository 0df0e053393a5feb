//! Errors while measuring.

use algorithms::device::TeamError;
use generators::DataError;
use reports::charts::ChartError;
use reports::store::StoreError;

use crate::platform::Exit;

/// Error that ended a run early or prevented its start.
#[expect(missing_docs, reason = "messages say what fields are")]
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Data that can't be generated or read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Threads that can't be started.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// A run folder that can't be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A chart that can't be drawn or written.
    #[error("{source}; what was measured is kept in {kept}")]
    Chart { source: ChartError, kept: String },
    /// A run folder that can't be written any more.
    #[error("{source}; what was measured before is kept in {kept}")]
    StoreInterrupted { source: StoreError, kept: String },
}

impl MeasureError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            MeasureError::Data(error) => error.into(),
            MeasureError::Store(error) => error.into(),
            _ => Exit::Failed,
        }
    }
}
