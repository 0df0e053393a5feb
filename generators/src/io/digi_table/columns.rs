//! Columns by name.

use text::Untrusted;

/// Names of the columns of digis.
pub(in crate::io) const COLUMNS: [&str; 5] = ["module", "side", "channel", "time_ns", "adc"];

/// Maximum number of ignored columns whose names are listed.
const LISTED: usize = 10;

/// Indices of the columns of a table.
#[derive(Debug)]
pub(in crate::io) struct Columns {
    /// In the order of [`COLUMNS`].
    pub(in crate::io) indices: [usize; 5],
    /// Names of all other columns.
    pub(in crate::io) ignored: Vec<String>,
}

impl Columns {
    /// Finds the columns, given the names of all.
    pub(in crate::io) fn find(names: &[&str]) -> Result<Self, String> {
        let index = |column: &&str| names.iter().position(|name| name == column);
        let missing: Vec<_> = COLUMNS.into_iter().filter(|name| index(name).is_none()).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let header = names.join(",");
            let advice = advice(&header);
            let header = header.quoted();
            return Err(format!("the header is {header}, without the columns {missing}{advice}"));
        }
        let is_repeated = |column: &&str| names.iter().filter(|name| *name == column).count() > 1;
        if let Some(column) = COLUMNS.iter().find(|column| is_repeated(column)) {
            return Err(format!("the column {column} occurs more than once"));
        }
        let ignored = names.iter().filter(|name| !COLUMNS.contains(name));
        Ok(Columns {
            indices: COLUMNS.map(|column| index(&column).expect("found")),
            ignored: ignored.map(|&name| name.to_owned()).collect(),
        })
    }

    /// True if one of these names is that of a column of digis.
    pub(in crate::io) fn are_named(names: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
        names.into_iter().any(|name| COLUMNS.contains(&name.as_ref()))
    }
}

/// Advice for a header of another dialect.
fn advice(header: &str) -> &'static str {
    match header {
        _ if header.starts_with('#') => "; comments (#) are not read, remove the # and such lines",
        _ if header.contains(';') => "; separate columns by commas instead of semicolons",
        _ if header.contains('\t') => "; separate columns by commas instead of tabs",
        _ => "",
    }
}

/// Note on the columns that were ignored.
pub(super) fn note(ignored: &[String]) -> Option<String> {
    let name = |name: &String| match name.as_str() {
        "" => "one without a name".to_owned(),
        name => name.quoted().to_string(),
    };
    let listed = ignored.iter().take(LISTED).map(name).collect::<Vec<_>>().join(", ");
    let more = match ignored.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!ignored.is_empty()).then(|| format!("columns that were ignored: {listed}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order() {
        let names = ["", "adc", "time_ns", "event", "channel", "side", "module"];
        let columns = Columns::find(&names).expect("all are there");
        assert_eq!(columns.indices, [6, 5, 4, 2, 1]);
        let note = note(&columns.ignored).expect("two");
        assert_eq!(note, "columns that were ignored: one without a name, \"event\"");
    }

    #[test]
    fn missing_and_repeated_columns_are_named() {
        let error = |header: &str| {
            let names: Vec<_> = header.split(',').collect();
            Columns::find(&names).expect_err("incomplete")
        };
        let two = error("module,side,channel,t");
        assert_eq!(
            two,
            "the header is \"module,side,channel,t\", without the columns time_ns, adc"
        );
        assert!(error("module;side;channel;time_ns;adc").ends_with("instead of semicolons"));
        assert!(error("module\tside\tchannel\ttime_ns\tadc").ends_with("instead of tabs"));
        assert!(error("# module,side,channel,time_ns,adc").contains("comments (#)"));
        assert!(error("adc,module,side,channel,time_ns,adc").contains("adc occurs more than once"));
    }
}
