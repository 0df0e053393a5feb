//! A frame as CSV: what is not known is empty, flags are `yes` and `no`.

use std::borrow::Cow;

use super::column::Values;
use super::{Frame, FrameError};

impl Frame {
    /// The rows under a header.
    ///
    /// # Errors
    /// If they don't become CSV.
    pub fn csv(&self) -> Result<String, FrameError> {
        let failed = |error: &dyn std::fmt::Display| FrameError::new("CSV", error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.names()).map_err(|error| failed(&error))?;
        for row in 0..self.rows {
            let cells = self.columns.iter().map(|column| cell(&column.values, row));
            writer.write_record(cells).map_err(|error| failed(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        String::from_utf8(bytes).map_err(|error| failed(&error))
    }
}

fn cell(values: &Values, row: usize) -> Cow<'_, [u8]> {
    let text: Option<Cow<'_, str>> = match values {
        Values::Text(texts) | Values::Time(texts) => texts[row].as_deref().map(Cow::from),
        Values::Flag(flags) => flags[row].map(|flag| if flag { "yes" } else { "no" }.into()),
        Values::Whole(numbers) => numbers[row].map(|number| number.to_string().into()),
        Values::Number(numbers) => numbers[row].map(|number| number.to_string().into()),
    };
    match text.unwrap_or_default() {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::frame;

    #[test]
    fn what_is_not_known_is_empty() {
        let expected = "name,median_s,axis_digis,axis_max_size,axis_order\n\
            \"a, b\",0.5,1000,,random\n\
            c,0.5,2000,0.5,1\n";
        assert_eq!(frame().csv().expect("a text"), expected);
    }
}
