//! Where relations are kept while links are followed.

use generators::tpc::slice_tracks::Relations;

/// Relations that can be followed and changed.
pub(super) trait RelationStore {
    /// How a slice track belongs to others.
    fn of(&self, track: u32) -> Relations;
    /// Puts a piece behind another one.
    fn set_next(&mut self, track: u32, next: u32);
    /// Puts a piece before another one.
    fn set_prev(&mut self, track: u32, prev: u32);
    /// Names the leg beside one.
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32);
}

/// All relations, for one worker.
pub(super) struct OwnRelations<'a>(pub(super) &'a mut [Relations]);

impl RelationStore for OwnRelations<'_> {
    #[inline(always)]
    fn of(&self, track: u32) -> Relations {
        self.0[track as usize]
    }

    #[inline(always)]
    fn set_next(&mut self, track: u32, next: u32) {
        self.0[track as usize].segment_next = next;
    }

    #[inline(always)]
    fn set_prev(&mut self, track: u32, prev: u32) {
        self.0[track as usize].segment_prev = prev;
    }

    #[inline(always)]
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32) {
        self.0[track as usize].neighbours[side] = neighbour;
    }
}

/// Relations that several workers change, each those of components of its own.
#[derive(Clone, Copy)]
pub(super) struct SharedRelations<'a> {
    first: *mut Relations,
    length: usize,
    array: std::marker::PhantomData<&'a mut [Relations]>,
}

// SAFETY: the array is borrowed for as long as this lives, and whoever has one promised
// to keep to components that nobody else touches.
unsafe impl Send for SharedRelations<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedRelations<'_> {}

impl<'a> SharedRelations<'a> {
    /// Shares relations out.
    ///
    /// # Safety
    /// No two threads may follow links of the same component.
    pub(super) unsafe fn new(relations: &'a mut [Relations]) -> Self {
        SharedRelations {
            first: relations.as_mut_ptr(),
            length: relations.len(),
            array: std::marker::PhantomData,
        }
    }

    /// Begins to bring the relations of a slice track here, if it is one.
    #[inline(always)]
    pub(super) fn prefetch(&self, track: u32) {
        #[cfg(target_arch = "x86_64")]
        if (track as usize) < self.length {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the place lies in the array; the instruction reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.place(track).cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = track;
    }

    #[inline(always)]
    fn place(&self, track: u32) -> *mut Relations {
        assert!((track as usize) < self.length);
        // SAFETY: it lies in the array, as was just checked.
        unsafe { self.first.add(track as usize) }
    }
}

impl RelationStore for SharedRelations<'_> {
    #[inline(always)]
    fn of(&self, track: u32) -> Relations {
        // SAFETY: the place is in the array, and no other thread uses those of this
        // component, by the promise given to `new`.
        unsafe { self.place(track).read() }
    }

    #[inline(always)]
    fn set_next(&mut self, track: u32, next: u32) {
        // SAFETY: as in `of`.
        unsafe { (*self.place(track)).segment_next = next }
    }

    #[inline(always)]
    fn set_prev(&mut self, track: u32, prev: u32) {
        // SAFETY: as in `of`.
        unsafe { (*self.place(track)).segment_prev = prev }
    }

    #[inline(always)]
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32) {
        // SAFETY: as in `of`.
        unsafe { (*self.place(track)).neighbours[side] = neighbour }
    }
}
