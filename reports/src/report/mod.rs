//! A run as a report: one page to read, or a short text for a merge request.
//!
//! | module | does |
//! |---|---|
//! | `input` | input of a report |
//! | `facts` | computes the content, independent of the format |
//! | `html` | writes a self-contained page |
//! | `markdown` | writes the main results in a few lines |
//!
//! Nothing here reads or writes a file.

mod error;
mod facts;
pub(crate) mod html;
mod input;
mod markdown;

#[cfg(test)]
pub(crate) use facts::fixture;

pub use error::ReportError;
pub(crate) use facts::time;
pub use input::ReportInput;

/// The report as a page: charts, tables and raw data in one self-contained file.
///
/// # Errors
/// If a chart can't be drawn or the raw data can't be packed.
pub fn html(input: &ReportInput) -> Result<String, ReportError> {
    html::page(input)
}

/// The report as a text for a merge request: short, without pictures.
pub fn markdown(input: &ReportInput) -> String {
    markdown::text(input)
}
