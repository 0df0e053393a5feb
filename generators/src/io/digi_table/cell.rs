//! Values of cells.

use text::Untrusted;

/// Value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::io) enum Cell<'a> {
    Whole(i128),
    Float(f64),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// The number that a text stands for, or else the text. Integers stay exact.
    pub(in crate::io) fn parse(text: &'a str) -> Self {
        // Nearly all numbers are small; parsing 128 bits takes longer.
        if let Ok(small) = text.parse::<i32>() {
            return Cell::Whole(small.into());
        }
        let whole = text.parse().map(Cell::Whole);
        whole.or_else(|_| text.parse().map(Cell::Float)).unwrap_or(Cell::Text(text))
    }

    /// An integer, which may come as a whole float.
    pub(super) fn whole(self, name: &str) -> Result<i128, String> {
        match self {
            Cell::Whole(value) => Ok(value),
            Cell::Float(value) if value.fract() == 0.0 => Ok(value as i128),
            Cell::Float(value) => Err(format!("{name} {value} is not a whole number")),
            Cell::Text("") => Err(format!("{name} is empty")),
            Cell::Text(text) => Err(format!("{name} {} is not a whole number", text.quoted())),
        }
    }

    /// An integer of 0 to a maximum.
    pub(super) fn whole_up_to(self, name: &str, largest: u32) -> Result<u32, String> {
        let value = self.whole(name)?;
        if value < 0 {
            return Err(format!("{name} {value} is below 0"));
        }
        let fits = u32::try_from(value).ok().filter(|&value| value <= largest);
        fits.ok_or_else(|| format!("{name} {value} is above {largest}"))
    }

    /// The side of a module: false for the front, which is the n side.
    pub(super) fn is_back(self) -> Result<bool, String> {
        match self {
            Cell::Whole(0) | Cell::Text("front" | "n") => return Ok(false),
            Cell::Whole(1) | Cell::Text("back" | "p") => return Ok(true),
            Cell::Float(0.0) => return Ok(false),
            Cell::Float(1.0) => return Ok(true),
            _ => {}
        }
        let shown = match self {
            Cell::Whole(value) => value.to_string(),
            Cell::Float(value) => value.to_string(),
            Cell::Text(text) => text.to_owned(),
        };
        let shown = shown.quoted();
        Err(format!("side {shown} is neither 0 (front, n) nor 1 (back, p)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_and_whole_floats_are_taken() {
        let whole = |text| Cell::parse(text).whole("adc");
        assert_eq!(whole("9223372036854775807"), Ok(i64::MAX.into()));
        assert_eq!(whole("1.23e3"), Ok(1230));
        assert_eq!(whole("-0.0"), Ok(0));
        for (text, problem) in [
            ("1.5", "adc 1.5 is not a whole number"),
            ("NaN", "adc NaN is not a whole number"),
            ("inf", "adc inf is not a whole number"),
            ("", "adc is empty"),
            ("x", "adc \"x\" is not a whole number"),
        ] {
            assert_eq!(whole(text), Err(problem.to_owned()));
        }
    }

    #[test]
    fn sides_have_several_names() {
        let side = |text| Cell::parse(text).is_back();
        for front in ["0", "0.0", "front", "n"] {
            assert_eq!(side(front), Ok(false), "{front}");
        }
        for back in ["1", "1.0", "back", "p"] {
            assert_eq!(side(back), Ok(true), "{back}");
        }
        for neither in ["2", "0.5", "", "N side"] {
            assert!(side(neither).expect_err(neither).contains("neither 0 (front, n)"));
        }
    }
}
