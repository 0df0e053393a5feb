//! Tokens of Rust sources, without comments, strings and characters.

/// Returns identifiers, numbers, `::`, and all other punctuation as single characters.
pub fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            '\'' => character_or_lifetime(rest),
            _ if first.is_whitespace() => first.len_utf8(),
            _ if is_in_word(first) => {
                let word = word(rest);
                if let Some(length) = raw_string(word, &rest[word.len()..]) {
                    length
                } else {
                    tokens.push(word);
                    word.len()
                }
            }
            _ => {
                let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
                tokens.push(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word(text: &str) -> &str {
    let end = text.find(|character| !is_in_word(character));
    &text[..end.unwrap_or(text.len())]
}

/// Length of a comment, which may have others in it.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let two = text.as_bytes().get(at..at + 2);
        if two == Some(b"/*") {
            depth += 1;
            at += 2;
        } else if two == Some(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length of a string with its quotation marks.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of `r"…"` or `r#"…"#`, given the word before the mark and the text after it.
fn raw_string(word: &str, after: &str) -> Option<usize> {
    let hashes = after.bytes().take_while(|&byte| byte == b'#').count();
    if !["r", "br", "cr"].contains(&word) || !after[hashes..].starts_with('"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let start = hashes + 1;
    let length = after[start..].find(&end).map_or(after.len(), |at| start + at + end.len());
    Some(word.len() + length)
}

fn character_or_lifetime(text: &str) -> usize {
    let mut characters = text[1..].char_indices();
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((_, escaped))) => {
            let start = 2 + escaped.len_utf8();
            text[start..].find('\'').map_or(text.len(), |at| start + at + 1)
        }
        (Some(_), Some((at, '\''))) => 1 + at + 1,
        _ => 1 + word(&text[1..]).len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_no_tokens() {
        let source = r##"
            // super::a
            /* crate::b /* nested */ still */ use x::y;
            let s: &'static str = "super::\"c"; let t = r#"crate::" d"#; let u = b"self::e";
            let v = ['{', '\'', '\u{7d}', b'"', 'ß']; 'outer: loop {}
        "##;
        let expected = "use x :: y ; let s : & str = ; let t = ; let u = b ; \
                        let v = [ , , , b , ] ; : loop { }";
        assert_eq!(tokens(source).join(" "), expected);
    }
}
