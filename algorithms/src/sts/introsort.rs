//! Introspective sort (Musser 1997), as the C++ standard library has it: quicksort by
//! the median of three with a final insertion sort, and heap sort where that goes
//! wrong. What the experiment's code sorts with; not stable.

/// Runs no longer than this are left to the final insertion sort.
const SHORT: usize = 16;

/// Sorts by a key.
pub(super) fn introsort<T: Copy>(items: &mut [T], key: &impl Fn(&T) -> u64) {
    let depth = 2 * items.len().checked_ilog2().unwrap_or(0);
    quicksort(items, depth, key);
    insertion_sort(items, key);
}

fn quicksort<T: Copy>(mut items: &mut [T], mut depth: u32, key: &impl Fn(&T) -> u64) {
    while items.len() > SHORT {
        if depth == 0 {
            return heap_sort(items, key);
        }
        depth -= 1;
        let cut = partition(items, key);
        let (left, right) = items.split_at_mut(cut);
        quicksort(right, depth, key);
        items = left;
    }
}

/// Puts those below the median of three in front of those above it; returns where the
/// latter begin. Neither part is empty.
fn partition<T: Copy>(items: &mut [T], key: &impl Fn(&T) -> u64) -> usize {
    let (middle, last) = (items.len() / 2, items.len() - 1);
    let mut three = [(key(&items[1]), 1), (key(&items[middle]), middle), (key(&items[last]), last)];
    three.sort_unstable();
    let (pivot, place) = three[1];
    items.swap(0, place);
    let (mut left, mut right) = (1, items.len());
    loop {
        while key(&items[left]) < pivot {
            left += 1;
        }
        right -= 1;
        while pivot < key(&items[right]) {
            right -= 1;
        }
        if left >= right {
            return left;
        }
        items.swap(left, right);
        left += 1;
    }
}

fn heap_sort<T: Copy>(items: &mut [T], key: &impl Fn(&T) -> u64) {
    for root in (0..items.len() / 2).rev() {
        sift_down(items, root, key);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift_down(&mut items[..end], 0, key);
    }
}

fn sift_down<T: Copy>(heap: &mut [T], mut root: usize, key: &impl Fn(&T) -> u64) {
    loop {
        let children = 2 * root + 1..heap.len().min(2 * root + 3);
        let Some(child) = children.max_by_key(|&child| key(&heap[child])) else {
            return;
        };
        if key(&heap[child]) <= key(&heap[root]) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

fn insertion_sort<T: Copy>(items: &mut [T], key: &impl Fn(&T) -> u64) {
    for end in 1..items.len() {
        let item = items[end];
        let mut place = end;
        while place > 0 && key(&item) < key(&items[place - 1]) {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

#[cfg(test)]
mod tests {
    use generators::random::mix;

    use super::*;

    fn check(keys: impl Iterator<Item = u64>) {
        let mut items: Vec<_> = keys.collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        introsort(&mut items, &|&key| key);
        assert_eq!(items, expected);
    }

    #[test]
    fn any_order_is_sorted() {
        for count in [0, 1, 2, 3, 16, 17, 18, 1000, 10_000] {
            check((0..count).map(mix));
            check(0..count);
            check((0..count).rev());
            check((0..count).map(|i| mix(i) % 3));
            check((0..count).map(|_| 7));
            check((0..count).map(|i| i.min(count - i)));
        }
    }

    #[test]
    fn heaps_are_sorted_too() {
        let mut items: Vec<_> = (0..1000).map(mix).collect();
        heap_sort(&mut items, &|&key| key);
        assert!(items.is_sorted());
    }
}
