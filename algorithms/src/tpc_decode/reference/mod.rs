//! Slow and simple reference: a reader with a cursor, and one file for each layout.

mod charges;
mod dense;
mod link;
mod reader;
mod row;

use std::collections::BTreeMap;

use generators::tpc::{Digit, Layout, PadId, PadMapping};

use super::Decoded;
use super::damage::{Damage, DamagedPage};
use super::header::OpenPage;
use super::input::{Output, TimeFrame};
use super::payload::Payload;
use crate::all_cores::par_concat;
use crate::parallel::{Grain, collect};
use reader::Reader;

/// A page with valid headers, and its digits if the payload is valid too.
struct DecodedPage {
    page: OpenPage,
    digits: Option<Vec<Digit>>,
}

/// The expected output for a time frame.
pub(super) fn decode(frame: &TimeFrame) -> Decoded {
    match frame.settings.output {
        Output::Digits => decode_digits(frame),
        Output::ChargeMap => {
            let (pages, damaged) = decode_pages(frame);
            Decoded { damaged, ..charges::of_pages(frame, &pages) }
        }
    }
}

/// The digits of a time frame, regardless of its output setting.
pub(super) fn decode_digits(frame: &TimeFrame) -> Decoded {
    let (pages, damaged) = decode_pages(frame);
    let digits = pages.iter().filter_map(|page| page.digits.as_deref());
    Decoded { digits: par_concat(&digits.collect::<Vec<_>>()), damaged, ..Decoded::default() }
}

/// The charges of contested entries in the maps of the last fragment, which several samples claim,
/// by sector and index.
pub(super) type Contested = BTreeMap<(u8, u32), Vec<u16>>;

/// Contested entries in the maps of a time frame: those with several samples.
pub(super) fn contested(frame: &TimeFrame) -> Contested {
    charges::contested(frame, &decode_pages(frame).0)
}

/// All pages with valid headers, and all that are damaged, in order: pages are independent, and
/// processed in parallel.
fn decode_pages(frame: &TimeFrame) -> (Vec<DecodedPage>, Vec<DamagedPage>) {
    let looked_at = collect(frame.pages.pages().len(), Grain::Adaptive, |pages| {
        let mut payload = Payload::new();
        pages.map(move |index| look_at(frame, index, &mut payload))
    });
    let mut decoded = Vec::new();
    let mut damaged = Vec::new();
    for (page, damage) in looked_at {
        decoded.extend(page);
        damaged.extend(damage);
    }
    (decoded, damaged)
}

/// Decodes a page by its index, and reports its damage.
fn look_at(
    frame: &TimeFrame,
    index: usize,
    payload: &mut Payload,
) -> (Option<DecodedPage>, Option<DamagedPage>) {
    let page = match frame.open(index) {
        Ok(Some(page)) => page,
        Ok(None) => return (None, None),
        Err(damage) => return (None, Some(frame.damaged(index, damage))),
    };
    let pages = frame.pages.pages();
    payload.fill(&page, &pages[index], pages.get(index + 1));
    let digits = decode_page(&page, payload, &frame.tables.mapping);
    let damage = digits.as_ref().err();
    let damaged = damage.map(|damage| frame.damaged(index, *damage));
    let digits = digits.ok();
    (Some(DecodedPage { page, digits }), damaged)
}

/// The digits of a page, if it is completely valid.
pub(super) fn decode_page(
    page: &OpenPage,
    payload: &Payload,
    mapping: &PadMapping,
) -> Result<Vec<Digit>, Damage> {
    let mut reader = Reader::new(page, payload);
    let mut digits = Vec::with_capacity(page.samples.into());
    match page.format.layout() {
        Layout::Row => row::decode(page, &mut reader, &mut digits),
        Layout::Link => link::decode(page, &mut reader, mapping, &mut digits),
        Layout::DenseLink => dense::decode(page, &mut reader, mapping, &mut digits),
    }?;
    if digits.len() == usize::from(page.samples) {
        Ok(digits)
    } else {
        Err(page.wrong_samples(digits.len()))
    }
}

/// The indices of the bits that are set, ascending.
#[inline]
fn set_bits(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// Appends a digit for each pad of a time bin, with the sample of the same index.
#[inline]
fn append(
    digits: &mut Vec<Digit>,
    page: &OpenPage,
    time_bin: u32,
    pads: &[PadId],
    sample: impl Fn(usize) -> u16,
) {
    let numbered = pads.iter().enumerate();
    digits.extend(
        numbered.map(|(index, &pad)| Digit::new(page.sector, pad, time_bin, sample(index))),
    );
}
