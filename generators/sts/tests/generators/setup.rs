//! Round trips of setup files, and errors for damaged ones.

use std::fs;
use std::path::Path;

use generators_sts::io::{read_setup, write_setup};
use generators_sts::setup::Setup;

use crate::experiments::{fixtures, full_set};

fn text(setup: &Setup) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("setup.json");
    write_setup(&path, setup).expect("written");
    fs::read_to_string(&path).expect("read")
}

fn error_of(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("setup.json");
    fs::write(&path, text).expect("written");
    read_setup(&path).expect_err("damaged").to_string()
}

fn regular() -> Setup {
    Setup::regular(3).expect("sensible")
}

#[test]
fn written_files_are_read_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["setup.json", "setup.json.gz"] {
        let path = folder.path().join(name);
        write_setup(&path, &regular()).expect("written");
        assert_eq!(read_setup(&path).expect("read"), regular(), "{name}");
    }
}

#[test]
fn missing_keys_are_named() {
    let whole = text(&regular());
    for (key, location) in [("nAdc", "asic"), ("pitch", "modules[0]"), ("landau", "line")] {
        let renamed = whole.replacen(&format!("\"{key}\""), "\"other\"", 1);
        let error = error_of(&renamed);
        let missing = format!("missing field `{key}`");
        assert!(error.contains(&missing) && error.contains(location), "{error}");
    }
}

#[test]
fn invalid_values_are_reported_with_line_and_key() {
    let whole = text(&regular());
    let line =
        |text: &str, key: &str| 1 + text.lines().position(|l| l.contains(key)).expect("there");
    let flat =
        whole.replacen("1.0,\n        0.0,\n        0.0,", "0.0,\n        0.0,\n        0.0,", 1);
    let error = error_of(&flat);
    assert!(error.contains("modules[0]") && error.contains("is not a rotation"), "{error}");
    let text = whole.replacen("\"nAdc\": 32", "\"nAdc\": 40", 1);
    let error = error_of(&text);
    assert!(error.contains("asic: nAdc is 40"), "{error}");
    // The part ends a few lines below the value.
    let found = number_after(&error, "line ");
    let wanted = line(&text, "nAdc");
    assert!((wanted..wanted + 10).contains(&found), "{error}");
    let words = whole.replacen("\"pitch\": 0.0058", "\"pitch\": \"wide\"", 1);
    let error = error_of(&words);
    assert!(error.contains("modules[0].pitch"), "{error}");
    assert!(error.contains(&format!("line {}", line(&words, "wide"))), "{error}");
}

fn number_after(text: &str, word: &str) -> usize {
    let rest = text.split(word).nth(1).expect("there");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn files_other_than_setups_are_refused() {
    for text in ["", "[]", "{}", "{\"asic\": {}}", "nonsense"] {
        let error = error_of(text);
        assert!(error.contains("setup.json, line "), "{text}: {error}");
    }
    let twice = text(&regular()) + "{}";
    assert!(error_of(&twice).contains("trailing characters"));
    assert!(read_setup(Path::new("/nowhere/setup.json")).is_err());
}

/// Checks a setup with which CBM's clusters and hits were found.
fn has_modules(path: &Path, modules: usize) {
    let setup = read_setup(path).expect("a setup");
    assert_eq!(setup.modules().len(), modules);
    assert_eq!(setup.landau().values.len(), 64);
    assert_eq!(setup.modules()[0].translation, [-50.0, -30.0, 30.0]);
    assert_eq!(setup.modules()[1].rotation, [-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn the_setup_of_the_experiment_can_be_read() {
    has_modules(&fixtures("sts-chain").join("modules.params.json"), 45);
}

#[test]
fn the_setup_of_the_experiment_can_be_read_in_full() {
    let Some(folder) = full_set("sts/fixtures") else { return };
    has_modules(&folder.join("full.params.json"), 896);
}
