//! Combined results of several nodes.

use super::rates::Times;
use super::row::{StreamRow, TimesliceRow, TimesliceState, WRONG};
use crate::record::YesNo;
use crate::units;

/// Results of a node at one speed.
#[derive(Clone, Copy, Debug)]
pub struct NodePart<'a> {
    /// Its row, with the node's name.
    pub row: &'a StreamRow,
    /// All timeslices of the node, also those of other points.
    pub timeslices: &'a [TimesliceRow],
    /// CPUs that its processes could use.
    pub cpus: usize,
}

/// The combined row of all nodes of a point; `None` without nodes.
///
/// Counts, rates and joules are sums, shares of CPUs are means over all CPUs, and quantiles are
/// those of all recorded timeslices. The speed was kept up with only if all nodes kept up. Metrics
/// that one of the nodes lacks are unknown.
pub fn together(parts: &[NodePart<'_>]) -> Option<StreamRow> {
    let mut row = parts.first()?.row.clone();
    let rows = || parts.iter().map(|part| part.row);
    // Files of other programs may contain any values.
    let sum = |of: fn(&StreamRow) -> u64| rows().map(of).fold(0, u64::saturating_add);
    let sum_counts = |of: fn(&StreamRow) -> usize| rows().map(of).fold(0, usize::saturating_add);
    let add = |of: fn(&StreamRow) -> Option<f64>| rows().map(of).sum::<Option<f64>>();
    row.node.clear();
    row.nodes = parts.len();
    row.processes = sum_counts(|row| row.processes);
    row.workers_lost = sum_counts(|row| row.workers_lost);
    row.duration_s = rows().map(|row| row.duration_s).fold(0.0, f64::max);
    row.due = sum(|row| row.due);
    row.emitted = sum(|row| row.emitted);
    row.done = sum(|row| row.done);
    row.lost = sum(|row| row.lost);
    row.dropped = sum(|row| row.dropped);
    row.backlog = sum(|row| row.backlog);
    row.repeated = sum(|row| row.repeated);
    row.checked = sum(|row| row.checked);
    row.done_items = sum(|row| row.done_items);
    let sum_known = |of: fn(&StreamRow) -> Option<u64>| {
        rows().map(of).try_fold(0, |sum: u64, count| Some(sum.saturating_add(count?)))
    };
    row.set_events(sum_known(|row| row.events), sum_known(|row| row.event_items));
    row.max_waiting = rows().map(|row| row.max_waiting).max().unwrap_or_default();
    let mean = |of: fn(&StreamRow) -> f64| {
        rows().map(|row| of(row) * row.due as f64).sum::<f64>() / row.due.max(1) as f64
    };
    (row.items, row.bytes) = (mean(|row| row.items), mean(|row| row.bytes));
    row.due_per_s = add(|row| row.due_per_s);
    row.done_per_s = add(|row| row.done_per_s);
    row.items_per_s = add(|row| row.items_per_s);
    row.bytes_per_s = add(|row| row.bytes_per_s);
    (row.cpu_j, row.gpu_j) = (add(|row| row.cpu_j), add(|row| row.gpu_j));
    row.command_j = add(|row| row.command_j);
    row.j_per_item = weighted(parts, |row| row.j_per_item, |row| row.done_items);
    if rows().any(|other| other.energy_source != row.energy_source) {
        row.j_per_item = None;
        row.energy_source.clear();
    }
    row.cores_share = share(parts, |row| row.cores_share);
    row.others_share = share(parts, |row| row.others_share);
    row.check_share = weighted(parts, |row| row.check_share, |row| row.done);
    row.compared_share = weighted(parts, |row| row.compared_share, |row| row.checked);
    row.kept_up = YesNo::from(rows().all(|row| row.kept_up == YesNo::Yes));
    row.valid = YesNo::from(rows().all(|row| row.valid == YesNo::Yes));
    row.note = notes(parts);
    fill_times(&mut row, parts);
    Some(row)
}

/// The mean over all CPUs.
fn share(parts: &[NodePart<'_>], of: fn(&StreamRow) -> Option<f64>) -> Option<f64> {
    let cpus = parts.iter().map(|part| part.cpus).fold(0, usize::saturating_add);
    let of_all: Option<f64> = parts.iter().map(|it| Some(of(it.row)? * it.cpus as f64)).sum();
    of_all.map(|of_all| of_all / cpus.max(1) as f64)
}

/// The mean weighted by a quantity of each node.
fn weighted(
    parts: &[NodePart<'_>],
    of: fn(&StreamRow) -> Option<f64>,
    weight: fn(&StreamRow) -> u64,
) -> Option<f64> {
    let rows = || parts.iter().map(|part| part.row).filter(|&row| weight(row) > 0);
    let total: f64 = rows().map(|row| weight(row) as f64).sum();
    let sum: Option<f64> = rows().map(|row| Some(of(row)? * weight(row) as f64)).sum();
    sum.filter(|_| total > 0.0).map(|sum| sum / total)
}

/// Notes on all nodes; errors come first. Notes of nodes that were not fast enough are with their
/// own rows.
fn notes(parts: &[NodePart<'_>]) -> String {
    let mut notes = Vec::new();
    let rows = || parts.iter().map(|part| part.row);
    let wrong: Vec<&str> =
        rows().filter(|row| row.is_wrong()).map(|row| row.node.as_str()).collect();
    if !wrong.is_empty() {
        notes.push(format!("{WRONG} on {}", wrong.join(", ")));
    }
    let behind = rows().filter(|row| row.kept_up == YesNo::No).count();
    if behind > 0 {
        notes.push(format!("{behind} of {} did not keep up", units::counted(parts.len(), "node")));
    }
    let others = rows().filter(|row| row.kept_up == YesNo::Yes && !row.note.is_empty());
    notes.extend(others.map(|row| format!("{}: {}", row.node, row.note)));
    let due = rows().map(|row| row.due).fold(0, u64::saturating_add);
    let written = parts.iter().flat_map(own).count() as u64;
    if written < due {
        let of_all = units::counted(due as usize, "timeslice");
        notes
            .push(format!("quantiles are those of {written} of {of_all}, which were written down"));
    }
    notes.join("; ")
}

/// The timeslices of a node's row.
fn own<'a>(part: &NodePart<'a>) -> impl Iterator<Item = &'a TimesliceRow> {
    let NodePart { row, timeslices, .. } = *part;
    timeslices.iter().filter(|it| it.point_id == row.point_id)
}

/// Quantiles of all nodes' timeslices, and the longest times of any node.
fn fill_times(row: &mut StreamRow, parts: &[NodePart<'_>]) {
    let all = || parts.iter().flat_map(own);
    let done = || all().filter(|it| it.fate == TimesliceState::Done);
    let on_time = all().filter(|it| it.held == YesNo::No);
    let times = Times {
        latencies: done().filter_map(TimesliceRow::latency_s).collect(),
        work: done().filter_map(|it| Some(it.ended_s? - it.begun_s?)).collect(),
        building: done().filter_map(|it| it.building_s).collect(),
        late: on_time.filter_map(|it| Some(it.emitted_s? - it.due_s)).collect(),
    };
    times.fill(row);
    let longest = |of: fn(&StreamRow) -> Option<f64>| {
        parts.iter().filter_map(|part| of(part.row)).reduce(f64::max)
    };
    (row.max_s, row.late_max_s) = (longest(|row| row.max_s), longest(|row| row.late_max_s));
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, timeslice};
    use super::*;

    fn node(name: &str) -> StreamRow {
        StreamRow { node: name.into(), cpu_j: Some(5.0), cores_share: Some(0.2), ..row(1.0) }
    }

    /// `count` timeslices with this latency.
    fn timeslices(count: u64, latency_s: f64) -> Vec<TimesliceRow> {
        (0..count).map(|index| timeslice(index, latency_s)).collect()
    }

    fn merged(rows: [&StreamRow; 2], timeslices: [&[TimesliceRow]; 2]) -> StreamRow {
        let part =
            |at: usize| NodePart { row: rows[at], timeslices: timeslices[at], cpus: 2 * at + 2 };
        together(&[part(0), part(1)]).expect("two of them")
    }

    fn close(value: Option<f64>, expected: f64) {
        let value = value.expect("known");
        assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
    }

    #[test]
    fn counts_add_up_and_quantiles_are_those_of_all_timeslices() {
        let quick = timeslices(400, 0.01);
        let slow = timeslices(400, 0.03);
        let other = StreamRow { cores_share: Some(0.8), items: 3e5, ..node("b") };
        let all = merged([&node("a"), &other], [&quick, &slow]);
        assert_eq!((all.node.as_str(), all.nodes, all.processes), ("", 2, 4));
        assert_eq!((all.due, all.done, all.checked), (800, 800, 40));
        assert_eq!(all.done + all.lost + all.dropped + all.backlog, all.due);
        assert!(all.note.is_empty(), "{}", all.note);
        assert_eq!((all.kept_up, all.valid), (YesNo::Yes, YesNo::Yes));
        close(all.due_per_s, 40.0);
        close(all.speed_done(), 1.0);
        close(all.cpu_j, 10.0);
        close(Some(all.items), 6e5);
        // Two CPUs, and four.
        close(all.cores_share, 0.6);
        close(all.p99_s, 0.03);
        let p50 = all.p50_s.expect("known");
        assert!((0.0099..0.0301).contains(&p50), "{p50}");
        assert_eq!(all.max_s, node("a").max_s, "by the nodes' own rows");
    }

    #[test]
    fn events_of_all_nodes_are_counted_and_shares_are_those_of_all_digis() {
        let built = |name: &str, done_items, kept| {
            let mut row = StreamRow { done_items, ..node(name) };
            row.set_events(Some(30), Some(kept));
            row
        };
        let mut slices = timeslices(3, 0.01);
        for (slice, building_s) in slices.iter_mut().zip([0.002, 0.004, 0.009]) {
            slice.building_s = Some(building_s);
        }
        let small = built("a", 1000, 100);
        let large = built("b", 3000, 900);
        let all = merged([&small, &large], [&slices, &[]]);
        assert_eq!((all.events, all.event_items, all.done_items), (Some(60), Some(1000), 4000));
        close(all.kept_share, 0.25);
        close(all.building_p50_s, 0.004);
        let without = merged([&small, &node("b")], [&slices, &[]]);
        assert_eq!((without.events, without.kept_share), (None, None));
    }

    #[test]
    fn one_slow_or_wrong_node_counts_for_all() {
        let behind = StreamRow { kept_up: YesNo::No, note: "9 timeslices".into(), ..node("b") };
        let few = timeslices(400, 0.01);
        let all = merged([&node("a"), &behind], [&few, &few]);
        assert_eq!((all.kept_up, all.note.as_str()), (YesNo::No, "1 of 2 nodes did not keep up"));
        assert!(!all.is_wrong());
        let note = format!("{WRONG}: timeslice 3");
        let wrong = StreamRow { valid: YesNo::No, note, ..behind };
        let all = merged([&node("a"), &wrong], [&few, &few]);
        assert!(all.is_wrong() && all.note.starts_with("wrong output on b; "), "{}", all.note);
        let lucky = StreamRow { note: "worker 0 was lost".into(), ..node("b") };
        let all = merged([&node("a"), &lucky], [&few, &few]);
        assert_eq!((all.kept_up, all.note.as_str()), (YesNo::Yes, "b: worker 0 was lost"));
    }

    #[test]
    fn values_unknown_to_one_node_are_unknown_for_all() {
        let silent = StreamRow { cpu_j: None, cores_share: None, ..node("b") };
        let all = merged([&node("a"), &silent], [&[], &[]]);
        assert_eq!((all.cpu_j, all.cores_share, all.p50_s), (None, None, None));
    }

    #[test]
    fn timeslices_of_other_points_and_delayed_ones_are_omitted() {
        let mut all = timeslices(400, 0.01);
        all[0].point_id = "another".into();
        all[1] = TimesliceRow { held: YesNo::Yes, emitted_s: Some(9.0), ..all[1].clone() };
        let merged = merged([&node("a"), &node("b")], [&all, &[]]);
        let note = "quantiles are those of 399 of 800 timeslices, which were written down";
        assert_eq!(merged.note, note);
        assert_eq!(merged.late_p99_s, Some(0.0));
        assert!(together(&[]).is_none());
    }
}
