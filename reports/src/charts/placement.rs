//! Where the threads of a row ran, in words.

use crate::record::SummaryRow;
use crate::shape;

/// The axes that make up a placement, in the order in which they are said.
pub const AXES: [&str; 2] = ["places", "bind"];

/// `not placed`, `cores close`, `{0:4},{4:4} close`.
pub fn words(row: &SummaryRow) -> String {
    let values = AXES.into_iter().zip([&row.places, &row.bind]);
    let said: Vec<&str> = values
        .filter(|(name, value)| !shape::is_silent(name, value))
        .map(|(_, value)| value.as_str())
        .collect();
    match said.is_empty() {
        true => "not placed".to_owned(),
        false => said.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    fn placed(places: &str, bind: &str) -> String {
        words(&SummaryRow { places: places.into(), bind: bind.into(), ..row("a", "n=1", 1e-3) })
    }

    #[test]
    fn a_placement_is_said_in_the_words_of_the_command() {
        assert_eq!(placed("none", "false"), "not placed");
        assert_eq!(placed("cores", "close"), "cores close");
        assert_eq!(placed("sockets", "spread"), "sockets spread");
        assert_eq!(placed("{0:4},{4:4}", "false"), "{0:4},{4:4}");
    }
}
