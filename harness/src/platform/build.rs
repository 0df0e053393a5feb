//! This program: its build information, and its bytes.

use std::fs::File;
use std::sync::OnceLock;

use memmap2::Mmap;
use object::{Object, ObjectSection, SectionKind};
use reports::record::Software;
use sha2::{Digest, Sha256};

use super::built_level;

/// The running build.
pub fn software() -> Software {
    let commit = env!("BUILD_COMMIT");
    let is_development = is_development_build();
    let profile = if is_development { "debug" } else { "release" };
    Software {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: (!commit.is_empty()).then(|| commit.to_owned()),
        compiler: env!("BUILD_COMPILER").to_owned(),
        build_profile: profile.to_owned(),
        target: env!("BUILD_TARGET").to_owned(),
        target_features: env!("BUILD_FEATURES").to_owned(),
        built_for: built_level().to_owned(),
        fingerprint: executable_fingerprint(),
    }
}

/// True if this is a development build, which must not measure.
pub const fn is_development_build() -> bool {
    cfg!(debug_assertions)
}

/// Hash of only the machine code of the running executable: a new commit with the same code has the
/// same fingerprint. Empty if the executable can't be read.
pub fn executable_fingerprint() -> String {
    // Computed once, because megabytes are hashed.
    static KNOWN: OnceLock<String> = OnceLock::new();
    let fingerprint = KNOWN.get_or_init(|| executable().and_then(hash_of_code).unwrap_or_default());
    fingerprint.clone()
}

fn hash_of_code(executable: &[u8]) -> Option<String> {
    let file = object::File::parse(executable).ok()?;
    let mut hash = Sha256::new();
    let is_code = |section: &object::Section<'_, '_>| section.kind() == SectionKind::Text;
    for section in file.sections().filter(is_code) {
        hash.update(section.data().ok()?);
    }
    Some(hash_text("code", &hash.finalize()))
}

/// First 8 bytes of a hash, prefixed by its subject: `code:0123456789abcdef`.
pub(crate) fn hash_text(of: &str, hash: &[u8]) -> String {
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{of}:{hex}")
}

/// Maps the file of the running program, if it can be read. With debug information it has tens of
/// megabytes, few of which are accessed, so it is not copied.
pub(super) fn executable() -> Option<&'static [u8]> {
    static MAPPED: OnceLock<Option<Mmap>> = OnceLock::new();
    MAPPED.get_or_init(map).as_deref()
}

fn map() -> Option<Mmap> {
    let file = File::open(std::env::current_exe().ok()?).ok()?;
    // SAFETY: the system prevents writes to the file of a running program; replacing it creates
    // another file, so the mapped bytes do not change.
    unsafe { Mmap::map(&file) }.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_the_executable_do_not_count() {
        let executable = executable().expect("readable");
        let hash = hash_of_code(executable).expect("an executable");
        let file = object::File::parse(executable).expect("an executable");
        let offset = |kind| {
            let section = file.sections().find(|section| section.kind() == kind);
            let range = section.and_then(|section| section.file_range());
            range.expect("such a section").0 as usize
        };
        let changed = |offset: usize| {
            let mut changed = executable.to_vec();
            changed[offset + 64] ^= 1;
            hash_of_code(&changed).expect("still an executable")
        };
        assert_eq!(changed(offset(SectionKind::ReadOnlyData)), hash);
        assert_ne!(changed(offset(SectionKind::Text)), hash);
    }
}
