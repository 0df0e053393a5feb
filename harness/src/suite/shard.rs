//! Shards of a suite, one per machine.

use reports::record::{Params, Shard};

use super::{Part, Suite};

/// Identity of an input: task, parameters and seed.
type InputKey = (&'static str, Params, u64);

impl Suite {
    /// Returns the inputs of a shard with all their points, so that the variants of an input are
    /// measured interleaved. Inputs are distributed round-robin. The hash remains that of the complete
    /// suite.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        let mut dealt: Vec<InputKey> = Vec::new();
        for part in &mut self.parts {
            let task = part.task.name();
            let seed = part.settings.seed;
            part.inputs.retain(|input| {
                let number = number(&mut dealt, (task, input.params.clone(), seed));
                number % shard.of == shard.number - 1
            });
        }
        self.parts.retain(|part: &Part| !part.inputs.is_empty());
        self
    }
}

/// Returns the index of an input; parts with the same input share it.
fn number(dealt: &mut Vec<InputKey>, key: InputKey) -> usize {
    let known = dealt.iter().position(|other| *other == key);
    known.unwrap_or_else(|| {
        dealt.push(key);
        dealt.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use reports::record::Point;

    use super::*;

    /// Two parts that share an input.
    const TEXT: &str = r#"
        name = "shared"
        [defaults]
        threads = [1]
        [[task]]
        name = "sort"
        variants = ["std-*", "rdst"]
        axes = { segments = [24, 1792], digis = ["1k", "2k", "3k"], order = ["random", "time"] }
        [[task.include]]
        threads = 2
        [[task.include]]
        digis = "9k"
        threads = [1, 2]
    "#;

    fn suite() -> Suite {
        Suite::parse("shared", TEXT).unwrap_or_else(|error| panic!("{error}"))
    }

    fn inputs(suite: &Suite) -> HashSet<&Params> {
        let inputs = suite.parts.iter().flat_map(|part| &part.inputs);
        inputs.map(|input| &input.params).collect()
    }

    fn shards(of: usize) -> Vec<Suite> {
        let shard = |number| suite().shard(Shard { number, of });
        (1..=of).map(shard).collect()
    }

    #[test]
    fn shards_together_are_the_whole_and_share_nothing() {
        let whole = suite();
        for of in 1..=20 {
            let shards = shards(of);
            let points: Vec<&Point> = shards.iter().flat_map(Suite::points).collect();
            let distinct: HashSet<_> = points.iter().copied().collect();
            assert_eq!(points.len(), distinct.len(), "a point twice of {of}");
            assert_eq!(distinct, whole.points().collect(), "{of} shards");
            assert!(shards.iter().all(|shard| shard.hash == whole.hash));
        }
    }

    #[test]
    fn an_input_stays_whole_and_shards_are_alike() {
        let whole = suite();
        assert_eq!(inputs(&whole).len(), 13);
        for of in [2, 3, 5] {
            let shards = shards(of);
            let counts: Vec<_> = shards.iter().map(|shard| inputs(shard).len()).collect();
            assert_eq!(counts.iter().sum::<usize>(), 13, "{counts:?}");
            let min = counts.iter().min();
            let max = counts.iter().max();
            assert!(max <= min.map(|min| min + 1).as_ref(), "{counts:?}");
        }
    }
}
