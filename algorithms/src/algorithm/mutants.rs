//! Outputs with one element harmed: a check that takes one of them for right is none.

use super::{Content, Promise};

/// What was done to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// It has become another one.
    Changed,
    /// It is not there.
    Dropped,
    /// It is there twice.
    Doubled,
    /// It is in the place of another one, and that in its.
    Swapped,
}

/// Harmed copies of an output.
pub type Mutants<O> = Vec<(Harm, O)>;

/// Chooses a number below another one, which is not 0.
pub type Choose<'c> = &'c mut dyn FnMut(usize) -> usize;

impl Harm {
    /// Whether an output with this harm may still be what was promised.
    pub(crate) fn is_allowed_by(self, promise: Promise) -> bool {
        match self {
            Harm::Swapped => !promise.stable,
            Harm::Changed => promise.content != Content::Whole,
            Harm::Dropped | Harm::Doubled => false,
        }
    }
}

/// Harms a list at two places.
type Work<'w, T> = &'w dyn Fn(&mut Vec<T>, [usize; 2], Choose<'_>);

/// Copies of a list with an element harmed; none if there is no element.
pub(crate) fn of_list<T: Clone>(
    list: &[T],
    choose: Choose<'_>,
    change: impl Fn(&T, Choose<'_>) -> T,
) -> Mutants<Vec<T>> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut harmed = |harm, work: Work<'_, T>| {
        let places = [choose(list.len()), choose(list.len())];
        let mut copy = list.to_vec();
        work(&mut copy, places, choose);
        (harm, copy)
    };
    vec![
        harmed(Harm::Changed, &|list, [at, _], choose| {
            list[at] = change(&list[at], choose);
        }),
        harmed(Harm::Dropped, &|list, [at, _], _| drop(list.remove(at))),
        harmed(Harm::Doubled, &|list, [at, _], _| {
            list.insert(at, list[at].clone());
        }),
        // As many as before, but one for another.
        harmed(Harm::Doubled, &|list, [at, other], _| {
            list[other] = list[at].clone();
        }),
        harmed(Harm::Swapped, &|list, [at, other], _| list.swap(at, other)),
    ]
}

/// The same of an output that a list is a part of.
pub(crate) fn within<T, O>(
    mutants: Mutants<T>,
    put: impl Fn(T) -> O,
) -> impl Iterator<Item = (Harm, O)> {
    let put = move |(harm, part)| (harm, put(part));
    mutants.into_iter().map(put)
}

/// The same of an output that is put together from the right one.
pub(crate) fn inside<T, O: Clone>(
    right: &O,
    mutants: Mutants<T>,
    put: impl Fn(&mut O, T),
) -> impl Iterator<Item = (Harm, O)> {
    within(mutants, move |part| {
        let mut whole = right.clone();
        put(&mut whole, part);
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_harm_is_done_once_and_a_list_of_like_elements_can_look_unharmed() {
        let mut next = 0;
        let mut choose = |most| {
            next += 1;
            next % most
        };
        let all = of_list(&[1, 2, 3], &mut choose, |number, _| number + 10);
        let lengths: Vec<_> = all.iter().map(|(_, list)| list.len()).collect();
        assert_eq!(lengths, [3, 2, 4, 3, 3]);
        assert!(all.iter().all(|(_, list)| *list != [1, 2, 3]), "{all:?}");
        let alike = of_list(&[1, 1], &mut choose, |number, _| *number);
        let unharmed = alike.iter().filter(|(_, list)| *list == [1, 1]);
        assert_eq!(unharmed.count(), 3);
        assert!(of_list(&[0; 0], &mut choose, |number, _| *number).is_empty());
    }
}
