//! Parameter values of a point.

use std::collections::BTreeMap;
use std::path::Path;

use super::Axis;

/// Parameter values of a point in plain form, by the names of the axes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Params(BTreeMap<&'static str, String>);

impl Params {
    /// Sets the value of an axis.
    pub fn set(&mut self, name: &'static str, plain: impl Into<String>) {
        self.0.insert(name, plain.into());
    }

    /// Sets the value of an axis without a value.
    pub fn set_default(&mut self, name: &'static str, plain: &str) {
        self.0.entry(name).or_insert_with(|| plain.to_owned());
    }

    /// Sets the defaults of axes without a value. Defaults are written in the users' form.
    pub fn complete(&mut self, axes: &[Axis]) {
        for axis in axes {
            if let Some(default) = axis.default {
                // A test of all tasks checks that all defaults are valid.
                let plain = axis.parse(default).unwrap_or_else(|_| default.to_owned());
                self.set_default(axis.name, &plain);
            }
        }
    }

    /// Returns the values of these axes, as far as they are set.
    pub fn only(&self, axes: &[Axis]) -> Self {
        let given = axes.iter().filter_map(|axis| Some((axis.name, self.get(axis.name)?)));
        given.collect()
    }

    /// Removes the values of these axes.
    pub fn remove(&mut self, axes: &[Axis]) {
        self.0.retain(|name, _| !axes.iter().any(|axis| axis.name == *name));
    }

    /// Parameters that identify an input from a file, with a hash of its content because files of
    /// the same name may differ.
    pub fn for_file(path: &Path, content: u64) -> Self {
        let mut params = Params::default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // `;` and `=` separate parameters in the records; hidden characters are not stored.
        let apart = |c: char| matches!(c, ';' | '=') || text::is_hidden(c);
        params.set("input", name.replace(apart, "_"));
        params.set("content", format!("{content:016x}"));
        params
    }

    /// Returns the plain form of a value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Iterates over names and plain values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, plain)| (*name, plain.as_str()))
    }
}

impl<S: Into<String>> FromIterator<(&'static str, S)> for Params {
    fn from_iter<I: IntoIterator<Item = (&'static str, S)>>(values: I) -> Self {
        let mut params = Params::default();
        params.extend(values);
        params
    }
}

impl<S: Into<String>> Extend<(&'static str, S)> for Params {
    fn extend<I: IntoIterator<Item = (&'static str, S)>>(&mut self, values: I) {
        let plain = values.into_iter().map(|(name, plain)| (name, plain.into()));
        self.0.extend(plain);
    }
}
