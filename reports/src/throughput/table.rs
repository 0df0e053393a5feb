//! Throughput as tables: a block for each task and setting, a row for each point.

use super::ThroughputRow;
use super::curve::{Curve, curves};
use crate::frame::Frame;
use crate::grouped::grouped;
use crate::record::{RunRecord, YesNo};
use crate::row::Record;
use crate::screen::Screen;
use crate::shape::{self, AxisName};
use crate::table::{Highlight, RunRows, Side, Table, Tabular, known};
use crate::units;

/// Number of events below which a 99th percentile is unreliable.
const FEW: usize = 100;

const COLUMNS: [(&str, Side); 18] = [
    ("variant", Side::Left),
    ("device", Side::Left),
    ("threads", Side::Right),
    ("streams", Side::Right),
    ("processes", Side::Right),
    ("items/s", Side::Right),
    ("95 %", Side::Right),
    ("events/s", Side::Right),
    ("of ideal", Side::Right),
    ("p50", Side::Right),
    ("p99", Side::Right),
    ("cores", Side::Right),
    ("others", Side::Right),
    ("J/item", Side::Right),
    ("events/J", Side::Right),
    ("copy", Side::Right),
    ("link", Side::Right),
    ("kernels", Side::Right),
];
/// Columns that are omitted on narrow terminals, the least important first.
const DISPENSABLE: [&str; 10] = [
    "events/J", "J/item", "copy", "others", "link", "kernels", "cores", "of ideal", "95 %",
    "events/s",
];

impl Tabular for RunRows<'_, ThroughputRow> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        tables(self.rows)
    }

    fn frame(&self) -> Frame {
        Frame::new(&record(&ThroughputRow::default()), self.rows.iter().map(record))
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

fn record(row: &ThroughputRow) -> Record<'_> {
    row.record().spread("axis", row.params.iter())
}

fn tables(rows: &[ThroughputRow]) -> Vec<Table> {
    let key = |row: &&ThroughputRow| (row.algorithm.clone(), row.setting());
    let blocks = grouped(rows, key);
    blocks.into_iter().map(|((task, setting), rows)| table(&task, &setting, &rows)).collect()
}

fn table(task: &str, setting: &[(AxisName, String)], rows: &[&ThroughputRow]) -> Table {
    let curves = curves(rows.iter().copied());
    let best = rows.iter().filter_map(|row| row.rate()).fold(0.0, f64::max);
    let highlight = |row: &&ThroughputRow| match row.rate() {
        Some(rate) if rate == best => Highlight::Winner,
        None if row.valid == YesNo::No => Highlight::NotValid,
        _ => Highlight::Plain,
    };
    let highlights = rows.iter().map(highlight).collect();
    let heading = format!("{task}: {}", heading(setting, rows));
    let on_gpus = rows.iter().any(|row| row.backend != "cpu");
    let with_energy = rows.iter().any(|row| row.events_per_j().is_some());
    let apart = rows.iter().any(|row| row.processes > 1);
    let shown = |(name, _): &(&str, Side)| match *name {
        "link" | "kernels" => on_gpus,
        "J/item" | "events/J" => with_energy,
        "processes" => apart,
        _ => true,
    };
    let cells = |row: &&ThroughputRow| -> Vec<String> {
        let all = COLUMNS.iter().zip(cells(row, &curves));
        all.filter(|(column, _)| shown(column)).map(|(_, cell)| cell).collect()
    };
    let columns: Vec<_> = COLUMNS.into_iter().filter(shown).collect();
    let phrases = curves.iter().map(|curve| format!("{}: {}", subject(curve), curve.words()));
    let few = few_events(rows);
    Table::new(&columns, rows.iter().map(cells))
        .under(heading)
        .with_notes(phrases.chain(notes(rows)).chain(few).collect())
        .with_highlights(highlights)
        .without_if_narrow(&DISPENSABLE)
}

/// The notes of rows, without repeats, each with its streams.
fn notes(rows: &[&ThroughputRow]) -> Vec<String> {
    let noted = rows.iter().filter(|row| !row.note.is_empty());
    let notes = grouped(noted, |row| (&row.variant, &row.device, &row.note)).into_iter();
    let note = |((variant, device, note), rows): ((&String, &String, &String), Vec<_>)| {
        let mut streams: Vec<usize> =
            rows.iter().map(|row: &&&ThroughputRow| row.streams).collect();
        streams.sort_unstable();
        streams.dedup();
        let streams: Vec<String> = streams.iter().map(usize::to_string).collect();
        format!("{variant} on {device}, streams {}: {note}", streams.join(", "))
    };
    notes.map(note).collect()
}

/// Note that with fewer than a hundred events the 99th percentile lies between the two longest.
fn few_events(rows: &[&ThroughputRow]) -> Option<String> {
    let few = rows.iter().filter(|row| row.rate().is_some() && row.events < FEW).count();
    (few > 0).then(|| {
        let points = units::counted(few, "point");
        format!(
            "p99 of fewer than {FEW} events, at {points}, is unreliable; use a longer \
            --duration"
        )
    })
}

/// `1.2 M digis an event · batch 4 · working set 96 MB a stream · …`.
fn heading(setting: &[(AxisName, String)], rows: &[&ThroughputRow]) -> String {
    let measured = rows.iter().find(|row| row.rate().is_some());
    let event = measured.map(|row| {
        let items = format!("{} {}s", units::count(row.items), row.item_unit);
        let bytes = units::bytes(row.working_set_bytes as f64 / row.streams.max(1) as f64);
        format!("{items} per event, working set {bytes} per stream")
    });
    let phrases = shape::phrases(setting);
    let parts =
        event.into_iter().chain(std::iter::once(phrases).filter(|phrases| !phrases.is_empty()));
    parts.collect::<Vec<_>>().join(shape::SEPARATOR)
}

fn subject(curve: &Curve<'_>) -> String {
    curve.rows.first().map_or_else(String::new, |row| {
        let threads = units::counted(row.threads, "thread");
        let subject = format!("{} on {}, {threads} per stream", row.variant, row.device);
        [Some(subject), curve.processes()].into_iter().flatten().collect::<Vec<_>>().join(", ")
    })
}

fn cells(row: &ThroughputRow, curves: &[Curve<'_>]) -> Vec<String> {
    let curve =
        curves.iter().find(|curve| curve.rows.iter().any(|other| std::ptr::eq(*other, row)));
    let of_ideal = curve.and_then(|curve| curve.of_ideal(row));
    let half = row.rate().zip(row.rate_interval());
    let half = half.map(|(rate, (low, high))| (high - low) / 2.0 / rate);
    let time = |seconds: Option<f64>| known(seconds, |seconds| units::seconds(seconds, 3));
    let share = |share: Option<f64>| known(share, units::percent);
    vec![
        row.variant.clone(),
        row.device.clone(),
        row.threads.to_string(),
        row.streams.to_string(),
        row.processes.to_string(),
        known(row.rate(), units::rate),
        known(half, |half| format!("± {}", units::percent(half))),
        known(row.events_per_s, |rate| units::significant(rate, 3)),
        share(of_ideal),
        time(row.p50_s),
        time(row.p99_s),
        share(row.cores_share),
        share(row.others_share),
        known(row.joules_per_item(), units::joules),
        known(row.events_per_j(), |events| units::significant(events, 3)),
        share(row.copy_share),
        share(row.link_share),
        share(row.kernels_share),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;
    use crate::table::{Format, for_people};

    #[test]
    fn each_point_has_a_row_and_each_curve_a_note() {
        let rows = [row(1, 10e6), row(2, 19e6), row(4, 19.2e6)];
        let all = tables(&rows);
        let [table] = &all[..] else { panic!("{}", all.len()) };
        assert_eq!(table.column("streams"), ["1", "2", "4"]);
        assert_eq!(table.column("items/s"), ["10 M/s", "19 M/s", "19.2 M/s"]);
        assert_eq!(table.column("of ideal"), ["100 %", "95 %", "48 %"]);
        assert!(!table.names().contains(&"link"), "there is none");
        assert!(!table.names().contains(&"processes"), "it is one");
        assert!(!table.names().contains(&"events/J"), "no energy counters");
        assert!(!table.names().contains(&"J/item"), "no energy counters");
        assert!(table.heading().starts_with("sts: 1 M digis per event"), "{}", table.heading());
        let text = for_people(Format::Table, &all, Screen::default());
        assert!(text.contains("plateau of 19.1 M/s"), "{text}");
    }

    #[test]
    fn one_process_and_several_stand_in_one_table() {
        let apart = |row: ThroughputRow| ThroughputRow { processes: 2, ..row };
        let all = tables(&[row(1, 10e6), row(2, 19e6), apart(row(2, 19.5e6))]);
        let [table] = &all[..] else { panic!("{}", all.len()) };
        assert_eq!(table.column("processes"), ["1", "1", "2"]);
        let text = for_people(Format::Table, &all, Screen::default());
        assert!(text.contains("1 thread per stream, 2 processes: "), "{text}");
    }

    #[test]
    fn programs_get_all_columns() {
        let text = RunRows { run: &RunRecord::default(), rows: &[row(1, 10e6)] }.frame().csv();
        let text = text.expect("rows");
        let header = text.lines().next().expect("a header");
        assert!(
            header
                .starts_with(&format!("{},", ThroughputRow::default().record().names().join(","))),
            "{header}"
        );
        assert!(header.ends_with("axis_scale"), "{header}");
    }

    #[test]
    fn settings_are_tables_of_their_own() {
        let other = ThroughputRow { batch: 8, ..row(1, 10e6) };
        let wrong = ThroughputRow {
            valid: YesNo::No,
            items_per_s: None,
            note: "wrong output: hit 3".into(),
            ..row(2, 1.0)
        };
        let all = tables(&[row(1, 10e6), wrong, other]);
        assert_eq!(all.len(), 2);
        let text = for_people(Format::Markdown, &all, Screen::default());
        assert!(text.contains("streams 2: wrong output: hit 3"), "{text}");
    }
}
