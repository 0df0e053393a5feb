//! What a variant is given, where not all are given the same.

/// What runs begin with, in words, where variants of a task begin with different things: only
/// those that are given the same can be ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    whole: &'static str,
    stages: Vec<(&'static str, &'static str)>,
}

impl Given {
    /// What whole runs are given, and all that is a part of them.
    pub(crate) fn whole(words: &'static str) -> Self {
        Given { whole: words, stages: Vec::new() }
    }

    /// What each of these stages is given; whole runs are given the input.
    pub(crate) fn stages(stages: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Given { whole: "", stages: stages.into_iter().collect() }
    }

    /// What a stage of a run is given; empty if that is the same for all.
    pub fn to(&self, stage: &str) -> &'static str {
        let found = self.stages.iter().find(|(name, _)| *name == stage);
        found.map_or(self.whole, |(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_run_are_given_what_it_is_given_and_stages_something_of_their_own() {
        let whole = Given::whole("digis by channel");
        assert_eq!([whole.to("total"), whole.to("kernel")], ["digis by channel"; 2]);
        let stages = Given::stages([("sort", "digis by time"), ("hits", "clusters")]);
        let given = ["total", "sort", "hits", "collect"].map(|stage| stages.to(stage));
        assert_eq!(given, ["", "digis by time", "clusters", ""]);
    }
}
