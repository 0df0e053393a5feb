//! A memcpy for each piece of each array.

use generators::tpc::clusters::FIELDS;

use super::copy_part;
use crate::tpc_gather::packing::{Packing, Part};

pub(super) fn gather(packing: &Packing<'_>, output: &mut [u8]) {
    let whole = |field| Part {
        field,
        bytes: 0..packing.array(field).packed_bytes(),
    };
    let parts = (0..FIELDS.len()).map(whole).collect();
    for (part, to) in packing.hand_out(parts, output) {
        copy_part(packing.array(part.field), &part, to);
    }
}
