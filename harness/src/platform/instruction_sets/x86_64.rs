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

use Register::{Eax, Ebx, Ecx, Edx};

/// The leaf from which on leaves are of vendors.
const EXTENDED: u32 = 0x8000_0000;

// Each with its leaf, subleaf, register and bit. Source: Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 2A, CPUID; of the last two AMD64 Architecture Programmer's
// Manual, volume 3, appendix E.
features! { is_x86_feature_detected, has:
    "sse3"(1, 0, Ecx, 0)
    "pclmulqdq"(1, 0, Ecx, 1)
    "ssse3"(1, 0, Ecx, 9)
    "fma"(1, 0, Ecx, 12)
    "cmpxchg16b"(1, 0, Ecx, 13)
    "sse4.1"(1, 0, Ecx, 19)
    "sse4.2"(1, 0, Ecx, 20)
    "movbe"(1, 0, Ecx, 22)
    "popcnt"(1, 0, Ecx, 23)
    "aes"(1, 0, Ecx, 25)
    "xsave"(1, 0, Ecx, 26)
    "avx"(1, 0, Ecx, 28)
    "f16c"(1, 0, Ecx, 29)
    "rdrand"(1, 0, Ecx, 30)
    "bmi1"(7, 0, Ebx, 3)
    "avx2"(7, 0, Ebx, 5)
    "bmi2"(7, 0, Ebx, 8)
    "avx512f"(7, 0, Ebx, 16)
    "avx512dq"(7, 0, Ebx, 17)
    "rdseed"(7, 0, Ebx, 18)
    "adx"(7, 0, Ebx, 19)
    "avx512ifma"(7, 0, Ebx, 21)
    "avx512cd"(7, 0, Ebx, 28)
    "sha"(7, 0, Ebx, 29)
    "avx512bw"(7, 0, Ebx, 30)
    "avx512vl"(7, 0, Ebx, 31)
    "avx512vbmi"(7, 0, Ecx, 1)
    "avx512vbmi2"(7, 0, Ecx, 6)
    "gfni"(7, 0, Ecx, 8)
    "vaes"(7, 0, Ecx, 9)
    "vpclmulqdq"(7, 0, Ecx, 10)
    "avx512vnni"(7, 0, Ecx, 11)
    "avx512bitalg"(7, 0, Ecx, 12)
    "avx512vpopcntdq"(7, 0, Ecx, 14)
    "avx512vp2intersect"(7, 0, Edx, 8)
    "avx512fp16"(7, 0, Edx, 23)
    "avxvnni"(7, 1, Eax, 4)
    "avx512bf16"(7, 1, Eax, 5)
    "avxifma"(7, 1, Eax, 23)
    "avxvnniint8"(7, 1, Edx, 4)
    "avxneconvert"(7, 1, Edx, 5)
    "xsaveopt"(0xd, 1, Eax, 0)
    "xsavec"(0xd, 1, Eax, 1)
    "xsaves"(0xd, 1, Eax, 3)
    "lzcnt"(EXTENDED + 1, 0, Ecx, 5)
    "sse4a"(EXTENDED + 1, 0, Ecx, 6)
}

/// Whether a bit is set. Leaves beyond the last one answer what others do.
fn has(leaf: u32, subleaf: u32, register: Register, bit: u32) -> bool {
    cpuid(leaf & EXTENDED, 0, Eax) >= leaf && cpuid(leaf, subleaf, register) >> bit & 1 == 1
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
