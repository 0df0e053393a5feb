//! Settings of a run with their speed and quality.

use statistics::{Interval, Items};

use super::goal::{Goal, Quantity};
use crate::rank::TOTAL;
use crate::record::{Better, Parts, QualityRow, SummaryRow};
use crate::shape;

/// A setting of a run: variant, device, threads and parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Variant and device.
    pub name: String,
    /// The parameters that vary, as text.
    pub setting: String,
    /// Its point: see the rows of the run.
    pub point_id: String,
    /// A value for each goal.
    pub figures: Vec<Figure>,
}

/// A value with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its 95 % interval, if there is one.
    pub interval: Option<Interval>,
    /// Kind of its items.
    pub items: Items,
    /// Sums of the parts of the data, which are the same for all settings.
    pub parts: Parts,
}

/// The settings of a run that have all figures, and the reasons why others lack some.
pub fn candidates(
    rows: &[SummaryRow],
    quality: &[QualityRow],
    goals: &[Goal],
) -> (Vec<Candidate>, Vec<String>) {
    let whole: Vec<&SummaryRow> = rows.iter().filter(|row| row.stage == TOTAL).collect();
    let common = shape::common(whole.iter().map(|row| shape::axes(row)));
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for row in whole {
        let mut axes = shape::axes(row);
        axes.retain(|axis| !common.contains(axis));
        let name = shape::name(row);
        let setting = shape::phrases(&axes);
        let point_id = row.point().id();
        let figures = goals.iter().map(|goal| figure(row, quality, &point_id, goal));
        match figures.collect::<Result<Vec<_>, String>>() {
            Ok(figures) => found.push(Candidate { name, setting, point_id, figures }),
            Err(reason) => missing.push(shape::joined([&name, &setting, &reason])),
        }
    }
    (found, missing)
}

fn figure(
    row: &SummaryRow,
    quality: &[QualityRow],
    point_id: &str,
    goal: &Goal,
) -> Result<Figure, String> {
    let Some(median) = row.valid_median() else {
        return Err(if row.note.is_empty() { "no time".to_owned() } else { row.note.clone() });
    };
    if goal.quantity != Quantity::Quality {
        let value = match goal.quantity {
            Quantity::ItemsPerSecond => row.items_per_s,
            Quantity::MedianTime => Some(median),
            Quantity::OtherSpeed | Quantity::Quality => row.metrics.number(&goal.metric),
        };
        let value = value.ok_or_else(|| format!("no {}", goal.label))?;
        let ends = row.ci95_low_s.zip(row.ci95_high_s);
        let interval = ends.map(|(low, high)| match goal.better {
            Better::Lower => Interval { low, high }.times(value / median),
            _ => Interval { low: value * median / high, high: value * median / low },
        });
        return Ok(Figure { value, interval, items: Items::Numbers, parts: Parts::default() });
    }
    let mut own = quality.iter().filter(|known| known.point_id == point_id).peekable();
    let reason = match own.peek() {
        Some(_) => "there is nothing to count",
        None => "the truth is not known",
    };
    let known = own.find(|known| known.metric == goal.metric);
    let known = known.ok_or_else(|| format!("no {}: {reason}", goal.label))?;
    Ok(Figure {
        value: known.value,
        interval: known.bounds(),
        items: known.items(),
        parts: known.parts.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::goal::{MEDIAN_S, quantities};
    use super::*;
    use crate::charts::fixture::row;
    use crate::record::FigureKind;

    #[test]
    fn settings_without_all_figures_are_named() {
        let goals = [
            Goal::speed(&quantities(), "task", MEDIAN_S).expect("known"),
            Goal::qualities(&quantities(), "task", &["ghosts".into()]).expect("known").remove(0),
        ];
        let rows = [row("a", "n=1", 2.0), row("a", "n=2", 1.0)];
        let parts = "1/4".parse().expect("parts");
        let quality = QualityRow::new(&rows[0].point(), "ghosts", FigureKind::Share, 0.25, parts);
        let (found, missing) = candidates(&rows, &[quality], &goals);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].figures[0].value, 2.0);
        assert_eq!(found[0].figures[1].value, 0.25);
        assert!(missing[0].ends_with("no ghosts: the truth is not known"), "{missing:?}");
        let other = QualityRow {
            metric: "efficiency".into(),
            ..QualityRow::new(&rows[0].point(), "", FigureKind::Share, 0.0, Parts::default())
        };
        let (_, missing) = candidates(&rows[..1], &[other], &goals);
        assert!(missing[0].ends_with("no ghosts: there is nothing to count"), "{missing:?}");
    }
}
