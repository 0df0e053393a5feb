//! What x86-64 may have, and how `cpuid` is asked for it.
//!
//! It is asked in single registers, by hand: before `main` nothing may be used that might not be
//! there, and compilers copy even four numbers by the widest instructions that they were told of.

use std::arch::asm;

use super::features;

/// A register that `cpuid` answers in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Eax,
    Ebx,
    Ecx,
    Edx,
}

/// What the system has to keep for each thread, as it says in XCR0.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Kept {
    Nothing = 0,
    /// The registers of x87: that it keeps anything in this way.
    Xsave = 0x1,
    /// Registers of 256 bits.
    Ymm = 0x6,
    /// Registers of 512 bits, and masks.
    Zmm = 0xe6,
}

use Kept::{Nothing, Xsave, Ymm, Zmm};
use Register::{Eax, Ebx, Ecx, Edx};

/// The leaf from which on leaves are of vendors.
const EXTENDED: u32 = 0x8000_0000;

// Each with its leaf, subleaf, register and bit, and what the system has to keep. Source: Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 2A, CPUID; of the last two AMD64 Architecture Programmer's
// Manual, volume 3, appendix E.
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

/// Whether a bit is set, and the registers are kept. Leaves beyond the last one answer what others
/// do.
fn has(leaf: u32, subleaf: u32, register: Register, bit: u32, kept: Kept) -> bool {
    cpuid(leaf & EXTENDED, 0, Eax) >= leaf
        && cpuid(leaf, subleaf, register) >> bit & 1 == 1
        && (kept == Nothing || is_kept(kept as u32))
}

fn is_kept(state: u32) -> bool {
    /// The system has turned XCR0 on.
    const OSXSAVE: u32 = 27;
    if cpuid(1, 0, Ecx) >> OSXSAVE & 1 == 0 {
        return false;
    }
    let xcr0: u32;
    // SAFETY: the instruction is there, and changes these registers alone.
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
    let (mut eax, mut ecx) = (leaf, subleaf);
    let (ebx, edx): (u64, u32);
    // SAFETY: all x86-64 have the instruction, which changes these registers alone. The compiler
    // keeps rbx for itself: it is put back.
    unsafe {
        asm!(
            "mov {kept}, rbx",
            "cpuid",
            "xchg {kept}, rbx",
            kept = out(reg) ebx,
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
