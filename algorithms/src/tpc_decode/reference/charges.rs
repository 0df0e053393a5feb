//! Positions and charges, entry by entry.

use std::collections::BTreeMap;

use super::DecodedPage;
use crate::tpc_decode::Decoded;
use crate::tpc_decode::charge_map::{Converter, Position};
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;

/// Positions of all fragments; charges of the last one, whose maps are still there.
pub(super) fn of_pages(frame: &TimeFrame, pages: &[DecodedPage]) -> Decoded {
    let fragments = Fragments::new(frame.settings.fragment);
    let mut positions = Vec::new();
    let mut maps = BTreeMap::new();
    for number in frame.fragments(pages.iter().map(|decoded| &decoded.page)) {
        maps.clear();
        let time_bins = fragments.time_bins(number);
        let touches = |page: &OpenPage| fragments.of(time_bins_of(page)).contains(&number);
        for DecodedPage { page, digits } in pages.iter().filter(|decoded| touches(&decoded.page)) {
            let converter = Converter::new(&frame.tables.gains, page.sector, page.format);
            for &digit in digits.iter().flatten() {
                if !time_bins.contains(&digit.time_bin()) {
                    positions.push(Position::OUTSIDE);
                    continue;
                }
                let local_time = digit.time_bin() - time_bins.start;
                let position = Position::new(digit.pad_id(), local_time);
                positions.push(position);
                let entry = (page.sector, position.index());
                maps.insert(entry, converter.charge(digit));
            }
        }
    }
    let charges = frame.sector_numbers().into_iter().map(|sector| {
        let all = maps.range((sector, 0)..(sector + 1, 0));
        let present = all.filter(|(_, charge)| **charge > 0);
        present
            .map(|(&(_, index), &charge)| (index as u32, charge))
            .collect()
    });
    Decoded {
        positions,
        charges: charges.collect(),
        ..Decoded::default()
    }
}
