//! A frame as JSON: an array of objects, all of which have all columns.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::column::Values;
use super::{Frame, FrameError};

impl Frame {
    /// The rows as an array of objects.
    ///
    /// # Errors
    /// If they can't be serialised.
    pub fn json(&self) -> Result<String, FrameError> {
        text(self)
    }
}

/// Any value as JSON that ends with a line break. Characters that a terminal would not show are
/// escaped, which does not change the meaning for programs.
///
/// # Errors
/// If it can't be serialised.
pub fn json_text(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    Ok(text::json(serde_json::to_string_pretty(value)?) + "\n")
}

/// JSON text, with errors of type [`FrameError`].
pub(super) fn text(value: &impl Serialize) -> Result<String, FrameError> {
    json_text(value).map_err(|error| FrameError::new("JSON", error))
}

impl Serialize for Frame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.rows).map(|row| Row { frame: self, row }))
    }
}

/// A row of a frame, its columns in their order.
struct Row<'a> {
    frame: &'a Frame,
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        let mut map = serializer.serialize_map(Some(self.frame.columns.len()))?;
        for column in &self.frame.columns {
            map.serialize_key(&column.name)?;
            match &column.values {
                Values::Text(texts) | Values::Time(texts) => map.serialize_value(&texts[row])?,
                Values::Flag(flags) => map.serialize_value(&flags[row])?,
                Values::Whole(numbers) => map.serialize_value(&numbers[row])?,
                Values::Number(numbers) => map.serialize_value(&numbers[row])?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::frame;

    #[test]
    fn numbers_are_numbers() {
        let text = frame().json().expect("a text");
        assert!(text.find("\"name\"") < text.find("\"median_s\""), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let second = json!({
            "name": "c",
            "median_s": 0.5,
            "axis_digis": 2000,
            "axis_max_size": 0.5,
            "axis_order": "1",
        });
        assert_eq!(read[1], second);
        assert_eq!(read[0]["axis_max_size"], json!(null));
    }
}
