//! Who made the processor, for what no instruction set tells.

/// Whether AMD made this processor.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_amd() -> bool {
    use std::sync::LazyLock;
    // Where a hypervisor answers, asking takes as long as thousands of other instructions.
    static IS_AMD: LazyLock<bool> = LazyLock::new(|| {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx] == ["Auth", "enti", "cAMD"].map(word)
    });
    *IS_AMD
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn is_amd() -> bool {
    false
}

/// Four letters as processors give them.
#[cfg(target_arch = "x86_64")]
fn word(letters: &str) -> u32 {
    letters.bytes().rev().fold(0, |word, letter| word << 8 | u32::from(letter))
}
