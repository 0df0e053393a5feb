//! Requirements of a baseline.

use crate::compare::is_wrong;
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::units;

/// Maximum number of variants named in a sentence.
const NAMED: usize = 5;

/// Reason why a run can't be a baseline, as the end of a sentence; `None` if it can.
pub(super) fn problem(record: &RunRecord, rows: &[SummaryRow]) -> Option<String> {
    if record.is_small() {
        return Some(
            "was measured under RECOBENCH_SMALL, so its times are meaningless; measure without it"
                .to_owned(),
        );
    }
    if record.command.get(1).is_some_and(|word| word == "selftest") {
        return Some("is of a self-test, which slows samples down on purpose".to_owned());
    }
    let wrong: Vec<&SummaryRow> =
        rows.iter().filter(|row| row.valid == YesNo::No && is_wrong(&row.note)).collect();
    let mut names: Vec<&str> = wrong.iter().map(|row| row.variant.as_str()).collect();
    names.dedup();
    names.truncate(NAMED);
    (!wrong.is_empty()).then(|| {
        let count = units::counted(wrong.len(), "point");
        let names = names.join(", ");
        format!("has {count} whose output was wrong or that failed ({names}); fix them first")
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, row};
    use super::*;
    use crate::record::SMALL_NOTE;

    #[test]
    fn small_runs_self_tests_and_wrong_variants_are_no_baselines() {
        let problem_of = |change: fn(&mut RunRecord, &mut SummaryRow)| {
            let mut record = record(1);
            let mut row = row("std-stable");
            change(&mut record, &mut row);
            problem(&record, &[row]).unwrap_or_default()
        };
        assert_eq!(problem_of(|_, _| ()), "");
        let small = problem_of(|record, _| record.notes.push(SMALL_NOTE.to_owned()));
        assert!(small.contains("RECOBENCH_SMALL"), "{small}");
        let test = problem_of(|record, _| record.command = vec!["bench".into(), "selftest".into()]);
        assert!(test.contains("self-test"), "{test}");
        let wrong = problem_of(|_, row| {
            row.valid = YesNo::No;
            row.note = "wrong output: digi 7".into();
        });
        assert!(wrong.starts_with("has 1 point whose output was wrong"), "{wrong}");
        // A variant that does not run here is no fault of the run.
        let refused = problem_of(|_, row| {
            row.valid = YesNo::No;
            row.note = "not run: no room".into();
        });
        assert_eq!(refused, "");
    }
}
