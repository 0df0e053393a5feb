//! The values of all rows, with their type.

use super::cell::{Cell, Kind};

/// A column of a frame.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub values: Values,
}

/// Values of one type; `None` where unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text(Vec<Option<String>>),
    Flag(Vec<Option<bool>>),
    /// Integers that do not fit in 63 bits are unknown rather than negative.
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    /// In RFC 3339.
    Time(Vec<Option<String>>),
}

impl Column {
    /// Values of a known type.
    pub fn new(name: &str, kind: Kind, cells: Vec<Cell<'_>>) -> Self {
        let cells = cells.into_iter();
        let values = match kind {
            Kind::Text => {
                Values::Text(cells.map(|cell| text(cell).or(Some(String::new()))).collect())
            }
            Kind::Time => Values::Time(cells.map(text).collect()),
            Kind::Flag => Values::Flag(cells.map(flag).collect()),
            Kind::Whole => Values::Whole(cells.map(whole).collect()),
            Kind::Number => Values::Number(cells.map(number).collect()),
        };
        Column { name: name.to_owned(), values }
    }

    /// Values of the narrowest type that fits all of them: integers, numbers, or texts.
    pub fn free(name: &str, cells: Vec<Cell<'_>>) -> Self {
        let texts: Vec<Option<&str>> = cells
            .iter()
            .map(|cell| match cell {
                Cell::Free(text) => Some(*text),
                _ => None,
            })
            .collect();
        let known = || texts.iter().flatten();
        let values = if known().all(|text| text.parse::<i64>().is_ok()) {
            Values::Whole(texts.iter().map(|text| text.and_then(|it| it.parse().ok())).collect())
        } else if known().all(|text| finite(text).is_some()) {
            Values::Number(texts.iter().map(|text| text.and_then(finite)).collect())
        } else {
            Values::Text(texts.iter().map(|text| text.map(str::to_owned)).collect())
        };
        Column { name: name.to_owned(), values }
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn text(cell: Cell<'_>) -> Option<String> {
    let text = match cell {
        Cell::Text(text) => text.into_owned(),
        Cell::Time(text) | Cell::Free(text) => text.to_owned(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn flag(cell: Cell<'_>) -> Option<bool> {
    match cell {
        Cell::Flag(flag) => Some(flag),
        _ => None,
    }
}

fn whole(cell: Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Whole(number) => number.and_then(|number| i64::try_from(number).ok()),
        _ => None,
    }
}

fn number(cell: Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Number(number) => number.filter(|number| number.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(texts: &[&'static str]) -> Values {
        let cells = texts.iter().map(|text| match *text {
            "" => Cell::Nothing,
            text => Cell::Free(text),
        });
        Column::free("axis", cells.collect()).values
    }

    #[test]
    fn a_column_has_the_narrowest_type() {
        assert_eq!(free(&["1", "", "-2"]), Values::Whole(vec![Some(1), None, Some(-2)]));
        assert_eq!(free(&["1", "0.5"]), Values::Number(vec![Some(1.0), Some(0.5)]));
        let texts = Values::Text(vec![Some("1".into()), Some("random".into()), None]);
        assert_eq!(free(&["1", "random", ""]), texts);
        assert_eq!(free(&["nan"]), Values::Text(vec![Some("nan".into())]));
    }
}
