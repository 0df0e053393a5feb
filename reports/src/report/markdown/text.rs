//! Text that markdown shows as it is.

/// A text on one line without any sign that means something to markdown.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => shown.push(' '),
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => shown.extend(['\\', letter]),
            _ => shown.push(letter),
        }
    }
    shown
}

/// A line of a table.
pub fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

/// What did not fit, counted; nothing if all did.
pub fn and_more(hidden: usize, what: &str) -> String {
    match hidden {
        0 => String::new(),
        count => format!("\n… and {count} more {what}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_markdown_are_only_signs() {
        assert_eq!(escaped("a|b\nc"), "a\\|b c");
        assert_eq!(escaped("<b> & *x*"), "&lt;b> &amp; \\*x\\*");
        assert_eq!(escaped("![a](b)"), "!\\[a\\](b)");
    }
}
