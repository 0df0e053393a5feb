//! The reported run against the one given by `--base`.

use std::path::Path;

use reports::compare::{Comparison, Measured, Terms, compare};

use super::super::runs;
use crate::failure::Failure;

/// The comparison, if one is asked for.
pub(super) fn comparison(
    base: Option<&Path>,
    reported: &Path,
    store: &Path,
) -> Result<Option<Comparison>, Failure> {
    let Some(base) = base else {
        return Ok(None);
    };
    let base = runs::folder(base, store, Some(&runs::series(reported)?))?;
    let (base, new) = (Measured::read(&base)?, Measured::read(reported)?);
    let mut comparison = compare(&base, &new, &Terms::default())?;
    comparison.gate = runs::gate(store, &new.record.machine_key);
    Ok(Some(comparison))
}
