//! Reasons for pages that were rejected without one: the reference finds the damage.

use super::damage::{Damage, DamagedPage, Expected, Field};
use super::input::TimeFrame;
use super::payload::Payload;
use super::reference;
use crate::parallel::map;

/// Damages of the pages with this verdict, among those from a first one on.
pub(super) fn damaged(
    frame: &TimeFrame,
    first: usize,
    verdicts: &[u8],
    rejected: u8,
) -> Vec<DamagedPage> {
    let pages = (first..).zip(verdicts);
    let pages = pages.filter(|(_, verdict)| **verdict == rejected);
    map(pages, |(page, _)| frame.damaged(page, damage_of(frame, page)))
}

fn damage_of(frame: &TimeFrame, index: usize) -> Damage {
    let page = match frame.open(index) {
        Ok(Some(page)) => page,
        Ok(None) => return accepted_by_reference(),
        Err(damage) => return damage,
    };
    let pages = frame.pages.pages();
    let mut payload = Payload::new();
    payload.fill(&page, &pages[index], pages.get(index + 1));
    match reference::decode_page(&page, &payload, &frame.tables.mapping) {
        Ok(_) => accepted_by_reference(),
        Err(damage) => damage,
    }
}

/// Damage for a page that the reference accepts and a decoder rejects, so that the check fails.
fn accepted_by_reference() -> Damage {
    let expected = Expected::Words("damage, as the reference finds none");
    Damage::new(0, Field::End, 0_u8, expected)
}
