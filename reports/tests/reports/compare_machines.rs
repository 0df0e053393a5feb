//! Comparisons of runs of unlike machines and environments, and the notes on them.

use reports::compare::{CompareOptions, Verdict, compare};
use reports::record::{Gpu, PowerCap, RunRecord, SummaryRow};

use crate::common::{folder, record};
use crate::compare::{compared, measured, point, verdicts};

/// The CPU is the same: points on it are compared, those on the GPU are listed with the reason.
#[test]
fn points_on_another_gpu_are_not_compared() {
    let folder = folder();
    let with = |model: &str, driver: &str| {
        let mut record = record();
        record.machine.gpus =
            vec![Gpu { model: model.into(), driver: driver.into(), ..Gpu::default() }];
        record.host_name = Some(format!("host-of-{model}"));
        record
    };
    let on_gpu = SummaryRow { device: "cuda:0".into(), ..point("b", "code:1") };
    let points = [(point("a", "code:1"), 1.0), (on_gpu, 1.0)];
    let measured = |name: &str, record: &RunRecord| measured(folder.path(), name, record, &points);
    let base = measured("base", &with("H100", "1.0"));
    let new = measured("newer", &with("H200", "1.0"));
    let comparison = compare(&base, &new, &CompareOptions::default()).expect("the CPU is the same");
    assert_eq!(verdicts(&comparison), [("a", Verdict::Same)]);
    for unmatched in [&comparison.only_base, &comparison.only_new] {
        let reason = "measured on another GPU: H100 in the base, H200 in the new run";
        assert_eq!(unmatched[0].reason, reason);
    }
    let host = "the host changed from host-of-H100 to host-of-H200".to_owned();
    assert!(comparison.notes.contains(&host), "{:?}", comparison.notes);
    let options = CompareOptions { across_machines: true, ..CompareOptions::default() };
    assert_eq!(compare(&base, &new, &options).expect("asked for").points.len(), 2);

    let new = measured("driver", &with("H100", "2.0"));
    let comparison = compare(&base, &new, &CompareOptions::default()).expect("the same machine");
    assert_eq!(comparison.points.len(), 2);
    let driver = "the driver changed from 1.0 to 2.0".to_owned();
    assert!(comparison.notes.contains(&driver), "{:?}", comparison.notes);
}

#[test]
fn settings_of_a_card_that_changed_are_named() {
    let folder = folder();
    let with = |watts: f64, mhz: u32, ecc: bool, uuid: &str| {
        let gpu = Gpu {
            model: "H100".into(),
            driver: "1.0".into(),
            power_limit_w: Some(watts),
            application_clock_mhz: Some(mhz),
            ecc: Some(ecc),
            uuid: Some(uuid.into()),
            enforced_power_limit_w: Some(watts - 50.0),
            max_clock_mhz: Some(mhz + 20),
            ..Gpu::default()
        };
        let mut record = record();
        record.machine.gpus = vec![gpu];
        record.environment.frequency_limits_mhz = Some([800.0, f64::from(mhz)]);
        record.environment.power_caps = vec![PowerCap {
            package: "package-0".into(),
            constraint: "long_term".into(),
            limit_w: watts / 4.0,
            ..PowerCap::default()
        }];
        record
    };
    let points = [(SummaryRow { device: "cuda:0".into(), ..point("b", "code:1") }, 1.0)];
    let measured = |name: &str, record: &RunRecord| measured(folder.path(), name, record, &points);
    let base = measured("base", &with(700.0, 1980, true, "GPU-a"));
    let new = measured("newer", &with(350.0, 1410, false, "GPU-b"));
    let notes = compare(&base, &new, &CompareOptions::default())
        .expect("the same machine")
        .notes
        .join("\n");
    for expected in [
        "the power limit of cuda:0 changed from 700 W to 350 W",
        "the application clock of cuda:0 changed from 1980 MHz to 1410 MHz",
        "the power limit in force of cuda:0 changed from 650 W to 300 W",
        "the highest clock of cuda:0 changed from 2000 MHz to 1430 MHz",
        "the power limits of processors changed from package-0 long_term 175 W to package-0 long_term 88 W",
        "the range of frequencies changed from 800 to 1980 MHz to 800 to 1410 MHz",
        "ECC of cuda:0 changed from on to off",
        "the card of cuda:0 changed from GPU-a to GPU-b",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
}

#[test]
fn lower_clocks_are_named() {
    let folder = folder();
    let points = [(point("a", "code:1"), 1.0)];
    let mut base = measured(folder.path(), "base", &record(), &points);
    let mut new = measured(folder.path(), "newer", &record(), &points);
    new.record.seed += 1;
    base.clock_mhz.insert("cpu".into(), 3000.0);
    for (clock, is_named) in [(1800.0, true), (2950.0, false)] {
        new.clock_mhz.insert("cpu".into(), clock);
        let comparison = compare(&base, &new, &CompareOptions::default()).expect("compared");
        let notes = comparison.notes.join("\n");
        assert_eq!(notes.contains("clocks of cpu were 40 % lower"), is_named, "{notes}");
    }
}

#[test]
fn notes_list_other_changes() {
    let folder = folder();
    let points = [(point("a", "code:1"), 1.0)];
    let finished = Some("2025-01-01T00:00:00Z".into());
    let mut other = RunRecord { seed: 2, finished, ..record() };
    other.environment.kernel = "Linux 7".into();
    let base = measured(folder.path(), "base", &record(), &points);
    let new = measured(folder.path(), "newer", &other, &points);
    let notes = compared(&base, &new).notes.join("\n");
    for expected in ["seed of the data", "from Linux to Linux 7", "not finished", "set back"] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
}
