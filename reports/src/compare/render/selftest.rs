//! A self-test for terminals, pages and programs.

use std::collections::BTreeMap;

use super::RenderError;
use crate::frame::json_text;
use crate::record::{PointScatter, SelfTest, Trial};
use crate::screen::Paint;
use crate::table::{Format, Side, Table, for_people};
use crate::units::{percent, significant};

const COLUMNS: [(&str, Side); 7] = [
    ("injected", Side::Right),
    ("with a change", Side::Right),
    ("points", Side::Right),
    ("SLOWER", Side::Right),
    ("FASTER", Side::Right),
    ("INCONCLUSIVE", Side::Right),
    ("SAME", Side::Right),
];

/// Title of the table of separate runs.
const SEPARATE: &str = "separate runs, as bench compare judges them";
const PAIRED: &str = "paired runs: short rounds of both, as bench compare --confirm judges them";

/// Verdicts for each slowdown, as shares of the points, and the scatter between runs of the same
/// code.
///
/// # Errors
/// If it can't be serialised, or has no such format.
pub fn selftest(format: Format, test: &SelfTest) -> Result<String, RenderError> {
    match format {
        Format::Table | Format::Markdown => Ok(text(format, test)),
        Format::Json => Ok(json_text(test)?),
        Format::Csv | Format::Junit => Err(RenderError::Format(format)),
    }
}

fn text(format: Format, test: &SelfTest) -> String {
    let effect = percent(test.min_effect);
    let p = test.significance;
    let trials = [(SEPARATE, &test.trials), (PAIRED, &test.paired)];
    let trials = trials.into_iter().filter(|(_, trials)| !trials.is_empty());
    let tables =
        trials.map(|(title, trials)| Table::new(&COLUMNS, trials.iter().map(cells)).under(title));
    let tables: Vec<Table> = tables.collect();
    format!(
        "Verdicts on known slowdowns (minimum effect {effect}, p < {p})\n\n{}{}",
        for_people(format, &tables, Paint::Plain),
        scatter(&test.scatter)
    )
}

fn cells(trial: &Trial) -> [String; 7] {
    let injected = match trial.slowdown {
        0.0 => "none".to_owned(),
        slowdown => percent(slowdown),
    };
    let changed = trial.slower + trial.faster + trial.inconclusive;
    let share = |count: usize| percent(count as f64 / trial.points.max(1) as f64);
    [
        injected,
        format!("{} of {}", trial.alarmed, trial.pairs),
        trial.points.to_string(),
        share(trial.slower),
        share(trial.faster),
        share(trial.inconclusive),
        share(trial.points.saturating_sub(changed)),
    ]
}

/// `runs of the same code scatter by: channel-bucket 1.4 to 5.4 %, …`.
fn scatter(points: &[PointScatter]) -> String {
    let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for point in points {
        let start = (point.between, point.between);
        let (low, high) = ranges.entry(&point.point.variant).or_insert(start);
        (*low, *high) = (low.min(point.between), high.max(point.between));
    }
    if ranges.is_empty() {
        return String::new();
    }
    let phrases = |(variant, (low, high)): (&&str, &(f64, f64))| match low == high {
        true => format!("{variant} {}", percent(*low)),
        false => {
            let low = significant(100.0 * low, 2);
            format!("{variant} {low} to {}", percent(*high))
        }
    };
    let phrases: Vec<_> = ranges.iter().map(phrases).collect();
    format!("\nScatter between runs of the same code: {}\n", phrases.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::record::SELF_TEST_VERSION;

    const TRIAL: Trial = Trial {
        slowdown: 0.05,
        pairs: 1,
        points: 200,
        slower: 190,
        faster: 1,
        inconclusive: 8,
        alarmed: 1,
    };

    #[test]
    fn shares_are_of_the_points() {
        let expected = ["5.0 %", "1 of 1", "200", "95 %", "0.50 %", "4.0 %", "0.50 %"];
        assert_eq!(cells(&TRIAL), expected.map(str::to_owned));
    }

    fn point(segments: u32, between: f64) -> PointScatter {
        let point = row("rdst", &format!("segments={segments}"), 1.0).point();
        PointScatter { point, stage: "total".into(), between, runs: 9 }
    }

    #[test]
    fn both_error_rates_and_the_scatter_are_in_every_format() {
        let test = SelfTest {
            schema_version: SELF_TEST_VERSION,
            min_effect: 0.01,
            significance: 0.01,
            trials: vec![TRIAL],
            paired: vec![Trial { slower: 200, ..TRIAL }],
            scatter: vec![point(1, 0.01), point(2, 0.03)],
            ..SelfTest::default()
        };
        let text = |format| selftest(format, &test).expect("rendered");
        let table = text(Format::Table);
        for expected in
            ["separate runs", "paired runs", "rdst 1.0 to 3.0 %", "   5.0 %         1 of 1     200"]
        {
            assert!(table.contains(expected), "{expected}: {table}");
        }
        let page = text(Format::Markdown);
        assert!(page.contains("### paired runs") && page.contains("| 5.0 % |"), "{page}");
        let json: SelfTest = serde_json::from_str(&text(Format::Json)).expect("JSON");
        assert_eq!(json, test);
    }
}
