//! Unused hits of a pair of modules.

/// Unused hits of a pair of modules, by their indices among all.
#[derive(Clone, Debug, Default)]
pub struct Unused {
    indices: Vec<u32>,
    /// Number of unused hits before each hit, and of all.
    ranks: Vec<u32>,
    /// Indices from the last ones of the round before to the first ones of the next.
    circular: Vec<i32>,
}

/// Indices of the rounds before and after that are there.
pub const BEYOND: usize = 9;

impl Unused {
    /// Takes the hits that are not marked, of all hits of the pair of modules.
    pub fn fill(&mut self, is_used: &[bool]) {
        let len = is_used.len();
        self.indices.resize(len, 0);
        self.ranks.resize(len + 1, 0);
        let mut count = 0;
        for (index, (is_used, rank)) in is_used.iter().zip(&mut self.ranks).enumerate() {
            *rank = count as u32;
            // Written in any case, without a branch that nothing predicts.
            self.indices[count] = index as u32;
            count += usize::from(!is_used);
        }
        self.ranks[len] = count as u32;
        self.indices.truncate(count);
    }

    /// Prepares [`circular`](Self::circular), for a number of all hits; some are unused.
    pub fn fill_circular(&mut self, all: usize) {
        let indices = &self.indices;
        let count = indices.len();
        let all = all as i32;
        self.circular.clear();
        if count >= BEYOND {
            let before = indices[count - BEYOND..].iter().map(|index| *index as i32 - all);
            self.circular.extend(before);
            self.circular.extend(indices.iter().map(|index| *index as i32));
            self.circular.extend(indices[..BEYOND].iter().map(|index| *index as i32 + all));
            return;
        }
        let of_round = |step: usize| indices[step % count] as i32 + (step / count) as i32 * all;
        let rounds = BEYOND.div_ceil(count);
        let steps = rounds * count - BEYOND..(rounds + 1) * count + BEYOND;
        self.circular.extend(steps.map(|step| of_round(step) - rounds as i32 * all));
    }

    /// Indices among all hits.
    #[inline]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Number of unused hits before an index.
    #[inline]
    pub fn rank(&self, index: usize) -> u32 {
        self.ranks[index]
    }

    /// Indices among all hits, after [`BEYOND`] of the rounds before, and before [`BEYOND`] of the next ones.
    #[inline]
    pub fn circular(&self) -> &[i32] {
        &self.circular
    }
}
