//! The name of an axis.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use crate::aliases::axis_record;
use crate::record::{AxisKind, AxisRecord, Params};

/// The name of an axis, with its declaration by the task. Only the name identifies it.
#[derive(Clone, Debug)]
pub struct AxisName {
    name: String,
    declared: Arc<AxisRecord>,
}

impl AxisName {
    /// An axis of a task, as declared by the run of these parameters; as in old runs if that run
    /// does not declare it.
    pub fn for_task(task: &str, name: &str, params: &Params) -> Self {
        let declared = axis_record(params.declared().map(Arc::as_ref), task, name);
        AxisName { name: name.to_owned(), declared }
    }

    /// A count of things, with their name in the plural.
    pub fn count(name: &str) -> Self {
        AxisName::for_all_tasks(name, AxisKind::Count)
    }

    fn for_all_tasks(name: &str, kind: AxisKind) -> Self {
        let declared = AxisRecord { kind, label: name.to_owned(), ..AxisRecord::default() };
        AxisName { name: name.to_owned(), declared: Arc::new(declared) }
    }

    /// The name without the declaration.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The name in tables and charts.
    pub fn label(&self) -> &str {
        &self.declared.label
    }

    /// Its declaration.
    pub fn declared(&self) -> &AxisRecord {
        &self.declared
    }
}

/// An axis of all tasks, such as the CPU sets of threads.
impl From<&str> for AxisName {
    fn from(name: &str) -> Self {
        AxisName::for_all_tasks(name, AxisKind::Text)
    }
}

impl Deref for AxisName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for AxisName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl PartialEq for AxisName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl PartialEq<str> for AxisName {
    fn eq(&self, other: &str) -> bool {
        self.name == other
    }
}

impl PartialEq<&str> for AxisName {
    fn eq(&self, other: &&str) -> bool {
        self.name == *other
    }
}

impl Eq for AxisName {}

impl PartialOrd for AxisName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AxisName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl Hash for AxisName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
