//! Numbers and texts of a section, with their rules. Missing and invalid ones become problems of the
//! document, and values without a meaning: a document with problems is refused as a whole.

use crate::document::Section;

/// Keys of a section, whose values are looked up by name.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) section: Section<'a>,
    /// Description of the section, for messages: `of a need`.
    pub(super) context: &'static str,
}

/// Rule for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Above 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// 1 or more.
    AtLeastOne,
    /// 0 or more, below 1.
    ProperShare,
    /// Above 0, below 1.
    PositiveShare,
}

impl Rule {
    fn allows(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Rule::Positive => number > 0.0,
                Rule::NotNegative => number >= 0.0,
                Rule::AtLeastOne => number >= 1.0,
                Rule::ProperShare => (0.0..1.0).contains(&number),
                Rule::PositiveShare => number > 0.0 && number < 1.0,
            }
    }

    fn advice(self) -> &'static str {
        match self {
            Rule::Positive => "use a number above 0",
            Rule::NotNegative => "use a number of 0 or more",
            Rule::AtLeastOne => "use a number of 1 or more",
            Rule::ProperShare => "use a share of 0 or more, below 1",
            Rule::PositiveShare => "use a share above 0, below 1",
        }
    }

    /// Parses a number.
    pub(super) fn parse(self, text: &str) -> Result<f64, String> {
        let number = text.parse::<f64>().ok().filter(|number| self.allows(*number));
        number.ok_or_else(|| self.advice().to_owned())
    }
}

impl<'a> Fields<'a> {
    /// Records keys that nothing reads.
    pub(super) fn refuse_unknown(self, known: &[&str]) {
        for entry in self.section.entries().filter(|entry| !known.contains(&entry.key)) {
            entry.unknown(self.context, known);
        }
    }

    /// Records a missing key; the example shows its syntax and says what it is.
    pub(super) fn missing(self, key: &str, example: &str) {
        self.section
            .problem(format!("{key} {} is missing; add it, such as {example}", self.context));
    }

    /// Returns a required number; `example` is a line with the key.
    pub(super) fn number(self, key: &str, rule: Rule, example: &str) -> f64 {
        if self.section.entry(key).is_none() {
            self.missing(key, example);
        }
        self.optional_number(key, rule).unwrap_or(f64::NAN)
    }

    /// Returns a number, if the key is there and valid.
    pub(super) fn optional_number(self, key: &str, rule: Rule) -> Option<f64> {
        self.section.entry(key)?.value(|text| rule.parse(text))
    }

    /// Returns a whole number, if the key is there and valid.
    pub(super) fn optional_count(self, key: &str) -> Option<u64> {
        let parse = |text: &str| {
            let count = text.parse::<u32>().map(u64::from);
            count.map_err(|_| "use a whole number of 0 or more".to_owned())
        };
        self.section.entry(key)?.value(parse)
    }

    /// Returns a text, if the key is there.
    pub(super) fn optional_text(self, key: &str) -> Option<String> {
        let entry = self.section.entry(key)?;
        let not_empty = |text: &str| match text.trim() {
            "" => Err("use a text that is not empty".to_owned()),
            text => Ok(text.to_owned()),
        };
        entry.value(not_empty)
    }

    /// Returns a required text.
    pub(super) fn text(self, key: &str, example: &str) -> String {
        if self.section.entry(key).is_none() {
            self.missing(key, example);
        }
        self.optional_text(key).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_allow_their_numbers() {
        let allowed = |rule: Rule| {
            ["-1", "0", "0.5", "1", "2", "nan", "inf", "x"].map(|text| rule.parse(text).is_ok())
        };
        let [no, yes] = [false, true];
        assert_eq!(allowed(Rule::Positive), [no, no, yes, yes, yes, no, no, no]);
        assert_eq!(allowed(Rule::NotNegative), [no, yes, yes, yes, yes, no, no, no]);
        assert_eq!(allowed(Rule::AtLeastOne), [no, no, no, yes, yes, no, no, no]);
        assert_eq!(allowed(Rule::ProperShare), [no, yes, yes, no, no, no, no, no]);
        assert_eq!(allowed(Rule::PositiveShare), [no, no, yes, no, no, no, no, no]);
    }
}
