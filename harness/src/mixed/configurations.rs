//! Sets of loads to measure, and their order in a block.

/// Indices of the loads that run concurrently.
pub(super) type Configuration = Vec<usize>;

/// All configurations, each once: every load and background load alone, all pairs of loads, all
/// loads together, and each load with each background load.
pub(super) fn configurations(loads: &[usize], backgrounds: &[usize]) -> Vec<Configuration> {
    let mut all: Vec<Configuration> =
        loads.iter().chain(backgrounds).map(|&load| vec![load]).collect();
    for (position, &load) in loads.iter().enumerate() {
        all.extend(loads[position + 1..].iter().map(|&other| vec![load, other]));
    }
    if loads.len() > 2 {
        all.push(loads.to_vec());
    }
    for &load in loads {
        all.extend(backgrounds.iter().map(|&background| vec![load, background]));
    }
    all
}

/// The configurations in the order of a block: rotated, and reversed in every second block, so that
/// neither the position in a block nor the previous configuration is always the same.
pub(super) fn in_order(all: &[Configuration], block: usize) -> Vec<Configuration> {
    let mut order = all.to_vec();
    if !order.is_empty() {
        let count = order.len();
        order.rotate_left(block % count);
    }
    if block % 2 == 1 {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_is_there_once() {
        let all = configurations(&[0, 1, 3], &[4]);
        let expected: [&[usize]; 11] = [
            &[0],
            &[1],
            &[3],
            &[4],
            &[0, 1],
            &[0, 3],
            &[1, 3],
            &[0, 1, 3],
            &[0, 4],
            &[1, 4],
            &[3, 4],
        ];
        assert_eq!(all, expected);
        assert_eq!(configurations(&[0, 1], &[]), [vec![0], vec![1], vec![0, 1]], "one is a pair");
        assert_eq!(configurations(&[2], &[]), [vec![2]]);
    }

    #[test]
    fn each_block_has_all_and_begins_with_another_one() {
        let all = configurations(&[0, 1, 2], &[]);
        let blocks: Vec<_> = (0..all.len()).map(|block| in_order(&all, block)).collect();
        for block in &blocks {
            let mut sorted = block.clone();
            sorted.sort_by_key(|it| all.iter().position(|other| other == it));
            assert_eq!(sorted, all);
        }
        let mut first: Vec<_> = blocks.iter().map(|block| block[0].clone()).collect();
        first.sort();
        first.dedup();
        assert!(first.len() > 3, "{first:?}");
        assert!(in_order(&[], 3).is_empty());
    }
}
