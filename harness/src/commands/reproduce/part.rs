//! The points of the suite `thesis` that figures need.

use std::path::Path;

use reports::published::Figure;
use reports::record::Point;

use super::super::open_suite;
use super::super::suite::not_empty;
use super::THESIS;
use crate::failure::Failure;
use crate::platform::usable_threads;
use crate::suite::Suite;

/// The part of the suite that figures need; nothing if they are all about streams.
pub(super) fn part(figures: &[Figure]) -> Result<Suite, Failure> {
    let max_threads = usable_threads();
    let is_wanted = |point: &Point| figures.iter().any(|figure| figure.wants(point, max_threads));
    let suite = open_suite(Path::new(THESIS), &[])?.restricted(is_wanted);
    if figures.iter().all(|figure| figure.stream.is_some()) {
        return Ok(suite);
    }
    not_empty(suite, "no task of this program is what these figures show")
}
