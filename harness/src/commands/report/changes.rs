//! The reported run against the one given by `--base`.

use std::path::Path;

use reports::compare::Comparison;
use reports::store::Run;

use crate::failure::Failure;

/// The comparison, if one is asked for.
pub(super) fn comparison(base: Option<&Path>, _run: &Run) -> Result<Option<Comparison>, Failure> {
    match base {
        None => Ok(None),
        Some(_) => Err(Failure::Usage(
            "--base: this version compares no runs".to_owned(),
        )),
    }
}
