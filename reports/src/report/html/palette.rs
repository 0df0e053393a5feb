//! The colours of parts, those of the charts.

use crate::charts::series_color;

/// The colour of the rest: it stands for nothing that was measured itself.
const REST: &str = "#8a8a8a";

/// The colour of the `index`-th name, as CSS writes it.
pub fn color(index: usize) -> String {
    let (red, green, blue) = series_color(index);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of what is left over.
pub fn rest() -> String {
    REST.to_owned()
}
