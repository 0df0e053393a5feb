//! Files of a store next to its runs: executables and plugins, with which old code can be measured
//! again in paired runs, and the error rates of comparisons by machine.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::store::{Writer, create_folder, entries, read_json, rename, write_new};
use super::{HistoryError, Store};
use crate::record::{RunRecord, SELF_TEST_VERSION, SelfTest};
use crate::store::StoreError;

const FOLDER: &str = "executables";

impl Store {
    /// Stores a copy of an executable under its fingerprint; does nothing if there is one already.
    ///
    /// # Errors
    /// If it can't be read, or the copy can't be written.
    pub fn keep_executable(&self, fingerprint: &str, file: &Path) -> Result<(), HistoryError> {
        if fingerprint.is_empty() {
            return Ok(());
        }
        // The lock keeps executables from being deleted after this returns: a process that deletes
        // knows only the runs that existed when it started.
        let writer = self.writer()?;
        let path = self.executable_path(fingerprint);
        if path.exists() {
            return Ok(());
        }
        let copy = writer.draft("executable")?;
        let copied = || {
            fs::copy(file, &copy)?;
            File::open(&copy)?.sync_all()
        };
        copied().map_err(|source| HistoryError::io(&copy, source))?;
        create_folder(&self.root().join(FOLDER))?;
        rename(&copy, &path)
    }

    /// The executable with a fingerprint, if it is stored.
    pub fn executable(&self, fingerprint: &str) -> Option<PathBuf> {
        let path = self.executable_path(fingerprint);
        (!fingerprint.is_empty() && path.exists()).then_some(path)
    }

    /// Deletes the executables of all but these runs.
    pub(super) fn drop_executables(
        &self,
        _writer: &Writer<'_>,
        needing: &[RunRecord],
    ) -> Result<(), HistoryError> {
        let needed: HashSet<PathBuf> = needing
            .iter()
            .map(|record| self.executable_path(&record.software.fingerprint))
            .collect();
        for path in entries(&self.root().join(FOLDER))? {
            if !needed.contains(&path) {
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    fn executable_path(&self, fingerprint: &str) -> PathBuf {
        self.root().join(FOLDER).join(safe_name(fingerprint))
    }
}

const PLUGINS_FOLDER: &str = "plugins";

impl Store {
    /// Stores a plugin under its fingerprint and file name; does nothing if it is stored already.
    ///
    /// # Errors
    /// If the copy can't be written.
    pub fn keep_plugin(
        &self,
        fingerprint: &str,
        file: &str,
        bytes: &[u8],
    ) -> Result<(), HistoryError> {
        let writer = self.writer()?;
        let folder = self.plugin_folder(fingerprint);
        if folder.join(file).exists() {
            return Ok(());
        }
        let copy = writer.draft("plugin")?;
        write_new(&copy, bytes)?;
        create_folder(&folder)?;
        rename(&copy, &folder.join(file))
    }

    /// The plugin with that fingerprint and file name, if it is stored.
    pub fn plugin(&self, fingerprint: &str, file: &str) -> Option<PathBuf> {
        let path = self.plugin_folder(fingerprint).join(file);
        // Records are untrusted: only a plain file name is accepted.
        let is_name = Path::new(file).file_name().is_some_and(|name| name == file);
        (!fingerprint.is_empty() && is_name && path.is_file()).then_some(path)
    }

    /// Deletes the plugins of all but these runs.
    pub(super) fn drop_plugins(
        &self,
        _writer: &Writer<'_>,
        needing: &[RunRecord],
    ) -> Result<(), HistoryError> {
        let used = |folder: &PathBuf| {
            let mut plugins = needing.iter().flat_map(|record| &record.plugins);
            plugins.any(|plugin| self.plugin_folder(&plugin.fingerprint) == *folder)
        };
        for folder in entries(&self.root().join(PLUGINS_FOLDER))? {
            if !used(&folder) {
                let _ = fs::remove_dir_all(folder);
            }
        }
        Ok(())
    }

    fn plugin_folder(&self, fingerprint: &str) -> PathBuf {
        self.root().join(PLUGINS_FOLDER).join(safe_name(fingerprint))
    }
}

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
    use crate::record::{Gpu, PluginRecord, Point, PointScatter, Trial};

    #[test]
    fn an_executable_is_kept_as_long_as_it_is_needed() {
        let fixture = TestStore::new();
        let this = std::env::current_exe().expect("an executable");
        let store = &fixture.store;
        let mut by_34 = record(1);
        by_34.software.fingerprint = "code:34".into();
        fixture.add(&by_34);
        store.keep_executable("code:12", &this).expect("kept");
        store.keep_executable("code:34", &this).expect("kept");
        store.keep_executable("code:34", Path::new("/nowhere")).expect("there already");
        store.keep_executable("", &this).expect("nothing to do");
        let kept = store.executable("code:12").expect("there").metadata().expect("a file");
        assert_eq!(kept.len(), this.metadata().expect("a file").len());
        assert_eq!((store.executable("code:56"), store.executable("")), (None, None));
        store.drop_executables(&store.writer().expect("alone"), &[by_34]).expect("dropped");
        assert_eq!(store.executable("code:12"), None);
        assert!(store.executable("code:34").is_some());
    }

    #[test]
    fn a_plugin_is_kept_as_long_as_a_run_was_made_with_it() {
        let fixture = TestStore::new();
        let store = &fixture.store;
        let mut with_plugin = record(1);
        with_plugin.plugins = vec![PluginRecord {
            path: String::new(),
            file: "e.so".into(),
            name: "e".into(),
            version: "1".into(),
            fingerprint: "plugin:12".into(),
        }];
        fixture.add(&with_plugin);
        for fingerprint in ["plugin:12", "plugin:34"] {
            store.keep_plugin(fingerprint, "e.so", b"code").expect("kept");
            store.keep_plugin(fingerprint, "e.so", b"other").expect("kept already");
        }
        let kept = store.plugin("plugin:12", "e.so").expect("kept");
        assert_eq!(fs::read(kept).expect("readable"), b"code");
        for (fingerprint, file) in [("plugin:56", "e.so"), ("", "e.so"), ("plugin:12", "../e.so")] {
            assert_eq!(store.plugin(fingerprint, file), None);
        }
        let writer = store.writer().expect("alone");
        store.drop_plugins(&writer, &[with_plugin]).expect("dropped");
        assert_eq!(store.plugin("plugin:34", "e.so"), None);
        assert!(store.plugin("plugin:12", "e.so").is_some());
    }

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
