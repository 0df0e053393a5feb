//! Escaping of text for markdown.

use text::{SENTENCE, Untrusted};

/// A text on one line, shortened to a maximum length, without characters that are special in
/// markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = text.replace(['\n', '\r'], " ");
    let text = text.escaped().at_most(SENTENCE).to_string();
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let is_within_a_word =
            before.is_alphanumeric() && letters.peek().is_some_and(|next| next.is_alphanumeric());
        match letter {
            // Emphasis does not begin within a word; unescaped names can be searched for.
            '_' if is_within_a_word => shown.push('_'),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => shown.extend(['\\', letter]),
            _ => shown.push(letter),
        }
        before = letter;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_lose_their_meaning() {
        assert_eq!(escaped("a|b\n*c* <d> [e](f)"), r"a\|b \*c\* &lt;d&gt; \[e\](f)");
        assert_eq!(escaped("95 % of `x_y`"), r"95 % of \`x_y\`");
        assert_eq!(escaped("_x_ a__b"), r"\_x\_ a\_\_b");
    }
}
