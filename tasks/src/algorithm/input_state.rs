//! Input states of runs, for tasks whose variants start from different data.

/// State of the data at the start of runs, in words, for tasks whose variants start from different
/// data: only variants that start from the same data can be ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputState {
    whole: &'static str,
    stages: Vec<(&'static str, &'static str)>,
}

impl InputState {
    /// Input of full runs and of all their parts.
    pub fn whole(words: &'static str) -> Self {
        InputState { whole: words, stages: Vec::new() }
    }

    /// Input of each of these stages; full runs start from the task's input.
    pub fn stages(stages: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        InputState { whole: "", stages: stages.into_iter().collect() }
    }

    /// Returns the input of a stage of a run; empty if it is the same for all variants.
    pub fn to(&self, stage: &str) -> &'static str {
        let found = self.stages.iter().find(|(name, _)| *name == stage);
        found.map_or(self.whole, |(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_run_have_its_input_and_stages_have_their_own() {
        let whole = InputState::whole("digis by channel");
        assert_eq!([whole.to("total"), whole.to("kernel")], ["digis by channel"; 2]);
        let stages = InputState::stages([("sort", "digis by time"), ("hits", "clusters")]);
        let given = ["total", "sort", "hits", "collect"].map(|stage| stages.to(stage));
        assert_eq!(given, ["", "digis by time", "clusters", ""]);
    }
}
