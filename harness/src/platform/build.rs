//! What this program was built from.

use reports::record::Software;
use sha2::{Digest, Sha256};

/// The build that is running.
pub fn software() -> Software {
    let commit = env!("BUILD_COMMIT");
    Software {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: (!commit.is_empty()).then(|| commit.to_owned()),
        compiler: env!("BUILD_COMPILER").to_owned(),
        build_profile: if is_development_build() {
            "debug"
        } else {
            "release"
        }
        .to_owned(),
        target: env!("BUILD_TARGET").to_owned(),
        target_features: env!("BUILD_FEATURES").to_owned(),
    }
}

/// Whether the build is one that must not measure.
pub const fn is_development_build() -> bool {
    cfg!(debug_assertions)
}

/// A hash of the running executable: equal only for the same machine code.
/// Empty if it can't be read.
pub fn executable_fingerprint() -> String {
    let executable = std::env::current_exe().and_then(std::fs::read);
    let hash = |bytes: Vec<u8>| {
        let hash = Sha256::digest(&bytes);
        let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("exe:{hex}")
    };
    executable.map(hash).unwrap_or_default()
}
