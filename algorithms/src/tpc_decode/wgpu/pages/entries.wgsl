// Charges in maps with two in a word: `entries`, initially zero. Of two samples with the same pad
// and time bin, which damaged and repeated pages can have, one is stored, never a mixture.

fn put_entry(at: u32, charge: u32) {
    let shift = at % 2u * 16u;
    var before = atomicOr(&entries[at / 2u], charge << shift);
    if (before >> shift & 0xffffu) == 0u { return; }
    before = atomicLoad(&entries[at / 2u]);
    for (var is_there = false; !is_there;) {
        let after = (before & ~(0xffffu << shift)) | charge << shift;
        let tried = atomicCompareExchangeWeak(&entries[at / 2u], before, after);
        before = tried.old_value;
        is_there = tried.exchanged;
    }
}
