//! First hits of triplets: those nearest by index to the angle of the second one, alternately above and
//! below. Used hits count for the index, and are left out.

use std::hint::select_unpredictable;

use super::layer::Layer;

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
const BEYOND: usize = 9;

impl Unused {
    /// Takes the hits of a layer whose slots are not marked.
    pub fn fill(&mut self, all: &Layer, is_used: &[bool]) {
        let len = all.len();
        self.indices.resize(len, 0);
        if len == 0 {
            return;
        }
        let start = all.first_slot() as usize;
        let mut count = 0;
        for (index, is_used) in is_used[start..start + len].iter().enumerate() {
            // Written in any case, without a branch that nothing predicts.
            self.indices[count] = index as u32;
            count += usize::from(!is_used);
        }
        self.indices.truncate(count);
    }

    /// Prepares [`FirstHits`].
    fn fill_circular(&mut self, all: usize) {
        let count = self.indices.len();
        self.ranks.clear();
        let mut next = 0;
        self.ranks.resize(all + 1, count as u32);
        for (rank, &index) in self.indices.iter().enumerate() {
            self.ranks[next..=index as usize].fill(rank as u32);
            next = index as usize + 1;
        }
        let all = all as i32;
        let beyond = |round: usize| (round as i32 + 1) * all;
        self.circular.clear();
        let before = (0..BEYOND)
            .rev()
            .map(|step| self.indices[count - 1 - step % count] as i32 - beyond(step / count));
        self.circular.extend(before);
        self.circular.extend(self.indices.iter().map(|index| *index as i32));
        let after =
            (0..BEYOND).map(|step| self.indices[step % count] as i32 + beyond(step / count));
        self.circular.extend(after);
    }

    /// Indices among all hits.
    #[inline]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// Finds the first hits for second hits.
pub struct FirstHits<'a> {
    all: &'a Layer,
    unused: &'a Unused,
}

/// Indices among all hits, in the order in which they are tried.
#[derive(Clone, Copy)]
pub struct Candidates<const N: usize> {
    /// Number of candidates.
    pub len: usize,
    /// The candidates; after the last one, any hits.
    pub indices: [u32; N],
}

impl<'a> FirstHits<'a> {
    /// First hits among unused ones, of which there are some.
    pub fn new(all: &'a Layer, unused: &'a mut Unused) -> Self {
        unused.fill_circular(all.len());
        FirstHits { all, unused }
    }

    /// The candidates for a second hit.
    #[inline]
    pub fn near<const N: usize>(&self, phi: i32) -> Candidates<N> {
        let middle = self.all.lower_bound(phi);
        let rank = self.unused.ranks[middle] as usize + BEYOND;
        let middle = middle as i32;
        let all = self.all.len() as i32;
        // The next ones upwards and downwards.
        let up: &[i32; N] = self.unused.circular[rank..].first_chunk().expect("beyond the last");
        let down: &[i32; N] = self.unused.circular[..rank].last_chunk().expect("before the first");
        let mut ups = 0;
        let mut indices = [0; N];
        for (taken, index) in indices.iter_mut().enumerate() {
            let next_up = up[ups];
            let next_down = down[N - 1 - (taken - ups)];
            // Steps after which each is tried: 0, 1 upwards, 1 downwards, 2 upwards, …
            let is_up = 2 * (next_up - middle) - 1 < 2 * (middle - next_down);
            let next = select_unpredictable(is_up, next_up, next_down);
            let next = select_unpredictable(next < 0, next + all, next);
            *index = select_unpredictable(next >= all, next - all, next) as u32;
            ups += usize::from(is_up);
        }
        let len = N.min(self.unused.indices.len());
        // Not of another round.
        indices[len..].fill(self.unused.indices[0]);
        Candidates { len, indices }
    }
}
