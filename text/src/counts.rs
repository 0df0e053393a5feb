//! Counts of things in messages.

/// A count of a thing, in the singular or the plural: `1 page`, `2 pages`.
pub fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "page")), ["0 pages", "1 page", "2 pages"]);
    }
}
