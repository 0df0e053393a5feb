//! Vendor of the processor, for choices that instruction sets do not determine.

/// True if AMD made this processor.
#[cfg(target_arch = "x86_64")]
pub fn is_amd() -> bool {
    use std::sync::LazyLock;
    // Under a hypervisor the CPUID instruction takes as long as thousands of others.
    static IS_AMD: LazyLock<bool> = LazyLock::new(|| {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx] == ["Auth", "enti", "cAMD"].map(word)
    });
    *IS_AMD
}

/// False: AMD makes processors of x86-64 only.
#[cfg(not(target_arch = "x86_64"))]
pub fn is_amd() -> bool {
    false
}

/// Four letters as CPUID returns them.
#[cfg(target_arch = "x86_64")]
fn word(letters: &str) -> u32 {
    letters.bytes().rev().fold(0, |word, letter| word << 8 | u32::from(letter))
}
