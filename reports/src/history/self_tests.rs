//! Error rates of comparisons, by machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::store::read_json;
use super::{HistoryError, Store};
use crate::record::{RunRecord, SELF_TEST_VERSION, SelfTest};
use crate::store::StoreError;

impl Store {
    /// The last self-test of the machine of a run; `None` if there was none. Points on GPUs of
    /// other models are removed from its scatter.
    ///
    /// # Errors
    /// If it can't be read, or is of an earlier version of the comparison, whose error rates
    /// differ.
    pub fn self_test(&self, run: &RunRecord) -> Result<Option<SelfTest>, HistoryError> {
        let mut found = self.read_self_test(&self.self_test_path(&run.machine_key))?;
        if found.is_none() {
            found = self.earlier_self_test(run)?;
        }
        Ok(found.map(|mut test| {
            let SelfTest { gpus, scatter, .. } = &mut test;
            scatter.retain(|scatter| {
                let tested = gpus.get(&scatter.point.device).map(String::as_str);
                tested.is_none_or(|tested| run.gpu_model(&scatter.point.device) == Some(tested))
            });
            test
        }))
    }

    /// The newest one under a key of an earlier version.
    fn earlier_self_test(&self, run: &RunRecord) -> Result<Option<SelfTest>, HistoryError> {
        let todays = self.todays_keys()?.into_iter();
        let keys = todays.filter(|(_, today)| *today == run.machine_key).map(|(key, _)| key);
        let keys = keys.chain([run.machine.earlier_key()]).collect::<BTreeSet<String>>();
        let read = |key: &String| self.read_self_test(&self.self_test_path(key)).transpose();
        let tests = keys.iter().filter_map(read).collect::<Result<Vec<_>, _>>()?;
        // UTC in RFC 3339 sorts by time.
        let newest = tests.into_iter().max_by(|a, b| a.finished.cmp(&b.finished));
        Ok(newest.map(|test| SelfTest { machine_key: run.machine_key.clone(), ..test }))
    }

    fn read_self_test(&self, path: &Path) -> Result<Option<SelfTest>, HistoryError> {
        read_json(path, SELF_TEST_VERSION).map_err(|error| match error {
            HistoryError::Run(StoreError::Version { path, found, known }) if found < known => {
                HistoryError::OldSelfTest { path, found, known }
            }
            error => error,
        })
    }

    /// Stores a self-test, replacing an earlier one of its machine.
    ///
    /// # Errors
    /// If it can't be written: the earlier one still exists then.
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
    use std::collections::BTreeMap;

    use super::super::testing::{TestStore, elsewhere, record, row};
    use super::*;
    use crate::record::{Gpu, Point, PointScatter, Trial};

    #[test]
    fn the_last_test_of_a_machine_is_kept() {
        let fixture = TestStore::new();
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
            paired: vec![Trial { slowdown: 0.05, ..trial.clone() }],
            aslr: Some(true),
            scatter: vec![scatter.clone()],
            gpus: BTreeMap::new(),
        };
        let of = |run: &RunRecord| fixture.store.self_test(run).expect("read");
        assert_eq!(of(&record(1)), None);
        fixture.store.put_self_test(&test("first")).expect("kept");
        fixture.store.put_self_test(&test("second")).expect("kept");
        assert_eq!(of(&record(1)), Some(test("second")));
        assert_eq!(of(&elsewhere(1)), None);
    }

    #[test]
    fn the_scatter_of_another_gpu_is_left_out() {
        let fixture = TestStore::new();
        let on = |device: &str| {
            let point = Point { device: device.into(), ..row("a").point() };
            PointScatter { point, stage: "total".into(), between: 0.003, runs: 9 }
        };
        let test = SelfTest {
            schema_version: SELF_TEST_VERSION,
            machine_key: "00ff".into(),
            gpus: [("cuda:0".to_owned(), "H100".to_owned())].into(),
            scatter: vec![on("cpu"), on("cuda:0")],
            ..SelfTest::default()
        };
        fixture.store.put_self_test(&test).expect("kept");
        for (model, points) in [("H100", 2), ("H200", 1)] {
            let mut run = record(1);
            run.machine.gpus = vec![Gpu { model: model.into(), ..Gpu::default() }];
            let test = fixture.store.self_test(&run).expect("read").expect("there");
            assert_eq!(test.scatter.len(), points, "{model}");
        }
    }

    #[test]
    fn a_test_of_an_earlier_gate_is_refused_with_what_to_do() {
        let fixture = TestStore::new();
        let path = fixture.store.self_test_path("00ff");
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("created");
        std::fs::write(&path, r#"{"schema_version": 1, "trials": []}"#).expect("written");
        let error = fixture.store.self_test(&record(1)).expect_err("old").to_string();
        assert!(error.contains("version 1 is older than version 3"), "{error}");
        assert!(error.contains("run `bench selftest` again"), "{error}");
    }
}
