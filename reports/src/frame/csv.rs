//! A frame as CSV: what is not known is empty, flags are `yes` and `no`.

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

fn cell(values: &Values, row: usize) -> String {
    let yes_no = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let text = match values {
        Values::Text(texts) | Values::Time(texts) => texts[row].clone(),
        Values::Flag(flags) => flags[row].map(yes_no),
        Values::Whole(numbers) => numbers[row].map(|number| number.to_string()),
        Values::Number(numbers) => numbers[row].map(|number| number.to_string()),
    };
    text.unwrap_or_default()
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
