//! Random damage, of kinds that are difficult for decoders.

use generators::random::mix;
use generators::tpc::page::{PAGE_BYTES, Page};

/// Fields of the RDH that are checked: sizes, sender, link, orbit, counter, detector field.
const RDH_FIELDS: [usize; 14] = [0, 1, 2, 3, 10, 11, 12, 20, 21, 22, 23, 36, 37, 48];
const MEMORY_SIZE: usize = 10;
const HEADER_BYTES: usize = 16;
const RDH_BYTES: usize = 64;
/// The longest run of bytes that is overwritten at once.
const RUN: usize = 48;

/// Random damage from a seed.
pub(super) struct Mutator {
    seed: u64,
    drawn: u64,
}

impl Mutator {
    pub(super) fn new(seed: u64) -> Self {
        Mutator { seed, drawn: 0 }
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.drawn += 1;
        let random = mix(self.seed ^ mix(self.drawn));
        ((u128::from(random) * limit as u128) >> 64) as usize
    }

    /// Damages a page at one to three offsets.
    pub(super) fn damage(&mut self, page: &mut Page) {
        for _ in 0..=self.below(3) {
            self.edit(page);
        }
    }

    fn edit(&mut self, page: &mut Page) {
        let used = u16::from_le_bytes([page[MEMORY_SIZE], page[MEMORY_SIZE + 1]]);
        let used = usize::from(used).clamp(RDH_BYTES + HEADER_BYTES, PAGE_BYTES);
        let behind = used - HEADER_BYTES;
        match self.below(8) {
            0 => self.flip_bit(page, 0, used),
            1 => self.flip_bit(page, RDH_BYTES, HEADER_BYTES),
            2 => self.flip_bit(page, behind, HEADER_BYTES),
            3 => {
                let field = RDH_FIELDS[self.below(RDH_FIELDS.len())];
                self.flip_bit(page, field, 1);
            }
            4 => {
                let offset = self.below(used);
                page[offset] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)];
            }
            5 => {
                let offset = RDH_BYTES + self.below(used - RDH_BYTES);
                page[offset] = self.below(256) as u8;
            }
            6 => self.overwrite_run(page, used),
            _ => {
                let size = (self.below(PAGE_BYTES / 16 + 2) * 16) as u16;
                page[MEMORY_SIZE..MEMORY_SIZE + 2].copy_from_slice(&size.to_le_bytes());
            }
        }
    }

    fn flip_bit(&mut self, page: &mut Page, start: usize, length: usize) {
        let byte = start + self.below(length);
        page[byte] ^= 1 << self.below(8);
    }

    /// Overwrites bytes with those from another offset of the page, or with zeros.
    fn overwrite_run(&mut self, page: &mut Page, used: usize) {
        let length = 1 + self.below(RUN);
        let target = self.below(used).min(PAGE_BYTES - length);
        let source = self.below(used).min(PAGE_BYTES - length);
        if self.below(2) == 0 {
            page[target..target + length].fill(0);
        } else {
            page.copy_within(source..source + length, target);
        }
    }
}
