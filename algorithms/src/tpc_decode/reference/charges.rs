//! Positions and charges, entry by entry.

use std::ops::Range;

use generators::tpc::Digit;

use super::{Contested, DecodedPage};
use crate::all_cores::par_concat;
use crate::parallel::map;
use crate::tpc_decode::Decoded;
use crate::tpc_decode::charge_map::{Converter, Position};
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::input::TimeFrame;

/// Positions of all fragments; charges of the last one, whose maps are still in memory.
pub(super) fn of_pages(frame: &TimeFrame, pages: &[DecodedPage]) -> Decoded {
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
pub(super) fn contested(frame: &TimeFrame, pages: &[DecodedPage]) -> Contested {
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
