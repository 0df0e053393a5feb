//! Comparisons as tables, CSV and JSON.

use super::cost::{CLAIMED, ClaimVerdict, Cost};
use super::{Candidate, Comparison};
use crate::frame::{Cell, Document, Frame, Record};
use crate::grouped::distinct;
use crate::record::RunRecord;
use crate::screen::Screen;
use crate::shape;
use crate::table::{Format, NOTHING, Side, Table, TableError, for_people, known};
use crate::units;

/// The columns of [`cells`] and [`native`].
const COLUMNS: [(&str, Side); 7] = [
    ("written as", Side::Left),
    ("kernels", Side::Right),
    ("over native", Side::Right),
    ("95 % interval", Side::Right),
    ("within 0.2 %", Side::Left),
    ("registers", Side::Right),
    ("local memory", Side::Right),
];

/// All comparisons of a run, as a text that ends with a line break.
///
/// # Errors
/// If they can't be serialised.
pub fn render(
    format: Format,
    run: &RunRecord,
    comparisons: &[Comparison],
    screen: Screen,
) -> Result<String, TableError> {
    match format {
        Format::Table | Format::Markdown => {
            let tables: Vec<Table> = comparisons.iter().map(table).collect();
            Ok(for_people(format, &tables, screen))
        }
        Format::Csv => Ok(frame(comparisons).csv()?),
        Format::Json => Ok(Document::new(run, &frame(comparisons)).json()?),
    }
}

/// The native kernels of an input, and all candidates.
fn table(comparison: &Comparison) -> Table {
    let rows = comparison.candidates.iter().map(cells);
    let rows = std::iter::once(native(comparison)).chain(rows);
    Table::new(&COLUMNS, rows).under(heading(comparison)).with_notes(notes(comparison))
}

/// `sort: block-merge, 20 M digis · 24 segments`.
fn heading(comparison: &Comparison) -> String {
    let native = comparison.native;
    format!("{}: {}, {}", native.algorithm, native.variant, shape::phrases(&comparison.axes()))
}

fn native(comparison: &Comparison) -> [String; 7] {
    let resources = &comparison.resources;
    [
        "native".to_owned(),
        known(comparison.native.median_s, |seconds| units::seconds(seconds, 3)),
        "1".to_owned(),
        NOTHING.to_owned(),
        NOTHING.to_owned(),
        known(resources.registers, |count| count.to_string()),
        known(resources.local_bytes, units::bytes),
    ]
}

fn cells(candidate: &Candidate) -> [String; 7] {
    let cost = candidate.cost.as_ref().ok();
    let resources = &candidate.resources;
    [
        candidate.written_as.clone(),
        known(candidate.seconds, |seconds| units::seconds(seconds, 3)),
        known(cost, |cost| factor(cost.ratio)),
        known(cost.and_then(|cost| cost.interval), |interval| {
            format!("{} to {}", factor(interval.low), factor(interval.high))
        }),
        words(candidate.judged).to_owned(),
        known(resources.registers, |count| count.to_string()),
        known(resources.local_bytes, units::bytes),
    ]
}

/// A ratio with four decimals, because differences of 0.2 % matter.
fn factor(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.4}") } else { units::significant(ratio, 3) }
}

fn words(judged: ClaimVerdict) -> &'static str {
    match judged {
        ClaimVerdict::Within => "yes",
        ClaimVerdict::Beyond => "no",
        ClaimVerdict::Unclear => "not clear",
        ClaimVerdict::Unknown => NOTHING,
    }
}

/// Notes: noise, failures, and further differences.
fn notes(comparison: &Comparison) -> Vec<String> {
    let refused = comparison.candidates.iter().filter_map(|candidate| {
        let why = candidate.cost.as_ref().err()?;
        Some(format!("{}: {why}", candidate.written_as))
    });
    let noise = noise(comparison);
    let differs = what_differs(comparison).into_iter();
    let differs = differs.map(|what| format!("What differs: {what}."));
    noise.into_iter().chain(refused).chain(differs).collect()
}

/// Difference between two measurements of native kernels, and whether a cost of 0.2 % would be
/// visible.
fn noise(comparison: &Comparison) -> Option<String> {
    let bound = comparison.noise?;
    let narrow = if bound < CLAIMED { "less" } else { "not less" };
    Some(format!(
        "Noise: two measurements of native kernels agree within {}, {narrow} than {}.",
        units::percent(bound),
        units::percent(CLAIMED)
    ))
}

/// Differences from native kernels other than the source, without repeats.
pub fn what_differs(comparison: &Comparison) -> Vec<&'static str> {
    let differs = comparison.candidates.iter().map(|candidate| candidate.differs);
    distinct(differs.filter(|differs| !differs.is_empty()))
}

fn frame(comparisons: &[Comparison]) -> Frame {
    let all = || comparisons.iter().flat_map(|it| it.candidates.iter().map(move |one| (it, one)));
    let rows: Vec<Record<'_>> = all().map(|(comparison, one)| record(comparison, one)).collect();
    Frame::new(&rows.first().cloned().unwrap_or_default(), rows)
}

/// A candidate for programs.
fn record<'a>(comparison: &'a Comparison, candidate: &'a Candidate) -> Record<'a> {
    let Comparison { native, resources: of_native, noise, .. } = comparison;
    let Candidate { total, resources, .. } = candidate;
    let cost: Option<&Cost> = candidate.cost.as_ref().ok();
    let interval = cost.and_then(|cost| cost.interval);
    Record::default()
        .with("algorithm", &native.algorithm)
        .with("native_variant", &native.variant)
        .with("native_device", &native.device)
        .with("native_point_id", native.point().id())
        .with("written_as", &candidate.written_as)
        .with("variant", &total.variant)
        .with("device", &total.device)
        .with("point_id", total.point().id())
        .with("params", native.params.to_string())
        .with("native_kernel_s", native.median_s)
        .with("kernel_s", candidate.seconds)
        .with("ratio", cost.map(|cost| cost.ratio))
        .with("ci95_low", interval.map(|interval| interval.low))
        .with("ci95_high", interval.map(|interval| interval.high))
        .with("visits", cost.map(|cost| cost.blocks as u64))
        .with("noise", *noise)
        .with("within_claim", Cell::named(candidate.judged))
        .with("native_kernel", &of_native.kernel)
        .with("native_registers", of_native.registers)
        .with("native_local_bytes", of_native.local_bytes)
        .with("native_shared_bytes", of_native.shared_bytes)
        .with("native_occupancy", of_native.occupancy)
        .with("kernel", &resources.kernel)
        .with("registers", resources.registers)
        .with("local_bytes", resources.local_bytes)
        .with("shared_bytes", resources.shared_bytes)
        .with("occupancy", resources.occupancy)
        .with("differs", candidate.differs)
        .with("why_missing", candidate.cost.as_ref().err().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::super::comparisons;
    use super::super::fixture::{PAIRS, run};
    use super::*;
    use crate::charts::fixture;

    fn rendered(format: Format) -> String {
        let (rows, samples) = run();
        let found = comparisons(&rows, &samples, &PAIRS);
        render(format, &fixture::run(), &found, Screen::default()).expect("a text")
    }

    #[test]
    fn people_see_ratios_noise_and_registers() {
        let text = rendered(Format::Table);
        let line = |begin: &str| {
            let line = text.lines().find(|line| line.starts_with(begin));
            line.unwrap_or_else(|| panic!("{begin}: {text}"))
        };
        assert!(line("sort: native, 1 M digis · 24 segments · order random").len() > 5);
        assert!(line("native ").contains("1.00 ms"), "{text}");
        assert!(line("native ").ends_with("40           8 B"), "{text}");
        let shaders = line("shaders ");
        assert!(shaders.contains("1.50 ms") && shaders.contains(" no "), "{text}");
        assert!(line("shaders, checked").contains("2.1000"), "{text}");
        assert!(line("ballots as sums").contains(" yes "), "{text}");
        assert!(text.contains("less than 0.20 %."), "{text}");
        assert_eq!(text.matches("What differs: blocks are smaller.").count(), 1, "{text}");
    }

    #[test]
    fn programs_get_a_row_for_each_candidate() {
        let text = rendered(Format::Csv);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers().expect("a header").clone();
        let column = |name: &str| columns.iter().position(|column| column == name).expect(name);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let rows = rows.expect("well formed");
        assert_eq!(rows.len(), 4);
        assert_eq!(&rows[2][column("device")], "wgpu:0+checked");
        assert_eq!(&rows[2][column("within_claim")], "no");
        assert_eq!(&rows[0][column("native_registers")], "40");
        assert_eq!(&rows[1][column("registers")], "", "drivers report none of shaders");
        let json = rendered(Format::Json);
        let [columns, of_schema] = crate::schema::columns("portability", "PortableKernel", &json);
        assert_eq!(columns, of_schema);
    }
}
