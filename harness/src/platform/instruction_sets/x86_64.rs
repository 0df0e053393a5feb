//! Instruction sets of x86-64, and their detection by `cpuid`.
//!
//! Registers are read one at a time with inline assembly: before `main` no instruction may be used
//! that might be missing, and compilers copy even four numbers with the widest instructions that
//! are enabled.

use std::arch::asm;

use super::features;

/// An output register of `cpuid`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Eax,
    Ebx,
    Ecx,
    Edx,
}

/// Register state that the system has to save for each thread, as reported in XCR0.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum SavedState {
    Nothing = 0,
    /// The registers of x87: XSAVE is in use at all.
    Xsave = 0x1,
    /// Registers of 256 bits.
    Ymm = 0x6,
    /// Registers of 512 bits, and masks.
    Zmm = 0xe6,
}

use Register::{Eax, Ebx, Ecx, Edx};
use SavedState::{Nothing, Xsave, Ymm, Zmm};

/// First extended leaf.
const EXTENDED: u32 = 0x8000_0000;

// Each with its leaf, subleaf, register and bit, and the state that the system has to save. Source:
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID; of the last two
// AMD64 Architecture Programmer's Manual, volume 3, appendix E.
features! { is_x86_feature_detected, has:
    "sse3"(1, 0, Ecx, 0, Nothing)
    "pclmulqdq"(1, 0, Ecx, 1, Nothing)
    "ssse3"(1, 0, Ecx, 9, Nothing)
    "fma"(1, 0, Ecx, 12, Ymm)
    "cmpxchg16b"(1, 0, Ecx, 13, Nothing)
    "sse4.1"(1, 0, Ecx, 19, Nothing)
    "sse4.2"(1, 0, Ecx, 20, Nothing)
    "movbe"(1, 0, Ecx, 22, Nothing)
    "popcnt"(1, 0, Ecx, 23, Nothing)
    "aes"(1, 0, Ecx, 25, Nothing)
    "xsave"(1, 0, Ecx, 26, Xsave)
    "avx"(1, 0, Ecx, 28, Ymm)
    "f16c"(1, 0, Ecx, 29, Ymm)
    "rdrand"(1, 0, Ecx, 30, Nothing)
    "bmi1"(7, 0, Ebx, 3, Nothing)
    "avx2"(7, 0, Ebx, 5, Ymm)
    "bmi2"(7, 0, Ebx, 8, Nothing)
    "avx512f"(7, 0, Ebx, 16, Zmm)
    "avx512dq"(7, 0, Ebx, 17, Zmm)
    "rdseed"(7, 0, Ebx, 18, Nothing)
    "adx"(7, 0, Ebx, 19, Nothing)
    "avx512ifma"(7, 0, Ebx, 21, Zmm)
    "avx512cd"(7, 0, Ebx, 28, Zmm)
    "sha"(7, 0, Ebx, 29, Nothing)
    "avx512bw"(7, 0, Ebx, 30, Zmm)
    "avx512vl"(7, 0, Ebx, 31, Zmm)
    "avx512vbmi"(7, 0, Ecx, 1, Zmm)
    "avx512vbmi2"(7, 0, Ecx, 6, Zmm)
    "gfni"(7, 0, Ecx, 8, Nothing)
    "vaes"(7, 0, Ecx, 9, Ymm)
    "vpclmulqdq"(7, 0, Ecx, 10, Ymm)
    "avx512vnni"(7, 0, Ecx, 11, Zmm)
    "avx512bitalg"(7, 0, Ecx, 12, Zmm)
    "avx512vpopcntdq"(7, 0, Ecx, 14, Zmm)
    "avx512vp2intersect"(7, 0, Edx, 8, Zmm)
    "avx512fp16"(7, 0, Edx, 23, Zmm)
    "avxvnni"(7, 1, Eax, 4, Ymm)
    "avx512bf16"(7, 1, Eax, 5, Zmm)
    "avxifma"(7, 1, Eax, 23, Ymm)
    "avxvnniint8"(7, 1, Edx, 4, Ymm)
    "avxneconvert"(7, 1, Edx, 5, Ymm)
    "xsaveopt"(0xd, 1, Eax, 0, Xsave)
    "xsavec"(0xd, 1, Eax, 1, Xsave)
    "xsaves"(0xd, 1, Eax, 3, Xsave)
    "lzcnt"(EXTENDED + 1, 0, Ecx, 5, Nothing)
    "sse4a"(EXTENDED + 1, 0, Ecx, 6, Nothing)
}

/// True if a bit is set, and the system saves the registers. Leaves after the last one return data
/// of other leaves, so the maximum is checked.
fn has(leaf: u32, subleaf: u32, register: Register, bit: u32, saved: SavedState) -> bool {
    cpuid(leaf & EXTENDED, 0, Eax) >= leaf
        && cpuid(leaf, subleaf, register) >> bit & 1 == 1
        && (saved == Nothing || is_saved(saved as u32))
}

fn is_saved(state: u32) -> bool {
    /// Bit of `cpuid` that reports that the system has enabled XCR0.
    const OSXSAVE: u32 = 27;
    if cpuid(1, 0, Ecx) >> OSXSAVE & 1 == 0 {
        return false;
    }
    let xcr0: u32;
    // SAFETY: OSXSAVE was checked, so the instruction exists; it changes only these registers.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0,
            out("eax") xcr0,
            out("edx") _,
            options(nomem, nostack, preserves_flags),
        );
    }
    xcr0 & state == state
}

fn cpuid(leaf: u32, subleaf: u32, register: Register) -> u32 {
    let mut eax = leaf;
    let mut ecx = subleaf;
    let (ebx, edx): (u64, u32);
    // SAFETY: all x86-64 processors have the instruction, which changes only these registers. The
    // compiler reserves rbx, so it is restored.
    unsafe {
        asm!(
            "mov {saved}, rbx",
            "cpuid",
            "xchg {saved}, rbx",
            saved = out(reg) ebx,
            inout("eax") eax,
            inout("ecx") ecx,
            out("edx") edx,
            options(nomem, nostack, preserves_flags),
        );
    }
    match register {
        Eax => eax,
        Ebx => ebx as u32,
        Ecx => ecx,
        Edx => edx,
    }
}
