//! Outputs with one changed element, which a check must refuse.

use generators_common::element::{Choose, Element};
use generators_common::random::hash;

use super::{Content, Promise};

/// Mutation of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Replaced by another element.
    Changed,
    /// Removed.
    Dropped,
    /// Duplicated.
    Doubled,
    /// Swapped with another element.
    Swapped,
}

/// Mutated copies of an output.
pub type Mutants<O> = Vec<(Mutation, O)>;

impl Mutation {
    /// The mutation of an element, in words.
    pub fn words(self) -> &'static str {
        match self {
            Mutation::Changed => "changed",
            Mutation::Dropped => "dropped",
            Mutation::Doubled => "doubled",
            Mutation::Swapped => "swapped with another one",
        }
    }

    /// True if an output with this mutation may still satisfy the promise.
    pub fn is_allowed_by(self, promise: Promise) -> bool {
        match self {
            Mutation::Swapped => !promise.stable,
            Mutation::Changed => promise.content != Content::Whole,
            Mutation::Dropped | Mutation::Doubled => false,
        }
    }
}

/// Draws mutations from a seed: numbers below a bound, which differ from call to call.
pub(crate) fn choices(seed: u64) -> impl FnMut(usize) -> usize {
    let mut drawn = 0;
    move |bound| {
        drawn += 1;
        (hash(seed, [drawn]) % bound as u64) as usize
    }
}

/// Mutates a list at two indices.
type Mutate<'w, T> = &'w dyn Fn(&mut Vec<T>, [usize; 2], Choose<'_>);

/// Copies of a list with one element mutated; none if the list is empty.
pub fn of_list<T: Clone>(
    list: &[T],
    choose: Choose<'_>,
    change: impl Fn(&T, Choose<'_>) -> T,
) -> Mutants<Vec<T>> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut mutated = |harm, mutate: Mutate<'_, T>| {
        let indices = [choose(list.len()), choose(list.len())];
        let mut copy = list.to_vec();
        mutate(&mut copy, indices, choose);
        (harm, copy)
    };
    vec![
        mutated(Mutation::Changed, &|list, [at, _], choose| {
            list[at] = change(&list[at], choose);
        }),
        mutated(Mutation::Dropped, &|list, [at, _], _| drop(list.remove(at))),
        mutated(Mutation::Doubled, &|list, [at, _], _| {
            list.insert(at, list[at].clone());
        }),
        // The list keeps its length, but an element replaces another one.
        mutated(Mutation::Doubled, &|list, [at, other], _| {
            list[other] = list[at].clone();
        }),
        mutated(Mutation::Swapped, &|list, [at, other], _| list.swap(at, other)),
    ]
}

/// Copies of a list with one element mutated, as [`of_list`], changed as elements of this type are.
pub fn of_elements<T: Element>(list: &[T], choose: Choose<'_>) -> Mutants<Vec<T>> {
    of_list(list, choose, T::changed)
}

/// Mutates an output that contains the list.
pub fn within<T, O>(
    mutants: Mutants<T>,
    put: impl Fn(T) -> O,
) -> impl Iterator<Item = (Mutation, O)> {
    let put = move |(harm, part)| (harm, put(part));
    mutants.into_iter().map(put)
}

/// Mutates an output that is assembled from the right one.
pub fn inside<T, O: Clone>(
    right: &O,
    mutants: Mutants<T>,
    put: impl Fn(&mut O, T),
) -> impl Iterator<Item = (Mutation, O)> {
    within(mutants, move |part| {
        let mut output = right.clone();
        put(&mut output, part);
        output
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mutation_is_made_once_and_equal_elements_can_hide_one() {
        let mut next = 0;
        let mut choose = |bound| {
            next += 1;
            next % bound
        };
        let all = of_list(&[1, 2, 3], &mut choose, |number, _| number + 10);
        let lengths: Vec<_> = all.iter().map(|(_, list)| list.len()).collect();
        assert_eq!(lengths, [3, 2, 4, 3, 3]);
        assert!(all.iter().all(|(_, list)| *list != [1, 2, 3]), "{all:?}");
        let alike = of_list(&[1, 1], &mut choose, |number, _| *number);
        let unchanged = alike.iter().filter(|(_, list)| *list == [1, 1]);
        assert_eq!(unchanged.count(), 3);
        assert!(of_list(&[0; 0], &mut choose, |number, _| *number).is_empty());
    }
}
