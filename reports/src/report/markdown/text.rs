//! Words that many places need.

/// What did not fit, counted; nothing if all did.
pub fn and_more(hidden: usize, what: &str) -> String {
    match hidden {
        0 => String::new(),
        count => format!("\n… and {count} more {what}\n"),
    }
}
