//! Tables that are part of the program.

use serde::de::DeserializeOwned;

use super::figure::{Claim, Figure, Value};
use super::shows::Stream;

const FIGURES: &str = include_str!("../../assets/published/figures.csv");
const VALUES: &str = include_str!("../../assets/published/values.csv");
const CLAIMS: &str = include_str!("../../assets/published/claims.csv");
const STREAMS: &str = include_str!("../../assets/published/streams.csv");

/// All published figures, in the order of the publications.
pub fn figures() -> Vec<Figure> {
    let values = rows::<Value>(VALUES);
    let claims = rows::<Claim>(CLAIMS);
    let streams = rows::<Stream>(STREAMS);
    let mut figures = rows::<Figure>(FIGURES);
    for figure in &mut figures {
        let id = &figure.id;
        figure.values = values.iter().filter(|value| value.figure == *id).cloned().collect();
        figure.claims = claims.iter().filter(|claim| claim.figure == *id).cloned().collect();
        figure.stream = streams.iter().find(|stream| stream.figure == *id).cloned();
    }
    figures
}

/// The rows of a table. The tables are part of the program and read by a test, so invalid rows are
/// skipped.
fn rows<R: DeserializeOwned>(text: &str) -> Vec<R> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_of_the_tables_is_lost() {
        let lines = |text: &str| text.lines().count() - 1;
        let figures = figures();
        assert_eq!(figures.len(), lines(FIGURES));
        let values = figures.iter().map(|figure| figure.values.len());
        assert_eq!(values.sum::<usize>(), lines(VALUES));
        let claims = figures.iter().map(|figure| figure.claims.len());
        assert_eq!(claims.sum::<usize>(), lines(CLAIMS));
        let streams = figures.iter().filter(|figure| figure.stream.is_some());
        assert_eq!(streams.count(), lines(STREAMS));
    }

    #[test]
    fn all_that_is_named_is_there() {
        for figure in figures() {
            let id = &figure.id;
            assert_eq!(figure.claims.is_empty(), !figure.reason.is_empty(), "{id}");
            for value in &figure.values {
                if let Some(basis) = &value.basis {
                    assert!(figure.value(basis, "").is_some(), "{id}: {basis}");
                }
            }
            for claim in &figure.claims {
                for (label, hardware) in [
                    (&claim.faster, &claim.hardware_of_faster),
                    (&claim.slower, &claim.hardware_of_slower),
                ] {
                    let value = figure.value(label, hardware);
                    assert!(value.is_some(), "{id}: {label} on {hardware}");
                }
            }
        }
    }

    #[test]
    fn reproducible_figures_name_their_points() {
        let figures = figures();
        let group = |name: &str| figures.iter().filter(|figure| figure.group == name).count();
        assert_eq!([group("secB"), group("secC")], [16, 6]);
        for figure in &figures {
            assert_eq!(figure.values.is_empty(), !figure.reason.is_empty(), "{}", figure.id);
        }
    }

    /// Values with one label have one measured counterpart, for all published machines.
    #[test]
    fn labels_are_clear() {
        for figure in figures() {
            for value in &figure.values {
                let first = figure.value(&value.label, "").expect("itself");
                let (Value { hardware, published, unit, items, basis, .. }, first) =
                    (value.clone(), first.clone());
                let first = Value { hardware, published, unit, items, basis, ..first };
                assert_eq!(*value, first, "{}", figure.id);
            }
        }
    }

    #[test]
    fn numbers_are_those_that_were_printed() {
        let figures = figures();
        let figure = |id: &str| figures.iter().find(|figure| figure.id == id).expect(id);
        let table = figure("tab5.1");
        let value = table.value("sort, online, 1 thread", "Xeon Gold 6130").expect("a value");
        assert_eq!(value.seconds(), Some(1.22));
        let nanoseconds = value.amount_an_item().expect("items") * 1e9;
        assert!((nanoseconds - 70.93).abs() < 0.01, "{nanoseconds}");
        let speed_up = table.published_speed_up(value).expect("a basis");
        assert!((speed_up - 2.4 / 1.22).abs() < 1e-9, "{speed_up}");
        let layers = figure("fig4.4");
        let one_api = layers.value("oneAPI", "").expect("a value");
        assert_eq!(layers.published_speed_up(one_api), Some(100.0 / 136.0));
        let gather = figure("fig3.10");
        let value = gather.value("writes to the host", "MI100").expect("a value");
        assert_eq!(gather.published_speed_up(value), Some(60.0));
    }
}
