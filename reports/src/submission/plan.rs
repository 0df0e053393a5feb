//! Completeness by the plan of the run, rows that are there twice, and fingerprints.

use std::collections::{BTreeSet, HashMap, HashSet};

use text::Untrusted;

use super::finding::{line, row_words};
use super::{Finding, Rule};
use crate::grouped::grouped;
use crate::record::{PlannedVariant, Point, RunRecord, SummaryRow};
use crate::store::INTERRUPTED;
use crate::units::counted;

/// All problems.
pub(super) fn problems(record: &RunRecord, rows: &[SummaryRow]) -> Vec<Finding> {
    let of_plan = completeness(record, rows).into_iter().chain(interrupted(rows));
    let of_plan = of_plan.map(|problem| Finding::new(Rule::Plan, problem));
    let twice = Finding::first_of(Rule::Duplicates, "rows are there twice", &duplicates(rows));
    let code = fingerprints(&record.planned, rows);
    let code = Finding::first_of(Rule::Fingerprint, "fingerprints differ", &code);
    of_plan.chain(twice).chain(code).collect()
}

fn interrupted(rows: &[SummaryRow]) -> Option<String> {
    let (index, row) = rows.iter().enumerate().find(|(_, row)| row.stopped_by == INTERRUPTED)?;
    Some(format!("{}: it was interrupted", row_words(index, row)))
}

/// Points that the plan has and the rows do not, or the other way round.
fn completeness(record: &RunRecord, rows: &[SummaryRow]) -> Vec<String> {
    let points: HashSet<Point> = rows.iter().map(SummaryRow::point).collect();
    match &record.suite {
        _ if points.is_empty() => vec!["summary.csv has no rows".to_owned()],
        _ if !record.planned.is_empty() => by_variant(&record.planned, &points),
        Some(part) if part.points != points.len() => vec![format!(
            "{} of the {} of the suite {}",
            counted(points.len(), "point"),
            part.points,
            part.name.escaped()
        )],
        Some(_) => Vec::new(),
        None => by_product(&points),
    }
}

/// Compares with the planned points of each variant.
fn by_variant(planned: &[PlannedVariant], points: &HashSet<Point>) -> Vec<String> {
    let is_of = |planned: &PlannedVariant, point: &Point| {
        (&planned.algorithm, &planned.variant, &planned.device)
            == (&point.algorithm, &point.variant, &point.device)
    };
    let count = planned.iter().filter_map(|planned| {
        let found = points.iter().filter(|point| is_of(planned, point)).count();
        let name = name(&planned.algorithm, &planned.variant, &planned.device);
        let points = planned.points;
        (found != points)
            .then(|| format!("{name}: {found} of {} in the plan", counted(points, "point")))
    });
    let unplanned = points.iter().filter(|point| !planned.iter().any(|it| is_of(it, point)));
    let unplanned: BTreeSet<String> =
        unplanned.map(|it| name(&it.algorithm, &it.variant, &it.device)).collect();
    let unplanned = unplanned.into_iter().map(|name| format!("{name} is not in the plan"));
    count.chain(unplanned).collect()
}

/// Runs of earlier versions have no plan: a command measures all variants of a device on the same
/// inputs, by the same threads.
fn by_product(points: &HashSet<Point>) -> Vec<String> {
    let devices = grouped(points, |point| (&point.algorithm, &point.device)).into_iter();
    let of_device = |(_, points): (_, Vec<&Point>)| {
        let conditions = |point: &&Point| Point { variant: String::new(), ..(*point).clone() };
        let all: HashSet<Point> = points.iter().map(conditions).collect();
        let variants = grouped(points, |point| &point.variant).into_iter();
        let lacking = variants.filter_map(|(_, of_variant)| {
            let found = of_variant.len();
            let first = of_variant[0];
            (found < all.len()).then(|| {
                let name = name(&first.algorithm, &first.variant, &first.device);
                format!(
                    "{name}: {found} of the {} that variants next to it have; run.json has no plan, \
                     as it is of an earlier version",
                    counted(all.len(), "point")
                )
            })
        });
        lacking.collect::<Vec<String>>()
    };
    let mut problems: Vec<String> = devices.flat_map(of_device).collect();
    problems.sort();
    problems
}

fn name(task: &str, variant: &str, device: &str) -> String {
    format!("{} {} on {}", task.escaped(), variant.escaped(), device.escaped())
}

fn duplicates(rows: &[SummaryRow]) -> Vec<String> {
    let mut first: HashMap<(Point, &str), usize> = HashMap::new();
    let mut problems = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match first.get(&(row.point(), row.stage.as_str())) {
            Some(&known) => {
                problems.push(format!("{} is row {} again", row_words(index, row), line(known)));
            }
            None => {
                first.insert((row.point(), &row.stage), index);
            }
        }
    }
    problems
}

/// Rows of a variant whose machine code is not that of the plan, or of its other rows.
fn fingerprints(planned: &[PlannedVariant], rows: &[SummaryRow]) -> Vec<String> {
    let mut expected: HashMap<[&str; 3], &str> = planned
        .iter()
        .map(|it| ([&*it.algorithm, &*it.variant, &*it.device], &*it.fingerprint))
        .collect();
    let mut problems = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let key = [&*row.algorithm, &*row.variant, &*row.device];
        let known = *expected.entry(key).or_insert(&row.fingerprint);
        let problem = match row.fingerprint.as_str() {
            "" => "no fingerprint".to_owned(),
            own if own != known => format!("the fingerprint is {own} instead of {known}"),
            _ => continue,
        };
        problems.push(format!("{}: {problem}", row_words(index, row)));
    }
    problems
}
