//! `bench sample --serve`: the child of a coordinator.

use std::path::PathBuf;

use crate::failure::{Exit, Failure};
use crate::paired;
use crate::plugins::{self, Baseline};

pub(super) fn run(libraries: &[PathBuf]) -> Result<Exit, Failure> {
    super::refuse_development_build()?;
    plugins::load(libraries, Baseline::Measured)?;
    paired::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Success)
}
