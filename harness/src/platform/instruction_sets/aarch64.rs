//! Instruction sets of aarch64, and their detection by kernel flags.

use super::features;

// Each with the word and bit of the kernel's flags; libc names those of the first word. Source:
// Linux, Documentation/arch/arm64/elf_hwcaps.rst and arch/arm64/include/uapi/asm/hwcap.h.
#[cfg(target_os = "linux")]
features! { is_aarch64_feature_detected, has:
    "aes"(libc::AT_HWCAP, libc::HWCAP_AES)
    "crc"(libc::AT_HWCAP, libc::HWCAP_CRC32)
    "dotprod"(libc::AT_HWCAP, libc::HWCAP_ASIMDDP)
    "dpb"(libc::AT_HWCAP, libc::HWCAP_DCPOP)
    "fcma"(libc::AT_HWCAP, libc::HWCAP_FCMA)
    "fp16"(libc::AT_HWCAP, libc::HWCAP_FPHP)
    "jsconv"(libc::AT_HWCAP, libc::HWCAP_JSCVT)
    "lse"(libc::AT_HWCAP, libc::HWCAP_ATOMICS)
    "lse2"(libc::AT_HWCAP, libc::HWCAP_USCAT)
    "paca"(libc::AT_HWCAP, libc::HWCAP_PACA)
    "pacg"(libc::AT_HWCAP, libc::HWCAP_PACG)
    "rcpc"(libc::AT_HWCAP, libc::HWCAP_LRCPC)
    "rcpc2"(libc::AT_HWCAP, libc::HWCAP_ILRCPC)
    "rdm"(libc::AT_HWCAP, libc::HWCAP_ASIMDRDM)
    "sha2"(libc::AT_HWCAP, libc::HWCAP_SHA2)
    "sha3"(libc::AT_HWCAP, libc::HWCAP_SHA3)
    "sve"(libc::AT_HWCAP, libc::HWCAP_SVE)
    "sve2"(libc::AT_HWCAP2, 1 << 1)
    "i8mm"(libc::AT_HWCAP2, 1 << 13)
    "bf16"(libc::AT_HWCAP2, 1 << 14)
    "rand"(libc::AT_HWCAP2, 1 << 16)
}

#[cfg(not(target_os = "linux"))]
pub(super) const FEATURES: &[super::Feature] = &[];

#[cfg(target_os = "linux")]
fn has(word: libc::c_ulong, bit: libc::c_ulong) -> bool {
    // SAFETY: the call takes an integer, and reads a table that the kernel provided for this
    // process.
    unsafe { libc::getauxval(word) & bit != 0 }
}
