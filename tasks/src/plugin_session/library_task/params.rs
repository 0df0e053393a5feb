//! Parameters of a point, as C sees them.

use std::ffi::{CString, c_char};

use generators_common::DataError;

use crate::axis::{Axis, Kind, Params, YES};
use crate::plugin::task_abi;

/// Values of all axes of a task, with what the struct points to.
pub(super) struct CParams {
    shown: task_abi::Params,
    _texts: Vec<CString>,
    _pointers: Vec<*const c_char>,
    _integers: Vec<i64>,
    _numbers: Vec<f64>,
}

impl CParams {
    /// The values of axes.
    ///
    /// # Errors
    /// If an axis has no value, or one that does not fit.
    pub(super) fn new(axes: &[Axis], params: &Params) -> Result<Self, DataError> {
        let values = axes.iter().map(|axis| {
            let text = params.get(axis.name);
            let text = text.ok_or_else(|| problem(axis, "it has no value"))?;
            value(axis, text)
        });
        let values = values.collect::<Result<Vec<Value>, DataError>>()?;
        let integers: Vec<i64> = values.iter().map(|value| value.integer).collect();
        let numbers: Vec<f64> = values.iter().map(|value| value.number).collect();
        let texts: Vec<CString> = values.into_iter().map(|value| value.text).collect();
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        Ok(CParams {
            shown: task_abi::Params {
                size: size_of::<task_abi::Params>(),
                count: axes.len() as u64,
                texts: pointers.as_ptr(),
                integers: integers.as_ptr(),
                numbers: numbers.as_ptr(),
            },
            _texts: texts,
            _pointers: pointers,
            _integers: integers,
            _numbers: numbers,
        })
    }

    /// Pointer for calls.
    pub(super) fn as_ptr(&self) -> *const task_abi::Params {
        &raw const self.shown
    }
}

/// A value in all forms that C sees.
struct Value {
    text: CString,
    integer: i64,
    number: f64,
}

fn value(axis: &Axis, plain: &str) -> Result<Value, DataError> {
    let text = CString::new(plain).map_err(|_| problem(axis, "its value has a zero byte"))?;
    let whole = |integer: i64| (integer, integer as f64);
    let (integer, number) = match axis.kind {
        Kind::Switch => whole(i64::from(plain == YES)),
        Kind::Choice(names) => {
            let index = names.iter().position(|name| *name == plain);
            whole(index.ok_or_else(|| problem(axis, "its value is unknown"))? as i64)
        }
        Kind::Count | Kind::Integer | Kind::Duration | Kind::TimeStamp => {
            let integer =
                plain.parse().map_err(|_| problem(axis, "its value is above 2^63 - 1"))?;
            whole(integer)
        }
        _ => {
            let number: f64 = plain.parse().map_err(|_| problem(axis, "its value is no number"))?;
            (number.round() as i64, number)
        }
    };
    Ok(Value { text, integer, number })
}

fn problem(axis: &Axis, problem: &str) -> DataError {
    DataError::Shape(format!("--{}: {problem}", axis.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Flag;

    fn values(axis: Axis, text: &str) -> Result<(i64, f64), String> {
        let plain = axis.parse(text).expect("valid");
        let params = [(axis.name, plain)].into_iter().collect();
        let params = CParams::new(&[axis], &params).map_err(|error| error.to_string())?;
        Ok((params._integers[0], params._numbers[0]))
    }

    #[test]
    fn values_of_all_kinds_are_numbers() {
        let choice = Flag::<String>::choice("range", &["near", "far"]).axis();
        assert_eq!(values(choice, "far"), Ok((1, 1.0)));
        assert_eq!(values(Flag::<String>::switch("fast").axis(), "yes"), Ok((1, 1.0)));
        assert_eq!(values(Flag::<String>::count("cells").axis(), "20k"), Ok((20_000, 20_000.0)));
        assert_eq!(values(Flag::<String>::duration("length").axis(), "2us"), Ok((2000, 2000.0)));
        assert_eq!(values(Flag::<String>::time_stamp("start").axis(), "-5"), Ok((-5, -5.0)));
        assert_eq!(values(Flag::<String>::share("noise").axis(), "0.75"), Ok((1, 0.75)));
    }

    #[test]
    fn missing_and_large_values_are_refused_with_the_flag() {
        let cells = Flag::<String>::count("cells").axis();
        let too_large = values(cells, "18446744073709551615");
        assert_eq!(too_large, Err("--cells: its value is above 2^63 - 1".to_owned()));
        let missing = CParams::new(&[cells], &Params::default());
        let missing = missing.err().map(|error| error.to_string());
        assert_eq!(missing.as_deref(), Some("--cells: it has no value"));
    }
}
