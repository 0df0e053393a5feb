//! Reduced time frames: to find the pages for which a variant fails.

use std::ops::Range;

use generators::tpc::pages::RawPages;

use super::input::TimeFrame;
use crate::algorithm::shrink::without_parts;

/// Copies of a time frame without a part of the pages.
pub(super) fn all(frame: &TimeFrame) -> impl Iterator<Item = TimeFrame> + '_ {
    let pages = frame.pages.pages().len();
    without_parts(pages, |gone| Some(without(frame, gone)))
}

/// A time frame without some of its pages.
fn without(frame: &TimeFrame, gone: Range<usize>) -> TimeFrame {
    let mut pages = frame.pages.pages().to_vec();
    pages.drain(gone.clone());
    let left = |range: Range<usize>| range.filter(|page| !gone.contains(page)).count();
    let streams: Vec<_> = frame
        .pages
        .streams()
        .map(|stream| {
            let range = stream.first_page..stream.first_page + stream.pages.len();
            (stream.id, left(range))
        })
        .collect();
    frame.with_pages(RawPages::new(frame.bounds.first_orbit, pages, &streams))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_decode::hard_inputs;

    #[test]
    fn parts_are_smaller_and_can_lack_any_page() {
        let (_, frame) = &hard_inputs::all(1)[0];
        let pages = frame.pages.pages().len();
        let parts: Vec<_> = all(frame).map(|part| part.pages.pages().len()).collect();
        assert!(parts.iter().all(|left| *left < pages));
        assert!(parts.iter().filter(|left| **left == pages - 1).count() >= pages);
    }
}
