//! Results of open-loop runs as tables: a block for each setting, a row for each speed.

use text::Untrusted;

use super::rates::highest_kept_up;
use super::row::StreamRow;
use crate::frame::Frame;
use crate::grouped::grouped;
use crate::record::{RunRecord, YesNo};
use crate::row::Record;
use crate::screen::Screen;
use crate::shape::{self, AxisName};
use crate::table::{Highlight, RunRows, Side, Table, Tabular, known};
use crate::units;

const COLUMNS: [(&str, Side); 22] = [
    ("variant", Side::Left),
    ("device", Side::Left),
    (NODE, Side::Left),
    ("speed", Side::Right),
    ("due", Side::Right),
    ("done", Side::Right),
    ("lost", Side::Right),
    ("dropped", Side::Right),
    ("backlog", Side::Right),
    ("kept up", Side::Left),
    ("items/s", Side::Right),
    (EVENTS, Side::Right),
    (KEPT, Side::Right),
    ("p50", Side::Right),
    ("p99", Side::Right),
    ("p99.9", Side::Right),
    ("max", Side::Right),
    (BUILDING, Side::Right),
    ("late p99", Side::Right),
    ("cores", Side::Right),
    (PER_ITEM, Side::Right),
    (PER_JOULE, Side::Right),
];
/// Columns that are omitted on narrow terminals, the least important first.
const DISPENSABLE: [&str; 11] = [
    "late p99", "p99.9", PER_JOULE, PER_ITEM, KEPT, "cores", BUILDING, EVENTS, "max", "dropped",
    "backlog",
];
const NODE: &str = "node";
const EVENTS: &str = "events";
/// Column of the share of digis that are in events.
const KEPT: &str = "kept";
/// Column of the median time of event building.
const BUILDING: &str = "building p50";
const PER_JOULE: &str = "done/J";
const PER_ITEM: &str = "J/item";

impl Tabular for RunRows<'_, StreamRow> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        tables(self.rows)
    }

    fn frame(&self) -> Frame {
        Frame::new(&record(&StreamRow::default()), self.rows.iter().map(record))
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

fn record(row: &StreamRow) -> Record<'_> {
    row.record().spread("axis", row.params.iter())
}

fn tables(rows: &[StreamRow]) -> Vec<Table> {
    // Nodes are below their sum, even if there is only one.
    let key = |row: &&StreamRow| (row.algorithm.clone(), row.setting(), row.node.is_empty());
    let blocks = grouped(rows, key).into_iter();
    blocks.map(|((task, setting, _), rows)| table(&task, &setting, &rows)).collect()
}

fn table(task: &str, setting: &[(AxisName, String)], rows: &[&StreamRow]) -> Table {
    let is_shown = |name: &str| match name {
        NODE => rows.iter().any(|row| !row.node.is_empty()),
        EVENTS | KEPT | BUILDING => rows.iter().any(|row| row.events.is_some()),
        PER_ITEM | PER_JOULE => rows.iter().any(|row| row.joules_per_item().is_some()),
        _ => true,
    };
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(name, _)| is_shown(name)).collect();
    let cells = |row: &&StreamRow| -> Vec<String> {
        let named = COLUMNS.into_iter().zip(cells(row));
        named.filter(|((name, _), _)| is_shown(name)).map(|(_, cell)| cell).collect()
    };
    let highlight = |row: &&StreamRow| match row.valid {
        YesNo::No => Highlight::NotValid,
        _ => Highlight::Plain,
    };
    Table::new(&columns, rows.iter().map(cells))
        .under(format!("{task}: {}", heading(setting, rows)))
        .with_notes(limits(rows).chain(notes(rows)).collect())
        .with_highlights(rows.iter().map(highlight).collect())
        .without_if_narrow(&DISPENSABLE)
}

/// `17.8 M digis per second from the detector, in timeslices of 50 ms · 2 processes · …`.
fn heading(setting: &[(AxisName, String)], rows: &[&StreamRow]) -> String {
    let measured = rows.iter().find(|row| row.is_measured());
    let data = measured.map(|row| {
        let rate = units::count(row.items / row.timeslice_s);
        let timeslice = units::seconds(row.timeslice_s, 3);
        format!(
            "{rate} {}s per second from the detector, in timeslices of {timeslice}",
            row.item_unit
        )
    });
    let phrases = shape::phrases(setting);
    let parts =
        data.into_iter().chain(std::iter::once(phrases).filter(|phrases| !phrases.is_empty()));
    parts.collect::<Vec<_>>().join(shape::SEPARATOR)
}

/// The highest speed with which each device keeps up; for several nodes that of their sum.
pub(crate) fn limits(rows: &[&StreamRow]) -> impl Iterator<Item = String> {
    let rows = rows.iter().filter(|row| row.node.is_empty());
    grouped(rows, |row| subject(row)).into_iter().filter_map(|(subject, rows)| {
        let rows: Vec<&StreamRow> = rows.into_iter().copied().collect();
        rows.iter().find(|row| row.is_measured())?;
        let phrases = match highest_kept_up(rows.iter().copied()) {
            Some(row) => format!("keeps up with {} the detector's rate", times(row.speed)),
            None => "keeps up with none of these speeds".to_owned(),
        };
        Some(format!("{subject}: {phrases}"))
    })
}

/// `time-sweep on cpu`, `time-sweep on cpu of n1`.
fn subject(row: &StreamRow) -> String {
    let subject = format!("{} on {}", row.variant, row.device);
    if row.node.is_empty() { subject } else { format!("{subject} of {}", row.node.escaped()) }
}

/// `0.5 times`.
fn times(speed: f64) -> String {
    format!("{} times", short(speed))
}

/// Three digits without trailing zeros, as speeds are typed.
pub fn short(speed: f64) -> String {
    units::trimmed(&units::significant(speed, 3)).to_owned()
}

fn notes(rows: &[&StreamRow]) -> impl Iterator<Item = String> {
    let noted = rows.iter().filter(|row| !row.note.is_empty());
    let notes: Vec<String> = noted
        .map(|row| format!("{}, speed {}: {}", subject(row), short(row.speed), row.note))
        .collect();
    notes.into_iter()
}

fn cells(row: &StreamRow) -> Vec<String> {
    let time = |seconds: Option<f64>| known(seconds, |seconds| units::seconds(seconds, 3));
    let count = |count: u64| if row.due > 0 { count.to_string() } else { String::new() };
    let kept_up = if row.is_measured() { row.kept_up.name().to_owned() } else { String::new() };
    vec![
        row.variant.clone(),
        row.device.clone(),
        row.node.escaped().to_string(),
        short(row.speed),
        count(row.due),
        count(row.done),
        count(row.lost),
        count(row.dropped),
        count(row.backlog),
        kept_up,
        known(row.items_per_s, units::rate),
        row.events.map_or_else(String::new, |events| events.to_string()),
        known(row.kept_share, units::percent),
        time(row.p50_s),
        time(row.p99_s),
        time(row.p999_s),
        time(row.max_s),
        time(row.building_p50_s),
        time(row.late_p99_s),
        known(row.cores_share, units::percent),
        known(row.joules_per_item(), units::joules),
        known(row.done_per_j(), |done| units::significant(done, 3)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;
    use crate::table::{Format, for_people};

    #[test]
    fn each_speed_has_a_row_and_each_device_its_limit() {
        let behind = StreamRow { done: 1400, backlog: 200, kept_up: YesNo::No, ..row(4.0) };
        let rows = [row(0.5), row(1.0), behind];
        let all = tables(&rows);
        let [table] = &all[..] else { panic!("{}", all.len()) };
        assert_eq!(table.column("speed"), ["0.5", "1", "4"]);
        assert_eq!(table.column("due"), ["200", "400", "1600"]);
        assert_eq!(table.column("backlog"), ["0", "0", "200"]);
        assert!(!table.names().contains(&"done/J"), "no energy counters");
        let text = for_people(Format::Table, &all, Screen::default());
        for words in ["18 M digis per second", "timeslices of 50.0 ms", "keeps up with 1 times"] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn nodes_stand_beside_each_other_below_all_of_them() {
        let node = |name: &str| StreamRow {
            node: name.into(),
            note: format!("known of {name}"),
            ..row(1.0)
        };
        let all = StreamRow { nodes: 2, processes: 4, ..row(1.0) };
        let tables = tables(&[all, node("n1"), node("n2")]);
        let [all, each] = &tables[..] else { panic!("{}", tables.len()) };
        assert!(!all.names().contains(&NODE));
        assert_eq!(each.column(NODE), ["n1", "n2"]);
        let text = for_people(Format::Table, &tables, Screen::default());
        for words in ["2 nodes · 4 workers", "time-sweep on cpu of n2, speed 1: known of n2"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(text.matches("keeps up with 1 times").count(), 1, "{text}");
    }

    #[test]
    fn energy_is_there_where_it_is_known() {
        let rows = [StreamRow { cpu_j: Some(200.0), ..row(1.0) }];
        assert_eq!(tables(&rows)[0].column("done/J"), ["2.00"]);
    }

    #[test]
    fn events_are_there_where_they_were_built() {
        let mut built = StreamRow { building_p50_s: Some(2e-3), done_items: 400, ..row(1.0) };
        built.set_events(Some(12), Some(100));
        let table = &tables(&[built])[0];
        assert_eq!(table.column(EVENTS), ["12"]);
        assert_eq!(table.column(KEPT), [units::percent(0.25)]);
        assert_eq!(table.column(BUILDING), ["2.00 ms"]);
        assert!(!tables(&[row(1.0)])[0].names().contains(&EVENTS));
    }

    #[test]
    fn unmeasured_values_have_a_reason() {
        let empty =
            StreamRow { due: 0, valid: YesNo::No, note: "not run: tired".into(), ..row(1.0) };
        let text = for_people(Format::Markdown, &tables(&[empty]), Screen::default());
        assert!(text.contains("not run: tired") && !text.contains("keeps up with"), "{text}");
    }

    #[test]
    fn programs_get_all_columns() {
        let text = RunRows { run: &RunRecord::default(), rows: &[row(1.0)] }.frame().csv();
        let text = text.expect("rows");
        let header = text.lines().next().expect("a header");
        assert!(
            header.starts_with(&format!("{},", StreamRow::default().record().names().join(","))),
            "{header}"
        );
    }
}
