//! Slow and simple reference: a reader with a cursor; `layouts` decodes those of pages.

mod layouts;

use std::collections::BTreeMap;
use std::ops::Range;

use generators_tpc::{Digit, Layout, PadId, PadMapping};
use parallel::{Grain, collect, map, par_concat};

use super::Decoded;
use super::charge_map::{Converter, Position};
use super::damage::{Damage, DamagedPage, Expected, Field};
use super::fragments::{Fragments, time_bins_of};
use super::header::{OpenPage, Payload};
use super::input::{Output, TimeFrame};

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
            Decoded { damaged, ..of_pages(frame, &pages) }
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
    contested_among(frame, &decode_pages(frame).0)
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
        Layout::Row => layouts::decode_rows(page, &mut reader, &mut digits),
        Layout::Link => layouts::decode_links(page, &mut reader, mapping, &mut digits),
        Layout::DenseLink => layouts::decode_dense_links(page, &mut reader, mapping, &mut digits),
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

/// A cursor in a payload.
struct Reader<'a> {
    page: &'a OpenPage,
    bytes: &'a [u8],
    /// Bytes from the beginning of the page.
    position: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of a page's payload.
    fn new(page: &'a OpenPage, payload: &'a Payload) -> Self {
        Reader { page, bytes: &payload.bytes()[..page.joined_end()], position: page.start }
    }

    /// The next bytes.
    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let start = self.position;
        let bytes = self.bytes.get(start..start + length).ok_or_else(|| {
            let expected = Expected::AtMost(self.bytes.len() as u64);
            self.page.damage(start, Field::End, (start + length) as u64, expected)
        })?;
        self.position += length;
        Ok(bytes)
    }

    /// The next byte.
    #[inline]
    fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// The next two bytes as a number.
    #[inline]
    fn u16(&mut self) -> Result<u16, Damage> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// The next bytes as a stream of packed numbers, the lowest bit of the first byte first.
    #[inline]
    fn packed(&mut self, count: usize, bits: usize) -> Result<Packed<'a>, Damage> {
        let bytes = self.take((count * bits).div_ceil(8))?;
        Ok(Packed { bytes, bits })
    }
}

/// Packed numbers of `bits` bits each.
struct Packed<'a> {
    bytes: &'a [u8],
    bits: usize,
}

impl Packed<'_> {
    /// Returns a number by its index.
    #[inline]
    fn get(&self, index: usize) -> u16 {
        let first_bit = index * self.bits;
        let byte = first_bit / 8;
        // Numbers have 12 bits at most, and start at an even bit: two bytes contain them.
        let word = u16::from_le_bytes([self.bytes[byte], self.bytes[byte + 1]]);
        word >> (first_bit % 8) & ((1 << self.bits) - 1)
    }
}

/// Positions of all fragments; charges of the last one, whose maps are still in memory.
fn of_pages(frame: &TimeFrame, pages: &[DecodedPage]) -> Decoded {
    let fragments = Fragments::new(frame.settings.fragment);
    let mut positions = Vec::new();
    let indices = frame.fragments(pages.iter().map(|decoded| &decoded.page));
    for &number in &indices {
        let time_bins = fragments.time_bins(number);
        let touches = |decoded: &&DecodedPage| {
            let own = time_bins_of(&decoded.page);
            fragments.touching(own).contains(&number)
        };
        let position = |digit: &Digit| position_of(digit, &time_bins).unwrap_or(Position::OUTSIDE);
        positions.extend(map(pages.iter().filter(touches), |decoded| {
            decoded.digits.iter().flatten().map(position).collect::<Vec<_>>()
        }));
    }
    let charges = map(frame.sector_numbers(), |sector| match indices.last() {
        Some(&last) => map_of(frame, pages, sector, fragments.time_bins(last)),
        None => Vec::new(),
    });
    let positions: Vec<_> = positions.iter().map(Vec::as_slice).collect();
    Decoded { positions: par_concat(&positions), charges, ..Decoded::default() }
}

/// Position of a digit in the map of a fragment, if it is inside.
fn position_of(digit: &Digit, time_bins: &Range<u32>) -> Option<Position> {
    let is_in = time_bins.contains(&digit.time_bin());
    is_in.then(|| Position::new(digit.pad_id(), digit.time_bin() - time_bins.start))
}

/// The entries of a sector's map that are not 0: of samples with the same pad and time bin, the
/// last one.
fn map_of(
    frame: &TimeFrame,
    pages: &[DecodedPage],
    sector: u8,
    time_bins: Range<u32>,
) -> Vec<(u32, u16)> {
    let mut written = Vec::new();
    for DecodedPage { page, digits } in pages.iter().filter(|other| other.page.sector == sector) {
        let converter = Converter::new(&frame.tables.gains, page.sector, page.format);
        for digit in digits.iter().flatten() {
            if let Some(position) = position_of(digit, &time_bins) {
                written.push((position.index() as u32, converter.charge(*digit)));
            }
        }
    }
    // A stable sort keeps the order of writes.
    written.sort_by_key(|&(entry, _)| entry);
    let of_entry = written.chunk_by(|(entry, _), (next, _)| entry == next);
    let last = of_entry.filter_map(|writes| writes.last().copied());
    last.filter(|&(_, charge)| charge > 0).collect()
}

/// Entries of the maps of the last fragment that several samples claim, with their charges.
fn contested_among(frame: &TimeFrame, pages: &[DecodedPage]) -> Contested {
    let indices = frame.fragments(pages.iter().map(|decoded| &decoded.page));
    let Some(&last) = indices.last() else {
        return Contested::new();
    };
    let time_bins = Fragments::new(frame.settings.fragment).time_bins(last);
    let claims_of = |DecodedPage { page, digits }: &DecodedPage| {
        let converter = Converter::new(&frame.tables.gains, page.sector, page.format);
        let claim = |digit: &Digit| {
            let entry = position_of(digit, &time_bins)?.index() as u32;
            Some(((page.sector, entry), converter.charge(*digit)))
        };
        let claims: Vec<_> = digits.iter().flatten().filter_map(claim).collect();
        claims
    };
    let mut claims = map(pages, claims_of).concat();
    claims.sort_unstable();
    let of_entry = claims.chunk_by(|(entry, _), (next, _)| entry == next);
    let several = of_entry.filter(|claims| claims.len() > 1);
    let charges = |claims: &[(_, u16)]| claims.iter().map(|(_, charge)| *charge).collect();
    several.map(|claims| (claims[0].0, charges(claims))).collect()
}
