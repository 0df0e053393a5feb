//! The corpora: small valid inputs, all generated here.

mod data;
mod runs;
mod texts;

/// An entry: its name and content.
pub type Entry = (&'static str, Vec<u8>);

/// The corpora of all targets.
pub fn made() -> Vec<(&'static str, Vec<Entry>)> {
    let mut made = data::made();
    made.extend(runs::made());
    made.extend(texts::made());
    made
}
