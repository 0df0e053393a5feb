//! How often the gate of comparisons errs, machine by machine.

use std::path::PathBuf;

use super::series::safe_name;
use super::store::read_json;
use super::{HistoryError, Store};
use crate::record::{SELF_TEST_VERSION, SelfTest};
use crate::store::StoreError;

impl Store {
    /// The last self-test of a machine; `None` if there was none.
    ///
    /// # Errors
    /// If it can't be read, or is of an earlier gate: its rates are not those of
    /// this one.
    pub fn self_test(&self, machine_key: &str) -> Result<Option<SelfTest>, HistoryError> {
        let read = read_json(&self.self_test_path(machine_key), SELF_TEST_VERSION);
        read.map_err(|error| match error {
            HistoryError::Run(StoreError::Version { path, found, known }) if found < known => {
                HistoryError::OldSelfTest { path, found, known }
            }
            error => error,
        })
    }

    /// Keeps a self-test in the place of an earlier one of its machine.
    ///
    /// # Errors
    /// If it can't be written: the earlier one is then still there.
    pub fn put_self_test(&self, test: &SelfTest) -> Result<(), HistoryError> {
        self.writer()?.replace_json(&self.self_test_path(&test.machine_key), test)
    }

    fn self_test_path(&self, machine_key: &str) -> PathBuf {
        let name = format!("{}.json", safe_name(machine_key));
        self.root().join("selftest").join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Shelf, row};
    use super::*;
    use crate::record::{PointScatter, Trial};

    #[test]
    fn the_last_test_of_a_machine_is_kept() {
        let shelf = Shelf::new();
        let trial = Trial {
            slowdown: 0.0,
            pairs: 1,
            points: 2,
            slower: 3,
            faster: 4,
            inconclusive: 5,
            alarmed: 6,
        };
        let point = row("a").point();
        let scatter = PointScatter { point, stage: "total".into(), between: 0.003, runs: 9 };
        let test = |finished: &str| SelfTest {
            schema_version: SELF_TEST_VERSION,
            machine_key: "00ff".into(),
            finished: finished.into(),
            git_commit: Some("c0ffee".into()),
            min_effect: 0.01,
            significance: 0.02,
            trials: vec![trial.clone()],
            in_turn: vec![Trial { slowdown: 0.05, ..trial.clone() }],
            scatter: vec![scatter.clone()],
        };
        assert_eq!(shelf.store.self_test("00ff").expect("read"), None);
        shelf.store.put_self_test(&test("first")).expect("kept");
        shelf.store.put_self_test(&test("second")).expect("kept");
        assert_eq!(shelf.store.self_test("00ff").expect("read"), Some(test("second")));
        assert_eq!(shelf.store.self_test("11").expect("read"), None);
    }

    #[test]
    fn a_test_of_an_earlier_gate_is_refused_with_what_to_do() {
        let shelf = Shelf::new();
        let path = shelf.store.self_test_path("00ff");
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("created");
        std::fs::write(&path, r#"{"schema_version": 1, "trials": []}"#).expect("written");
        let error = shelf.store.self_test("00ff").expect_err("old").to_string();
        assert!(error.contains("version 1, from before version 3"), "{error}");
        assert!(error.contains("run `bench selftest` again"), "{error}");
    }
}
