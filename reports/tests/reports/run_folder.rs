//! A run folder can be read again, after any interruption.

use std::fs;
use std::process::Command;

use crate::common::{finished, folder, record, row};
use reports::compare::Measured;
use reports::history::{Store, Unfinished};
use reports::record::{Environment, Machine, RunRecord, SampleRow, Software, SummaryRow};
use reports::store::{Run, RunFolder, StoreError, read_run, read_samples, read_summary};

#[test]
fn written_records_can_be_read() {
    let folder = folder();
    let path = folder.path().join("new/run");
    let record = RunRecord {
        machine: Machine {
            architecture: "x86_64".into(),
            packages: 1,
            numa_nodes: 3,
            ..record().machine
        },
        software: Software {
            git_commit: Some("c0ffee".into()),
            compiler: "rustc".into(),
            build_profile: "release".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            target_features: "+avx2".into(),
            built_for: "x86-64-v3".into(),
            fingerprint: "00ff".into(),
            ..record().software
        },
        environment: Environment {
            governor: Some("performance".into()),
            transparent_huge_pages: Some("always".into()),
            available_memory_bytes: 1 << 33,
            ..record().environment
        },
        notes: vec!["a note".into()],
        ..finished(1)
    };
    let mut run = RunFolder::create(&path, &record).expect("created");
    let rows = [row("plain"), row("commas, \"quotes\" and\nlines")];
    let sample = SampleRow::new(&rows[0].point(), "total", 0, 0, 0.5);
    run.append_samples(std::slice::from_ref(&sample)).expect("written");
    run.append_samples(&[sample.clone(), sample.clone()]).expect("written");
    run.append_summary(&rows).expect("written");
    assert_eq!(read_run(&path).expect("read"), record);
    assert_eq!(read_samples(&path).expect("read"), vec![sample; 3]);
    assert_eq!(read_summary(&path).expect("read"), rows);
}

#[test]
fn columns_are_those_of_the_contract() {
    let folder = folder();
    RunFolder::create(folder.path(), &record()).expect("created");
    let header = |file: &str| {
        let text = fs::read_to_string(folder.path().join(file)).expect("read");
        text.lines().next().expect("a header").to_owned()
    };
    assert_eq!(
        header("samples.csv"),
        "point_id,algorithm,variant,stage,device,threads,params,round,sample,seconds,cpu,\
         clock_mhz,flags,cpu_s,counters,run_delay_s,start_s"
    );
    assert_eq!(
        header("summary.csv"),
        "algorithm,variant,stage,backend,device,threads,places,bind,cache,params,items,item_unit,\
         bytes_min,samples,stopped_by,median_s,mean_s,stddev_s,min_s,p95_s,p99_s,max_s,ci95_low_s,\
         ci95_high_s,items_per_s,bytes_per_s,peak_fraction,memory_bytes,memory_ratio,stable,valid,\
         fingerprint,given,metrics,note,j_per_item,j_per_item_low,j_per_item_high,energy_source,\
         energy_s,energy_windows"
    );
    let sample = SampleRow::new(&row("").point(), "total", 0, 0, 0.5);
    assert_eq!(header_of(&sample), SampleRow::COLUMNS);
    assert_eq!(header_of(&row("")), SummaryRow::COLUMNS);
}

fn header_of(row: &impl serde::Serialize) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(row).expect("serialised");
    let text = String::from_utf8(writer.into_inner().expect("flushed")).expect("text");
    text.lines().next().expect("a header").to_owned()
}

#[test]
fn rows_are_on_disk_before_the_run_ends() {
    let folder = folder();
    let mut run = RunFolder::create(folder.path(), &record()).expect("created");
    for count in 1..=3 {
        run.append_summary(&[row("")]).expect("written");
        assert_eq!(read_summary(folder.path()).expect("read").len(), count);
    }
}

#[test]
fn an_earlier_run_is_not_overwritten() {
    let folder = folder();
    let mut run = RunFolder::create(folder.path(), &record()).expect("created");
    run.append_summary(&[row("first")]).expect("written");
    let second = RunFolder::create(folder.path(), &record());
    assert!(matches!(second, Err(StoreError::Occupied(_))));
    assert_eq!(read_summary(folder.path()).expect("read").len(), 1);
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = folder();
    let path = folder.path().join("samples.csv");
    fs::write(&path, "precious").expect("written");
    let run = RunFolder::create(folder.path(), &record());
    assert!(matches!(run, Err(StoreError::Occupied(_))));
    assert_eq!(fs::read_to_string(&path).expect("kept"), "precious");
}

#[test]
fn leftovers_of_a_killed_creation_are_no_obstacle() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("samples.csv"), format!("{}\n", SampleRow::COLUMNS)).expect("written");
    fs::write(at("summary.csv"), &SummaryRow::COLUMNS[..20]).expect("written");
    let run = RunFolder::create(folder.path(), &record()).expect("created");
    fs::remove_file(at("run.json")).expect("removed");
    let second = RunFolder::create(folder.path(), &record());
    assert!(matches!(second, Err(StoreError::Occupied(_))), "it is being written");
    drop(run);
    RunFolder::create(folder.path(), &record()).expect("no longer locked");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let error = RunFolder::create(&file.join("run"), &record());
    let error = error.err().expect("a file is no folder").to_string();
    assert!(error.contains("file/run"), "{error}");
}

#[test]
fn infinite_numbers_are_unknown() {
    let folder = folder();
    let mut run = RunFolder::create(folder.path(), &record()).expect("created");
    let mut odd = row("");
    (odd.median_s, odd.items_per_s) = (Some(f64::NAN), Some(f64::INFINITY));
    run.append_summary(&[odd]).expect("written");
    let rows = read_summary(folder.path()).expect("read");
    assert_eq!((rows[0].median_s, rows[0].items_per_s), (None, None));
    assert_eq!(rows[0].mean_s, row("").mean_s);
}

#[test]
fn pipes_are_refused_and_not_waited_for() {
    for file in ["run.json", "samples.csv", "summary.csv"] {
        let folder = folder();
        let mut run = RunFolder::create(folder.path(), &record()).expect("created");
        run.append_summary(&[row("")]).expect("written");
        drop(run);
        let path = folder.path().join(file);
        fs::remove_file(&path).expect("removed");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        let refusals = [
            Run::read(folder.path()).map(drop),
            Measured::read(folder.path()).map(drop),
            RunFolder::resume(folder.path()).map(drop),
        ];
        for refusal in refusals {
            let refusal = refusal.expect_err(file);
            assert!(matches!(refusal, StoreError::NotRegular { .. }), "{refusal}");
            assert!(refusal.to_string().contains(file), "{refusal}");
        }
        let store = Store::create_or_open(&folder.path().join("store")).expect("made");
        let refusal = store.add(folder.path(), Unfinished::Allow).expect_err(file);
        assert!(refusal.to_string().contains("a pipe"), "{refusal}");
    }
}

#[test]
fn other_versions_and_damage_are_distinguished() {
    let folder = folder();
    let path = folder.path().join("run.json");
    fs::write(&path, r#"{"schema_version": 99, "unknown": true}"#).expect("written");
    assert!(matches!(read_run(folder.path()), Err(StoreError::Version { found: 99, .. })));
    fs::write(&path, r#"{"schema_version": 1, "comm"#).expect("written");
    assert!(matches!(read_run(folder.path()), Err(StoreError::Format { .. })));
    fs::write(folder.path().join("summary.csv"), "a,b\n1,2\n").expect("written");
    let error = read_summary(folder.path()).expect_err("foreign").to_string();
    assert!(error.contains("line 1: no column \"algorithm\""), "{error}");
}
