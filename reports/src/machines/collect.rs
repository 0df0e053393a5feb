//! Rows of runs by data and machine, and the rows that can't be compared.

use std::collections::BTreeMap;

use super::kind::{ComparedMachine, MachineId};
use super::setting::{DataKey, MachineRow, Setting};
use super::{LeftOut, MeasuredRun};
use crate::filter::PointFilter;
use crate::grouped::{distinct, grouped};
use crate::rank::{Rank, representatives};
use crate::record::SummaryRow;
use crate::units::counted;

/// Machines, and the data that they processed.
#[derive(Default)]
pub(super) struct Collected {
    pub machines: Vec<ComparedMachine>,
    pub settings: Vec<Setting>,
    pub left_out: Vec<LeftOut>,
    /// Rows of points that were measured again later, by folder.
    outdated: BTreeMap<String, usize>,
}

/// Row that can be compared, with the run that it is of.
#[derive(Clone)]
struct Usable<'a> {
    run: &'a MeasuredRun,
    data: DataKey,
    machine: usize,
    row: &'a SummaryRow,
}

impl Collected {
    /// Collects the rows of runs, ranked by total time or by kernels.
    pub fn new(runs: &[MeasuredRun], shown: &PointFilter, rank: Rank) -> Self {
        let mut collected = Collected::default();
        let mut usable = Vec::new();
        for run in runs {
            match problem(run) {
                Some(reason) => collected.leave_out(run, reason),
                None => usable.extend(collected.rows(run, shown, rank)),
            }
        }
        for (data, rows) in grouped(usable, |row| row.data.clone()) {
            let rows = collected.of_equal_items(rows);
            let rows = collected.newest(rows);
            collected.add(data, rows);
        }
        for (folder, rows) in std::mem::take(&mut collected.outdated) {
            let reason = format!("{}: measured again later by another run", counted(rows, "row"));
            collected.left_out.push(LeftOut { folder, reason });
        }
        collected.name_apart();
        collected
    }

    fn leave_out(&mut self, run: &MeasuredRun, reason: String) {
        self.left_out.push(LeftOut { folder: run.folder.clone(), reason });
    }

    /// The usable rows of a run; others are left out by reason.
    fn rows<'a>(
        &mut self,
        run: &'a MeasuredRun,
        shown: &PointFilter,
        rank: Rank,
    ) -> Vec<Usable<'a>> {
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        let mut usable = Vec::new();
        for row in representatives(&run.rows, rank) {
            if !shown.takes(&row.point()) {
                continue;
            }
            match self.machine(run, row) {
                Ok(machine) => {
                    let data = DataKey::new(&run.record, row);
                    usable.push(Usable { run, data, machine, row });
                }
                Err(reason) => *refused.entry(reason).or_default() += 1,
            }
        }
        for (reason, rows) in refused {
            self.leave_out(run, format!("{}: {reason}", counted(rows, "row")));
        }
        usable
    }

    /// Index of the machine that a row was measured on.
    fn machine(&mut self, run: &MeasuredRun, row: &SummaryRow) -> Result<usize, String> {
        if row.valid_median().is_none() {
            return Err(match row.note.as_str() {
                "" => "not valid, or without a time".to_owned(),
                note => format!("not valid: {note}"),
            });
        }
        let id = MachineId::new(&run.record, &row.device)
            .ok_or_else(|| format!("run.json has no model of {}", row.device))?;
        let known = self.machines.iter().position(|machine| machine.id == id);
        let index = known.unwrap_or_else(|| {
            self.machines.push(ComparedMachine::new(id, &run.record));
            self.machines.len() - 1
        });
        self.machines[index].add(&run.folder, &run.record);
        Ok(index)
    }

    /// The rows with the items of the newest one: others processed other data, such as those of an
    /// earlier version of the generator.
    fn of_equal_items<'a>(&mut self, rows: Vec<Usable<'a>>) -> Vec<Usable<'a>> {
        let newest = rows.iter().max_by_key(|row| &row.run.record.started);
        let Some((items, unit)) = newest.map(|it| (it.row.items, it.row.item_unit.clone())) else {
            return rows;
        };
        let is_equal = |it: &Usable<'_>| it.row.items == items && it.row.item_unit == unit;
        let (equal, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_equal);
        for (folder, rows) in grouped(others, |it| it.run.folder.clone()) {
            let first = rows[0].row;
            let reason = format!(
                "{} of {}: other data with equal axes, {} {}s instead of {items} {unit}s",
                counted(rows.len(), "row"),
                first.algorithm,
                first.items,
                first.item_unit,
            );
            self.left_out.push(LeftOut { folder, reason });
        }
        equal
    }

    /// The newest row of each point on each machine.
    fn newest<'a>(&mut self, rows: Vec<Usable<'a>>) -> Vec<Usable<'a>> {
        let points = grouped(rows, |it| (it.machine, it.row.point()));
        let mut newest = Vec::new();
        for (_, mut rows) in points {
            // RFC 3339 in UTC sorts by time; of equal ones the last named counts.
            rows.sort_by(|a, b| a.run.record.started.cmp(&b.run.record.started));
            newest.extend(rows.pop());
            for older in rows {
                *self.outdated.entry(older.run.folder.clone()).or_default() += 1;
            }
        }
        newest
    }

    /// Adds data with the fastest row of each machine.
    fn add(&mut self, data: DataKey, rows: Vec<Usable<'_>>) {
        let machines = grouped(rows, |it| it.machine);
        let fastest = machines.into_iter().filter_map(|(machine, rows)| {
            let variants = distinct(rows.iter().map(|it| &it.row.variant)).len();
            let time = |it: &Usable<'_>| it.row.valid_median().unwrap_or(f64::INFINITY);
            let fastest = rows.into_iter().min_by(|a, b| time(a).total_cmp(&time(b)))?;
            Some(MachineRow {
                machine,
                row: fastest.row.clone(),
                folder: fastest.run.folder.clone(),
                variants,
            })
        });
        let mut rows: Vec<MachineRow> = fastest.collect();
        rows.sort_by_key(|row| row.machine);
        let Some(first) = rows.first() else { return };
        let item_unit = first.row.item_unit.clone();
        self.settings.push(Setting { data, item_unit, rows });
    }

    /// Adds the key to names of CPUs that several machines have.
    fn name_apart(&mut self) {
        let names: Vec<String> = self.machines.iter().map(|it| it.name.clone()).collect();
        for machine in &mut self.machines {
            let equal = names.iter().filter(|name| **name == machine.name).count();
            if let MachineId::Cpu { key } = &machine.id
                && equal > 1
            {
                let short: String = key.chars().take(8).collect();
                machine.name = format!("{}, key {short}", machine.name);
            }
        }
    }
}

/// Reason why no row of a run can be compared.
fn problem(run: &MeasuredRun) -> Option<String> {
    if run.record.is_small() {
        return Some("measured under RECOBENCH_SMALL: nothing in it counts".to_owned());
    }
    if run.record.software.build_profile == "debug" {
        return Some("measured by a development build, whose times mislead".to_owned());
    }
    None
}
