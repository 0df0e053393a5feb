mod kernel;
mod walk;
pub(super) use kernel::{DecodePage, Level, PadList};
pub(super) use walk::Job;
