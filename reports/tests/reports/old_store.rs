//! A store of version 0.1.0 at 46809c17d44c, when stores had an index: it is read unchanged, and
//! can be extended.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{copy_folder, folder};
use reports::aliases::Aliases;
use reports::compare::{CompareOptions, Measured, compare};
use reports::history::{Added, Filter, Retention, Series, Store, Unfinished};
use reports::record::{Gpu, RunRecord, SELF_TEST_VERSION, SelfTest};
use reports::store::{RunFolder, read_run, read_samples, read_summary};
use reports::trend::{self, point_histories};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store");

/// A copy of it, and the folders of its runs, the one added first first.
fn store() -> (tempfile::TempDir, Store, Vec<PathBuf>) {
    let folder = folder();
    copy_folder(Path::new(FIXTURE), &folder.path().join("store"));
    let store = Store::open(&folder.path().join("store")).expect("a store");
    let listed = store.list(&Filter::default()).expect("listed");
    let runs = listed.iter().rev().map(|entry| store.root().join("runs").join(&entry.run.id));
    let runs = runs.collect();
    (folder, store, runs)
}

/// Copies a run with another seed and renamed variants.
fn again(run: &Path, folder: &Path, rename: fn(&str) -> String) {
    let mut record = read_run(run).expect("read");
    record.seed = 2;
    record.started = "2026-12-01T00:00:00Z".into();
    record.finished = Some("2026-12-01T00:00:01Z".into());
    let mut new = RunFolder::create(folder, &record).expect("created");
    let mut rows = read_summary(run).expect("read");
    let mut samples = read_samples(run).expect("read");
    for row in &mut rows {
        let old = row.point().id();
        row.variant = rename(&row.variant);
        for sample in samples.iter_mut().filter(|sample| sample.point_id == old) {
            sample.seconds *= 1.001;
            sample.point_id = row.point().id();
            sample.variant.clone_from(&row.variant);
        }
    }
    new.append_samples(&samples).expect("written");
    new.append_summary(&rows).expect("written");
}

#[test]
fn old_runs_are_listed_compared_and_trended() {
    let (_folder, store, runs) = store();
    let listed = store.list(&Filter::default()).expect("listed");
    let marks: Vec<bool> = listed.iter().map(|entry| entry.accepted).collect();
    assert_eq!(marks, [false, true]);
    for entry in &listed {
        assert_eq!((&entry.run.problem, entry.run.points), (&None, 2));
        assert!(entry.notes.is_empty(), "{:?}", entry.notes);
    }
    let accepted = store.resolve("accepted", None).expect("one");
    assert_eq!(accepted, runs[0]);
    let [base, new] = [&runs[0], &runs[1]].map(|run| Measured::read(run).expect("read"));
    let compared = compare(&base, &new, &CompareOptions::default()).expect("comparable");
    assert_eq!((compared.points.len(), compared.only_new.len()), (2, 0));
    assert!(compared.points.iter().all(|point| point.base.samples == 10));
    let summaries = store.summaries(&Filter::default()).expect("read");
    let histories =
        point_histories(summaries.iter().map(|run| (&*run.id, &run.record, &run.rows[..])));
    assert!(histories.iter().all(|history| history.entries.len() == 2) && histories.len() == 2);
    let trends = trend::trends(histories, &trend::ShiftLimits::default(), &[]);
    assert!(trends.iter().all(|trend| trend.shifts.is_empty()));
}

#[test]
fn the_store_can_be_extended() {
    let (folder, store, runs) = store();
    let index = fs::read(store.root().join("index.csv")).expect("there");
    let next = folder.path().join("next");
    again(&runs[1], &next, str::to_owned);
    let added = store.add(&next, Unfinished::Refuse).expect("added");
    assert!(matches!(added, Added::New(_)));
    let known = store.add(&runs[0], Unfinished::Refuse).expect("known");
    assert!(matches!(known, Added::Known(_)));
    let listed = store.list(&Filter::default()).expect("listed");
    let orders: Vec<u64> = listed.iter().map(|entry| entry.run.order).collect();
    assert_eq!((orders.as_slice(), &*listed[0].run.id), (&[3, 2, 1][..], added.id()));
    store.accept(added.id(), "the next").expect("accepted");
    let least = Retention { keep_runs: Some(1), ..Retention::default() };
    assert_eq!(store.prune(least).expect("pruned").len(), 2);
    assert_eq!(
        store.resolve("accepted", None).expect("one"),
        store.resolve("latest", None).unwrap_or_default()
    );
    assert_eq!(fs::read(store.root().join("index.csv")).expect("there"), index);
}

#[test]
fn renamed_variants_continue() {
    let (folder, _store, runs) = store();
    let next = folder.path().join("next");
    again(&runs[0], &next, |name| name.replace("block-merge", "merge-blocks"));
    let aliases = "task,backend,old,new,since,until\n\
        sort,cpu,block-merge,merge-blocks,2026-12-01,\n";
    let aliases = Aliases::parse(aliases);
    let compared = |aliases: &Aliases| {
        let read = |run| Measured::read_with(run, aliases).expect("read");
        compare(&read(&runs[0]), &read(&next), &CompareOptions::default()).expect("comparable")
    };
    let without = compared(&Aliases::default());
    assert_eq!((without.points.len(), without.only_base.len()), (1, 1));
    let with = compared(&aliases);
    assert_eq!((with.points.len(), with.only_base.len(), with.only_new.len()), (2, 0, 0));
    assert!(with.points.iter().all(|point| point.base.samples == 10));
    let summaries = [&runs[0], &next].map(|run| {
        let record = read_run(run).expect("read");
        let rows = aliases.of_rows(read_summary(run).expect("read"), &record.software.version);
        (record, rows)
    });
    let histories = point_histories(summaries.iter().map(|(record, rows)| ("", record, &rows[..])));
    let names: Vec<_> = histories.iter().map(|history| history.point.variant.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(histories.iter().all(|history| history.entries.len() == 2));
}

/// Adds a run as earlier versions recorded it, whose machine key included the driver, and accepts
/// it as they did. Returns its id and that key.
fn accepted_by_an_earlier_version(
    store: &Store,
    source: &Path,
    driver: &str,
    when: &str,
) -> (String, String) {
    let mut record = read_run(source).expect("read");
    let memory_bytes = 80 << 30;
    record.started = when.to_owned();
    record.finished = Some(when.to_owned());
    record.machine.gpus =
        vec![Gpu { model: "GPU".into(), driver: driver.into(), memory_bytes, ..Gpu::default() }];
    record.machine_key = record.machine.earlier_key();
    let folder = folder();
    let mut run = RunFolder::create(&folder.path().join("run"), &record).expect("created");
    run.append_samples(&read_samples(source).expect("read")).expect("written");
    run.append_summary(&read_summary(source).expect("read")).expect("written");
    drop(run);
    let added = store.add(&folder.path().join("run"), Unfinished::Refuse).expect("added");
    let key = record.machine_key;
    let mark = format!(
        r#"{{"schema_version": 1, "series": {{"machine_key": "{key}", "name": "sort"}},
        "accepted": {{"run": "{}", "when": "{when}", "note": "driver {driver}"}}, "earlier": []}}"#,
        added.id()
    );
    let accepted = store.root().join("accepted");
    fs::create_dir_all(&accepted).expect("made");
    fs::write(accepted.join(format!("sort@{key}.json")), mark).expect("written");
    (added.id().to_owned(), key)
}

#[test]
fn keys_of_earlier_versions_are_joined_and_nothing_accepted_is_lost() {
    let (folder, old, runs) = store();
    let store = Store::create_or_open(&folder.path().join("joined")).expect("made");
    drop(old);
    let by = |driver, when| accepted_by_an_earlier_version(&store, &runs[0], driver, when);
    let (first, first_key) = by("1.0", "2026-01-01T00:00:00Z");
    let (second, second_key) = by("2.0", "2026-02-01T00:00:00Z");
    assert_ne!(first_key, second_key);
    let test = SelfTest {
        schema_version: SELF_TEST_VERSION,
        machine_key: first_key.clone(),
        finished: "2026-01-02T00:00:00Z".into(),
        ..SelfTest::default()
    };
    store.put_self_test(&test).expect("kept");

    let record = read_run(&store.run_folder(&first)).expect("read");
    let series = |id: &str| {
        let folder = store.run_folder(id);
        Series::for_run(&read_run(&folder).expect("read"), &read_summary(&folder).expect("read"))
    };
    assert_eq!(series(&first), series(&second));
    assert_eq!(record.machine_key, record.machine.key());
    let baseline = store.baseline(&series(&first)).expect("read").expect("accepted");
    assert_eq!(baseline.id, second);
    let listed = store.list(&Filter::default()).expect("listed");
    assert_eq!(listed.iter().filter(|entry| entry.accepted).count(), 1);
    let kept = |record: &RunRecord| store.self_test(record).expect("read");
    let found = kept(&record).expect("joined");
    assert_eq!((found.finished, found.machine_key), (test.finished.clone(), record.machine.key()));

    // The next acceptance merges the history of both.
    let next = folder.path().join("next");
    again(&store.run_folder(&second), &next, str::to_owned);
    let third = store.add(&next, Unfinished::Refuse).expect("added").id().to_owned();
    store.accept(&third, "today").expect("accepted");
    let marks: Vec<_> = fs::read_dir(store.root().join("accepted")).expect("read").collect();
    assert_eq!(marks.len(), 1, "{marks:?}");
    let mark = marks[0].as_ref().expect("read").path();
    let mark = fs::read_to_string(mark).expect("read");
    let order = ["today", "driver 1.0", "driver 2.0"].map(|note| mark.find(note));
    assert!(order[0] < order[1] && order[1] < order[2] && order[0].is_some(), "{mark}");

    // The keys of deleted runs are kept.
    store.prune(Retention { keep_runs: Some(1), ..Retention::default() }).expect("pruned");
    assert_eq!(store.list(&Filter::default()).expect("listed").len(), 1);
    let mut record = record;
    record.machine.gpus.clear();
    assert_eq!(kept(&record).expect("joined").finished, test.finished);
}
