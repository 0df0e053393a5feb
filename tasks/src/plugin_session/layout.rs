//! Inputs that consist of arrays and lists only, indexed in the order in which they are added.
//!
//! On the host, too, each array is copied to a separate buffer, so that a plugin can't change the
//! input.

use std::borrow::Cow;
use std::ffi::c_void;

use bytemuck::{NoUninit, Pod, Zeroable, cast_slice};
use generators_common::partition::Partition;

use super::task::{
    AbiInput, Addresses, Array, Description, OutputSpec, Read, Upload, changed_at_byte,
};
use crate::plugin::abi;

/// Arrays that a plugin reads and arrays that it writes, each with the pointer to it in the task's
/// struct `S` of the header.
pub struct Layout<'a, S> {
    arrays: Vec<Array<'a>>,
    outputs: Vec<OutputSpec>,
    pointers: Vec<SetPointer<S>>,
}

/// Sets pointers of the struct to buffers.
type SetPointer<S> = Box<dyn Fn(&mut S, &Addresses) + Send>;

/// A pointer of the header.
pub trait Pointer<T>: 'static {
    fn new(address: *mut T) -> Self;
}

impl<T: 'static> Pointer<T> for *mut T {
    fn new(address: *mut T) -> Self {
        address
    }
}

impl<T: 'static> Pointer<T> for *const T {
    fn new(address: *mut T) -> Self {
        address
    }
}

/// No arrays.
impl<S> Default for Layout<'_, S> {
    fn default() -> Self {
        Layout { arrays: Vec::new(), outputs: Vec::new(), pointers: Vec::new() }
    }
}

impl<'a, S: 'static> Layout<'a, S> {
    /// No arrays.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array to be read; `field` has the pointer to it.
    pub fn array<T: NoUninit, P: Pointer<T>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'a, [T]>>,
        field: fn(&mut S) -> &mut P,
    ) {
        let index = self.add_array(name, content);
        self.pointers.push(Box::new(move |shown, at| *field(shown) = P::new(at.array(index))));
    }

    fn add_array<T: NoUninit>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'a, [T]>>,
    ) -> usize {
        let content = match content.into() {
            Cow::Borrowed(content) => Cow::Borrowed(cast_slice(content)),
            Cow::Owned(content) => Cow::Owned(cast_slice(&content).to_vec()),
        };
        self.arrays.push(Array { name: name.into(), content, changed: Some(changed_at_byte) });
        self.arrays.len() - 1
    }

    /// Adds an array of `elements` elements to be written; returns its index among the outputs.
    pub fn output<T, P: Pointer<T>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        elements: usize,
        field: fn(&mut S) -> &mut P,
    ) -> usize {
        let index = self.add_output::<T>(name, elements);
        self.pointers.push(Box::new(move |shown, at| *field(shown) = P::new(at.output(index))));
        index
    }

    fn add_output<T>(&mut self, name: impl Into<Cow<'static, str>>, elements: usize) -> usize {
        self.outputs.push(OutputSpec { name: name.into(), bytes: elements * size_of::<T>() });
        self.outputs.len() - 1
    }

    /// Adds a pointer that is set by `set`, after those of the arrays before it.
    pub fn pointer(&mut self, set: fn(&mut S)) {
        self.pointers.push(Box::new(move |shown, _| set(shown)));
    }

    /// Builds the description. `shown` is the task's struct with any pointers to arrays, and `read`
    /// reads the outputs by index.
    pub fn describe<O>(self, shown: S, read: Read<'a, O>) -> Description<'a, O> {
        let mut shown = Pointing { shown: Box::new(shown), pointers: self.pointers };
        shown.set(&Addresses::default());
        Description {
            shown: Box::new(shown),
            on_host: self.arrays.len(),
            arrays: self.arrays,
            outputs: self.outputs,
            upload: Upload::InRun,
            read,
        }
    }
}

/// A struct with pointers to buffers, and the functions that set them.
struct Pointing<S> {
    shown: Box<S>,
    pointers: Vec<SetPointer<S>>,
}

// SAFETY: its pointers are to buffers that move between threads together with it.
unsafe impl<S> Send for Pointing<S> {}

impl<S> AbiInput for Pointing<S> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const *self.shown).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        self.pointers.iter().for_each(|set| set(&mut self.shown, buffers));
    }
}

/// Lists that a plugin writes.
#[derive(Clone, Copy)]
pub struct OutputLists {
    what: &'static str,
    /// Indices of items, offsets and counts among the outputs.
    indices: [usize; 3],
    capacity: usize,
}

/// Names of the items, offsets and counts of lists.
fn names(what: &str) -> [String; 3] {
    [
        format!("its {what}"),
        format!("the offsets of its {what}"),
        format!("the counts of its {what}"),
    ]
}

impl<'a, S: 'static> Layout<'a, S> {
    /// Adds contiguous lists to be read.
    pub fn lists<T: NoUninit>(
        &mut self,
        what: &str,
        items: impl Into<Cow<'a, [T]>>,
        lists: &Partition,
        field: fn(&mut S) -> &mut abi::Lists,
    ) {
        let offsets = lists.ranges().map(|list| list.start as u64).collect();
        let counts = lists.lengths().map(|count| count as u64).collect();
        self.spaced_lists(what, items, offsets, counts, field);
    }

    /// Adds lists to be read with the offset and length of each: there may be gaps.
    pub fn spaced_lists<T: NoUninit>(
        &mut self,
        what: &str,
        items: impl Into<Cow<'a, [T]>>,
        offsets: Vec<u64>,
        counts: Vec<u64>,
        field: fn(&mut S) -> &mut abi::Lists,
    ) {
        let items = items.into();
        let capacity = items.len() as u64;
        let [of_items, of_offsets, of_counts] = names(what);
        let items = self.add_array(of_items, items);
        let begins = self.add_array(of_offsets, offsets.clone());
        let of_counts = self.add_array(of_counts, counts.clone());
        self.pointers.push(Box::new(move |shown, at| {
            *field(shown) = abi::Lists {
                lists: offsets.len() as u64,
                capacity,
                items: at.array(items),
                begins: at.array(begins),
                counts: at.array(of_counts),
                host_begins: offsets.as_ptr(),
                host_counts: counts.as_ptr(),
            };
        }));
    }

    /// Adds `lists` lists to be written, with a capacity of `capacity` items in total.
    pub fn output_lists<T>(
        &mut self,
        what: &'static str,
        lists: usize,
        capacity: usize,
        field: fn(&mut S) -> &mut abi::Lists,
    ) -> OutputLists {
        let [of_items, of_offsets, of_counts] = names(what);
        let indices = [
            self.add_output::<T>(of_items, capacity),
            self.add_output::<u64>(of_offsets, lists),
            self.add_output::<u64>(of_counts, lists),
        ];
        let [items, offsets, counts] = indices;
        self.pointers.push(Box::new(move |shown, at| {
            *field(shown) = abi::Lists {
                lists: lists as u64,
                capacity: capacity as u64,
                items: at.output(items),
                begins: at.output(offsets),
                counts: at.output(counts),
                ..Zeroable::zeroed()
            };
        }));
        OutputLists { what, indices, capacity }
    }
}

impl OutputLists {
    /// Reads the lists that a plugin wrote.
    pub fn read<'o, T: Pod>(&self, outputs: &[&'o [u8]]) -> Result<Vec<&'o [T]>, String> {
        let [items, offsets, counts] = self.indices.map(|list_index| outputs[list_index]);
        let items = cast_slice::<_, T>(items);
        let offsets = cast_slice::<_, u64>(offsets);
        let lists = offsets.iter().zip(cast_slice::<_, u64>(counts)).enumerate();
        let mut free = self.capacity as u64;
        let list = |(list_index, (&begin, &count)): (usize, (&u64, &u64))| {
            let end = begin.checked_add(count).filter(|&end| end <= self.capacity as u64);
            let Some((end, left)) = end.zip(free.checked_sub(count)) else {
                return Err(self.does_not_fit(list_index, begin, count));
            };
            free = left;
            Ok(&items[begin as usize..end as usize])
        };
        lists.map(list).collect()
    }

    /// Reads the lists that a plugin wrote, which must be contiguous from offset 0 on.
    pub fn read_packed<'o, T: Pod>(&self, outputs: &[&'o [u8]]) -> Result<Vec<&'o [T]>, String> {
        let lists = self.read(outputs)?;
        let offsets = cast_slice::<_, u64>(outputs[self.indices[1]]);
        let mut end = 0;
        for (list_index, (list, &begin)) in lists.iter().zip(offsets).enumerate() {
            if begin != end {
                let what = self.what;
                return Err(format!(
                    "list {list_index} of its {what} begins at {begin} instead of {end}"
                ));
            }
            end += list.len() as u64;
        }
        Ok(lists)
    }

    fn does_not_fit(&self, list: usize, begin: u64, count: u64) -> String {
        let what = self.what;
        let capacity = self.capacity;
        format!(
            "list {list} of its {what} has {count} items from index {begin} on, but there is capacity \
             for {capacity} in all lists together"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads lists from an array of ten items with these offsets and counts.
    fn read(offsets: &[u64], counts: &[u64]) -> (Result<Vec<Vec<u32>>, String>, bool) {
        let lists = Layout::new().output_lists::<u32>(
            "hits",
            offsets.len(),
            10,
            |lists: &mut abi::Lists| lists,
        );
        let items: Vec<u32> = (0..10).collect();
        let outputs = [cast_slice(&items), cast_slice(offsets), cast_slice(counts)];
        let owned = |lists: Vec<&[u32]>| lists.into_iter().map(<[u32]>::to_vec).collect();
        (lists.read(&outputs).map(owned), lists.read_packed::<u32>(&outputs).is_ok())
    }

    #[test]
    fn lists_may_have_gaps_and_any_order_unless_they_are_packed() {
        assert_eq!(read(&[0, 2, 2], &[2, 0, 1]), (Ok(vec![vec![0, 1], vec![], vec![2]]), true));
        assert_eq!(read(&[7, 0], &[3, 2]), (Ok(vec![vec![7, 8, 9], vec![0, 1]]), false));
        assert_eq!(read(&[], &[]), (Ok(vec![]), true));
    }

    #[test]
    fn lists_beyond_the_capacity_are_reported() {
        let problem =
            |offsets: &[u64], counts: &[u64]| read(offsets, counts).0.expect_err("too many");
        let beyond = "list 1 of its hits has 4 items from index 7 on, but there is capacity for 10 in \
                  all lists together";
        assert_eq!(problem(&[0, 7], &[1, 4]), beyond);
        assert!(
            problem(&[u64::MAX], &[2]).starts_with("list 0 of its hits has 2 items from index 18")
        );
        // Overlapping lists.
        assert!(
            problem(&[0, 0], &[6, 6]).starts_with("list 1 of its hits has 6 items from index 0 on")
        );
    }
}
