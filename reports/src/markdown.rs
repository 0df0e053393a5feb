//! Text that markdown shows as it is, and tables.

/// A text on one line without any sign that means something to markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => shown.push(' '),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => shown.extend(['\\', letter]),
            _ => shown.push(letter),
        }
    }
    shown
}

/// A line of a table; the cells are markdown already.
pub(crate) fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_lose_their_meaning() {
        assert_eq!(escaped("a|b\n*c* <d> [e](f)"), r"a\|b \*c\* &lt;d&gt; \[e\](f)");
        assert_eq!(escaped("95 % of `x_y`"), r"95 % of \`x\_y\`");
    }

    #[test]
    fn cells_make_a_line() {
        assert_eq!(line(["a".into(), "b".into()]), "| a | b |\n");
    }
}
