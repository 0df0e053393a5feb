//! Compiled by `.ci/cpu-budget`, never run: what compiling it takes tells how fast a machine compiles.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key<const N: usize>([u16; N]);

fn work<const N: usize>(seed: u16) -> String
where
    Key<N>: Debug + Ord + Clone,
{
    let key = |i: u16| Key::<N>(std::array::from_fn(|j| seed.wrapping_mul(i) ^ j as u16));
    let mut keys: Vec<Key<N>> = (0..1000).map(key).collect();
    keys.sort();
    keys.dedup();
    let ordered: BTreeMap<Key<N>, usize> = keys.iter().cloned().zip(0..).collect();
    let hashed: HashMap<Key<N>, String> =
        keys.iter().map(|key| (key.clone(), format!("{key:?}"))).collect();
    let mut chosen: Vec<(&Key<N>, &String)> = hashed.iter().collect();
    chosen.sort_unstable_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let sum: usize = ordered.range(key(1).min(key(2))..).map(|(_, number)| number).sum();
    chosen.iter().take(3).map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ") + &sum.to_string()
}

macro_rules! works {
    ($($n:literal)*) => { [$(work::<$n>),*] };
}

fn main() {
    let works = works!(1 2 3 4 5 6);
    let seed = std::env::args().count() as u16;
    works.iter().for_each(|work| println!("{}", work(seed)));
}
