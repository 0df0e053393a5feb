//! Instructions of arm64: 4 bytes each.

use super::program::{Reference, Scan};

/// Page address in each register, if known.
type Pages = [Option<u64>; 32];

/// Reads a function that starts at this address.
pub(super) fn scan(code: &[u8], address: u64) -> Scan {
    let inside = address..address + code.len() as u64;
    let mut scan = Scan::default();
    let mut pages: Pages = [None; 32];
    let (words, rest) = code.as_chunks::<4>();
    for (number, bytes) in words.iter().enumerate() {
        let word = u32::from_le_bytes(*bytes);
        let here = address + 4 * number as u64;
        let found = refers(word, here, &mut pages);
        let (mask, reference) = found.unwrap_or((0, None));
        let is_inside = reference.is_some_and(|reference| inside.contains(&reference.address()));
        let kept = if is_inside { word } else { word & !mask };
        scan.code.extend(kept.to_le_bytes());
        scan.references.extend(reference.filter(|_| !is_inside));
    }
    scan.code.extend(rest);
    scan
}

/// Mask of the address-dependent bits of an instruction, and its reference.
fn refers(word: u32, here: u64, pages: &mut Pages) -> Option<(u32, Option<Reference>)> {
    let to = (word & 0x1f) as usize;
    let from = (word >> 5 & 0x1f) as usize;
    // b, bl
    if word & 0x7c00_0000 == 0x1400_0000 {
        let target = here.wrapping_add_signed(signed(word & 0x03ff_ffff, 26) * 4);
        return Some((0x03ff_ffff, Some(Reference::Address(target))));
    }
    // adr, adrp
    if word & 0x1f00_0000 == 0x1000_0000 {
        let distance = signed((word >> 5 & 0x7_ffff) << 2 | word >> 29 & 3, 21);
        let is_page = word >> 31 == 1;
        pages[to] = is_page.then(|| (here & !0xfff).wrapping_add_signed(distance << 12));
        let target = (!is_page).then(|| Reference::Address(here.wrapping_add_signed(distance)));
        return Some((0x60ff_ffe0, target));
    }
    let page = pages[from];
    let offset = u64::from(word >> 10 & 0xfff);
    // add to, from, #offset
    if word & 0xffc0_0000 == 0x9100_0000 {
        pages[to] = None;
        return page.map(|page| (0x003f_fc00, Some(Reference::Address(page + offset))));
    }
    // ldr, str with an offset in units of their size
    if word & 0x3b00_0000 == 0x3900_0000 {
        let is_wide = word & 0x0480_0000 == 0x0480_0000;
        let shift = (word >> 30) + if is_wide { 4 } else { 0 };
        let is_load = word & 0x00c0_0000 != 0;
        if is_load && word & 0x0400_0000 == 0 {
            pages[to] = None;
        }
        let reference = |page| Reference::Bytes(page + (offset << shift), 1 << shift);
        return page.map(|page| (0x003f_fc00, Some(reference(page))));
    }
    // All others write their lowest register.
    pages[to] = None;
    None
}

fn signed(value: u32, bits: u32) -> i64 {
    let unused = 64 - bits;
    (i64::from(value) << unused) >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(address: u64, callee: u64, table: u64) -> Vec<u8> {
        let branch = |index: u64, target: u64| {
            let distance = target.wrapping_sub(address + 4 * index) as i64 / 4;
            distance as u32 & 0x03ff_ffff
        };
        let pages = ((table >> 12) as i64 - ((address + 4) >> 12) as i64) as u32;
        let low = (table & 0xfff) as u32;
        let words: [u32; 8] = [
            // bl callee
            0x9400_0000 | branch(0, callee),
            // adrp x3, table; add x4, x3, #low; ldr q1, [x3, #low]
            0x9000_0003 | (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5,
            0x9100_0064 | low << 10,
            0x3dc0_0061 | (low >> 4) << 10,
            // mov x3, x9; ldr x5, [x3, #16]: x3 no longer holds a page
            0xaa09_03e3,
            0xf940_0865,
            // b to the next instruction; ret
            0x1400_0001,
            0xd65f_03c0,
        ];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn code_that_moved_is_the_same_code() {
        let here = scan(&function(0x1000, 0x8000, 0x4_5670), 0x1000);
        let there = scan(&function(0x92_0000, 0x400, 0x10), 0x92_0000);
        assert_eq!(here.code, there.code);
        let expected = [
            Reference::Address(0x8000),
            Reference::Address(0x4_5670),
            Reference::Bytes(0x4_5670, 16),
        ];
        assert_eq!(here.references, expected);
        let expected = [0x400, 0x10].map(Reference::Address);
        assert_eq!(there.references[..2], expected);
    }

    #[test]
    fn what_is_in_the_function_counts() {
        let code = function(0x1000, 0x8000, 0x4_5670);
        let masked = scan(&code, 0x1000).code;
        // A register of the addition, the offset without a page, the jump within.
        for changed in [8, 21, 24] {
            let mut other = code.clone();
            other[changed] ^= 4;
            assert_ne!(scan(&other, 0x1000).code, masked, "byte {changed}");
        }
    }
}
