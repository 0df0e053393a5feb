//! First hits of triplets: those nearest by index to the angle of the second one, alternately above and
//! below. Used hits count for the index, and are left out.

use std::array::from_fn;

use super::lanes::{Integers, LANES};
use super::layer::Layer;
use super::unused::{BEYOND, Unused};

/// Finds the first hits for second hits.
pub struct FirstHits<'a> {
    all: &'a Layer,
    unused: &'a Unused,
}

impl<'a> FirstHits<'a> {
    /// First hits among unused ones, of which there are some.
    pub fn new(all: &'a Layer, unused: &'a mut Unused) -> Self {
        unused.fill_circular(all.len());
        FirstHits { all, unused }
    }

    /// The candidates for eight second hits with these angles, by their indices among all hits: `N` in the
    /// order in which they are tried. If fewer are unused, one of them is repeated.
    #[inline]
    pub fn near<const N: usize>(&self, phi: [i32; LANES]) -> [Integers; N] {
        let indices = self.unused.indices();
        let circular = self.unused.circular();
        let middles = phi.map(|phi| self.all.lower_bound(phi));
        let ranks = middles.map(|middle| self.unused.rank(middle) as usize + BEYOND);
        // Lists of the next ones upwards and downwards, the last one of these first.
        let up: [Integers; N] = transposed(ranks.map(|rank| &circular[rank..]));
        let down: [Integers; N] = transposed(ranks.map(|rank| &circular[rank - N..]));
        // Steps after which each is tried: 0, 1 upwards, 1 downwards, 2 upwards, …; the two lists are in
        // order, so that pairs from their opposite ends hold the smallest steps.
        let middles = middles.map(|middle| middle as i32);
        // The vector is loaded where it is used: one that lives as long as this array, and is loaded from
        // it, LLVM 22 keeps in the array, whose address is no multiple of what vectors need.
        let mut steps: [Integers; N] = from_fn(|candidate| {
            let middles = Integers::load(&middles);
            let up = up[candidate].minus(middles);
            let down = middles.minus(down[candidate]);
            up.plus(up).minus(Integers::splat(1)).min(down.plus(down))
        });
        let mut stride = N / 2;
        while stride > 0 {
            for low in (0..N).filter(|candidate| candidate & stride == 0) {
                let pair = [steps[low], steps[low + stride]];
                steps[low] = pair[0].min(pair[1]);
                steps[low + stride] = pair[0].max(pair[1]);
            }
            stride /= 2;
        }
        let all = Integers::splat(self.all.len() as i32);
        let unused = indices.len();
        from_fn(|candidate| {
            if candidate >= unused {
                // Not of another round.
                return Integers::splat(indices[0] as i32);
            }
            let middles = Integers::load(&middles);
            let distance = steps[candidate].plus(Integers::splat(1)).half();
            let is_up = steps[candidate].is_odd();
            let index = is_up.select_integers(middles.plus(distance), middles.minus(distance));
            let wrapped =
                index.is_below(Integers::splat(0)).select_integers(index.plus(all), index);
            wrapped.is_below(all).select_integers(wrapped, wrapped.minus(all))
        })
    }
}

/// The first `N` numbers of eight lists, a vector for each position in them; `N` is a multiple of four.
#[inline]
fn transposed<const N: usize>(lists: [&[i32]; LANES]) -> [Integers; N] {
    let lists = lists.map(|list| list.first_chunk::<N>().expect("beyond the last"));
    let mut all = [Integers::splat(0); N];
    for (part, all) in all.chunks_exact_mut(4).enumerate() {
        let part = |lane: usize| lists[lane][4 * part..].first_chunk().expect("four");
        all.copy_from_slice(&Integers::transposed(from_fn(part)));
    }
    all
}
