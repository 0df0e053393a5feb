//! Comparison of the output with the reference, which also finds the reason of a rejected page.

use std::fmt::Debug;

use generators_tpc::Digit;
use parallel::{first_difference, first_error, first_where, map, sorted};

use super::charge_map::Position;
use super::damage::{Damage, DamagedPage, Expected, Field};
use super::header::Payload;
use super::input::TimeFrame;
use super::{Decoded, reference};
use tasks::algorithm::{Choose, Mutants, mutants};

/// Differences between output and reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The number of samples differs from that of the pages.
    #[error("{found} samples instead of {expected}")]
    Count {
        /// Number of samples of the reference.
        expected: usize,
        /// Number of samples of the output.
        found: usize,
    },
    /// A digit or position differs from the reference.
    #[error("{what} {index}: {found} instead of {expected}")]
    Sample {
        /// Name of the list.
        what: &'static str,
        /// Its index, over all fragments.
        index: usize,
        /// Value of the reference.
        expected: String,
        /// Value of the output.
        found: String,
    },
    /// A charge in the map differs from the reference.
    #[error("sector {sector} of the input: wrong charges in its map")]
    Charges {
        /// The index of the sector, in the order of the pages.
        sector: usize,
    },
    /// The rejection of a page differs from the reference, or its reason.
    #[error("damaged page {number}: {} instead of {}", words(.found), words(.expected))]
    Damage {
        /// Its index among the damaged pages.
        number: usize,
        /// Value of the reference.
        expected: Option<Box<DamagedPage>>,
        /// Value of the output.
        found: Option<Box<DamagedPage>>,
    },
}

fn words(damaged: &Option<Box<DamagedPage>>) -> String {
    let words = |page: &DamagedPage| page.to_string();
    damaged.as_deref().map_or("none".to_owned(), words)
}

/// Compares with the reference; the samples in any order, unless the order of the pages is
/// promised.
pub(super) fn same(
    frame: &TimeFrame,
    reference: &Decoded,
    output: &Decoded,
    in_order_of_pages: bool,
) -> Result<(), Mismatch> {
    same_damage(&reference.damaged, &output.damaged)?;
    let digits = &reference.digits;
    let positions = &reference.positions;
    same_samples("digit", digits, &output.digits, in_order_of_pages)?;
    same_samples("position", positions, &output.positions, in_order_of_pages)?;
    same_charges(frame, &reference.charges, &output.charges)
}

/// Entries of a map that are not 0.
type Charges = Vec<(u32, u16)>;

/// Compares maps. Of samples with the same pad and time bin, which damaged and repeated pages can
/// have, any one may be in the map: their order is not specified.
fn same_charges(
    frame: &TimeFrame,
    expected: &[Charges],
    found: &[Charges],
) -> Result<(), Mismatch> {
    same_length(expected.len(), found.len())?;
    let differ = |sector: &usize| {
        let expected = &expected[*sector];
        let found = &found[*sector];
        expected.len() != found.len() || first_difference(expected, found).is_some()
    };
    let differing: Vec<_> = (0..found.len()).filter(differ).collect();
    if differing.is_empty() {
        return Ok(());
    }
    let sectors = frame.sector_numbers();
    let contested = reference::contested(frame);
    first_error(differing.len(), |number| {
        let sector = differing[number];
        let of_sector = |entry| contested.get(&(sectors[sector], entry));
        let certain = |charges: &Charges| -> Charges {
            let all = charges.iter().copied();
            all.filter(|(entry, _)| of_sector(*entry).is_none()).collect()
        };
        let claimed = contested.range((sectors[sector], 0)..=(sectors[sector], u32::MAX));
        let has_a_claim = |((_, entry), claims): (&(u8, u32), &Vec<u16>)| {
            // Entries that are not listed are 0.
            let there = found[sector].iter().filter(|(other, _)| other == entry);
            let charges: Vec<_> = there.map(|(_, charge)| *charge).collect();
            match charges[..] {
                [] => claims.contains(&0),
                [charge] => charge > 0 && claims.contains(&charge),
                _ => false,
            }
        };
        let is_right = certain(&expected[sector]) == certain(&found[sector])
            && claimed.into_iter().all(has_a_claim);
        is_right.then_some(()).ok_or(Mismatch::Charges { sector })
    })
}

fn same_length(expected: usize, found: usize) -> Result<(), Mismatch> {
    if expected == found { Ok(()) } else { Err(Mismatch::Count { expected, found }) }
}

/// Compares two lists in their order, and, if they differ and may be in any order, sorted.
fn same_samples<T: Copy + Debug + Ord + Send + Sync>(
    what: &'static str,
    expected: &[T],
    found: &[T],
    in_order: bool,
) -> Result<(), Mismatch> {
    let same = same_list(what, expected, found);
    if in_order {
        return same;
    }
    same.or_else(|_| same_list(what, &sorted(expected), &sorted(found)))
}

fn same_damage(expected: &[DamagedPage], found: &[DamagedPage]) -> Result<(), Mismatch> {
    let differs = |number: usize| expected.get(number) != found.get(number);
    match first_where(expected.len().max(found.len()), differs) {
        None => Ok(()),
        Some(number) => Err(Mismatch::Damage {
            number,
            expected: expected.get(number).copied().map(Box::new),
            found: found.get(number).copied().map(Box::new),
        }),
    }
}

fn same_list<T: Debug + PartialEq + Sync>(
    what: &'static str,
    expected: &[T],
    found: &[T],
) -> Result<(), Mismatch> {
    same_length(expected.len(), found.len())?;
    match first_difference(expected, found) {
        None => Ok(()),
        Some(index) => Err(Mismatch::Sample {
            what,
            index,
            expected: format!("{:?}", expected[index]),
            found: format!("{:?}", found[index]),
        }),
    }
}

/// Copies of the output, each with an element of one list changed.
pub(super) fn mutants(right: &Decoded, choose: Choose<'_>) -> Mutants<Decoded> {
    let digits = mutants::of_list(&right.digits, choose, |digit, choose| {
        Digit::from_bits(digit.bits() ^ 1 << choose(64))
    });
    let positions = mutants::of_list(&right.positions, choose, |position, _| Position {
        time: position.time ^ 1,
        ..*position
    });
    let damaged = mutants::of_list(&right.damaged, choose, |page, _| DamagedPage {
        page: page.page ^ 1,
        ..*page
    });
    let filled = (0..right.charges.len()).filter(|&at| !right.charges[at].is_empty());
    let filled: Vec<_> = filled.collect();
    let mut all = Mutants::new();
    all.extend(mutants::inside(right, digits, |all, digits| all.digits = digits));
    all.extend(mutants::inside(right, positions, |all, positions| all.positions = positions));
    all.extend(mutants::inside(right, damaged, |all, damaged| all.damaged = damaged));
    if filled.is_empty() {
        return all;
    }
    let sector = filled[choose(filled.len())];
    // A value that no other sample of a contested entry has.
    let far_off = |(entry, charge): &(u32, u16), _: Choose<'_>| (*entry, charge ^ 0x8000);
    let charges = mutants::of_list(&right.charges[sector], choose, far_off);
    all.extend(mutants::inside(right, charges, |all, charges| all.charges[sector] = charges));
    all
}

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

#[cfg(test)]
mod tests {
    use parallel::testing::{test_indices, with_all_pools};

    use super::*;
    use crate::tpc_decode::hard_inputs;
    use crate::tpc_decode::input::Output;

    fn digits() -> Vec<Digit> {
        (0..150_000).map(|bits| Digit::from_bits(bits << 8)).collect()
    }

    #[test]
    fn first_wrong_digit_is_reported() {
        let expected = digits();
        let (_, frame) = hard_inputs::all(1).swap_remove(0);
        let of = |digits: &[Digit]| Decoded { digits: digits.to_vec(), ..Decoded::default() };
        let checked = |expected: &[Digit], found: &[Digit], in_order| {
            with_all_pools(|| same(&frame, &of(expected), &of(found), in_order))
        };
        let reported_index = |found: &[Digit], in_order| match checked(&expected, found, in_order) {
            Err(Mismatch::Sample { index, .. }) => Some(index),
            _ => None,
        };
        let mut all_wrong = expected.clone();
        for index in test_indices(expected.len()) {
            let changed_bits = expected[index].bits() ^ 1;
            let mut changed = expected.clone();
            changed[index] = Digit::from_bits(changed_bits);
            assert_eq!(reported_index(&changed, true), Some(index));
            assert_eq!(reported_index(&changed, false), Some(index));
            all_wrong[index] = changed[index];
            let mut lost = changed.clone();
            lost.remove(index);
            let found = checked(&expected, &lost, false);
            assert!(matches!(found, Err(Mismatch::Count { .. })));
            let other = if index > 0 { index - 1 } else { 1 };
            let mut doubled = expected.clone();
            doubled[index] = doubled[other];
            assert!(reported_index(&doubled, false).is_some());
            let mut swapped = expected.clone();
            swapped.swap(index, other);
            assert_eq!(reported_index(&swapped, true), Some(index.min(other)));
            assert_eq!(checked(&expected, &swapped, false), Ok(()));
        }
        assert_eq!(reported_index(&all_wrong, true), Some(0));
    }

    #[test]
    fn a_wrong_position_is_found() {
        let positions = |time: i16| Decoded {
            positions: vec![Position { column: 8, time }; 100_000],
            ..Decoded::default()
        };
        let (_, frame) = hard_inputs::all(1).swap_remove(0);
        let mut found = positions(5);
        found.positions[99_999].time = 6;
        let checked = with_all_pools(|| same(&frame, &positions(5), &found, true));
        let checked = checked.expect_err("another time").to_string();
        assert!(checked.starts_with("position 99999: "), "{checked}");
    }

    /// A charge that no other sample may have written has to be equal; missing damaged pages are
    /// detected too.
    #[test]
    fn wrong_charge_and_missing_page_are_found() {
        let mut charges = 0;
        let mut pages = 0;
        for (name, frame) in hard_inputs::all(1) {
            let right = with_all_pools(|| reference::decode(&frame));
            assert_eq!(same(&frame, &right, &right, true), Ok(()), "{name}");
            if !right.damaged.is_empty() {
                let mut wrong = right.clone();
                wrong.damaged.pop();
                let found = same(&frame, &right, &wrong, true);
                assert!(matches!(found, Err(Mismatch::Damage { .. })), "{name}");
                pages += 1;
            }
            let contested = reference::contested(&frame);
            if frame.settings.output != Output::ChargeMap || !contested.is_empty() {
                continue;
            }
            for sector in (0..right.charges.len()).filter(|&at| !right.charges[at].is_empty()) {
                let mut wrong = right.clone();
                wrong.charges[sector][0].1 ^= 1;
                let found = with_all_pools(|| same(&frame, &right, &wrong, true));
                assert_eq!(found, Err(Mismatch::Charges { sector }), "{name}");
                let mut lost = right.clone();
                lost.charges[sector].pop();
                assert!(same(&frame, &right, &lost, true).is_err(), "{name}");
                charges += 1;
            }
        }
        assert!(charges > 0 && pages > 0, "{charges} maps, {pages} pages");
    }
}
