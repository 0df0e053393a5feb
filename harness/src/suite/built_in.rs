//! The suites that come with the binary.

use std::fs;
use std::path::Path;

use super::problems::SuiteError;
use crate::suggestion::instead_of;

/// Names and texts.
const SUITES: [(&str, &str); 11] = [
    ("smoke", include_str!("../../../suites/smoke.toml")),
    ("nightly", include_str!("../../../suites/nightly.toml")),
    ("thesis", include_str!("../../../suites/thesis.toml")),
    ("selftest", include_str!("../../../suites/selftest.toml")),
    ("gpu-sort", include_str!("../../../suites/gpu-sort.toml")),
    (
        "gpu-decode",
        include_str!("../../../suites/gpu-decode.toml"),
    ),
    (
        "gpu-break-even",
        include_str!("../../../suites/gpu-break-even.toml"),
    ),
    (
        "gpu-noisy-pads",
        include_str!("../../../suites/gpu-noisy-pads.toml"),
    ),
    ("gpu-sts", include_str!("../../../suites/gpu-sts.toml")),
    ("gpu-merge", include_str!("../../../suites/gpu-merge.toml")),
    (
        "gpu-gather",
        include_str!("../../../suites/gpu-gather.toml"),
    ),
];

/// The text of a suite: of a file, or else of a built-in suite of that name.
pub(super) fn text(suite: &Path) -> Result<String, SuiteError> {
    let built_in = SUITES.iter().find(|(name, _)| Path::new(name) == suite);
    match built_in {
        Some((_, text)) if !suite.is_file() => Ok((*text).to_owned()),
        _ if !suite.exists() => Err(unknown(suite)),
        _ => fs::read_to_string(suite).map_err(|source| SuiteError::Unreadable {
            path: suite.to_owned(),
            source,
        }),
    }
}

fn unknown(suite: &Path) -> SuiteError {
    let name = suite.display().to_string();
    let instead = instead_of(&name, &SUITES.map(|(name, _)| name));
    SuiteError::Unknown { name, instead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    #[test]
    fn built_in_suites_are_valid_and_bear_their_names() {
        for (name, text) in SUITES {
            let suite = Suite::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(suite.name, name);
            assert!(!suite.description.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_is_no_suite_gets_a_suggestion() {
        let error = text(Path::new("smok")).expect_err("unknown").to_string();
        assert!(error.contains("did you mean \"smoke\"?"), "{error}");
        let error = text(Path::new("/")).expect_err("a folder");
        assert!(matches!(error, SuiteError::Unreadable { .. }), "{error}");
    }
}
