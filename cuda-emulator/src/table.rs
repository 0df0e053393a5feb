//! The kernels that a build script compiled, and their arguments.

pub use super::threads::DeviceThread;

use std::ffi::c_void;
use std::marker::PhantomData;

use bytemuck::NoUninit;

use super::config::Lanes;
use super::error::EmulatorError;
use super::memory::Allocation;

/// The kernels of a program. Its build script makes the table, by `cuda-emulator-build`.
pub struct Kernels {
    known: Result<KernelList, &'static str>,
}

/// A kernel of a table, by its name.
#[derive(Clone, Copy)]
pub struct KernelName<'n> {
    kernels: &'static Kernels,
    name: &'n str,
}

/// The available kernels.
#[derive(Clone, Copy)]
struct KernelList {
    kernels: &'static [Kernel],
    thread_slot: ThreadSlot,
}

/// A kernel, compiled with one set of options.
#[doc(hidden)]
pub struct Kernel {
    pub name: &'static str,
    pub lanes: u32,
    pub checked: bool,
    pub entry: *const Entry,
    pub shared: Shared,
}

/// The static shared memory of a kernel's file, on each thread of the host.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Shared {
    pub anchor: unsafe extern "C" fn() -> *mut u8,
    pub before: usize,
    pub size: usize,
}

/// Entry of a kernel: `EmulatorEntry` in `build/include/entry.h`.
#[doc(hidden)]
#[repr(C)]
pub struct Entry {
    call: Call,
    sizes: *const u16,
    arguments: u32,
    shared_bytes: u32,
}

/// Runs a kernel for the current thread.
pub(super) type Call = unsafe extern "C" fn(arguments: *const *const c_void);

/// Returns the address of the host thread's pointer to the current CUDA thread.
#[doc(hidden)]
pub type ThreadSlot = unsafe extern "C" fn() -> *mut *const DeviceThread;

// SAFETY: the pointers are to constants of the kernels' objects.
unsafe impl Sync for Kernel {}

impl Kernels {
    /// # Safety
    /// All of it is as the build script found it in the kernels' objects.
    #[doc(hidden)]
    pub const unsafe fn compiled(kernels: &'static [Kernel], thread_slot: ThreadSlot) -> Self {
        let known = KernelList { kernels, thread_slot };
        Kernels { known: Ok(known) }
    }

    /// A table of none.
    #[doc(hidden)]
    pub const fn none(reason: &'static str) -> Self {
        Kernels { known: Err(reason) }
    }

    /// Why there are none, if there are none.
    pub fn unavailable(&self) -> Option<&'static str> {
        self.known.as_ref().err().copied()
    }

    /// The kernel of this name, which is looked up when it is used.
    pub const fn named<'n>(&'static self, name: &'n str) -> KernelName<'n> {
        KernelName { kernels: self, name }
    }

    /// The names of all kernels.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let once = |k: &&Kernel| k.lanes == 32 && !k.checked;
        self.all().iter().filter(once).map(|k| k.name)
    }

    fn all(&self) -> &'static [Kernel] {
        self.known.map_or(&[], |known| known.kernels)
    }
}

impl KernelName<'_> {
    /// Returns the function with the address where workers store the current CUDA thread.
    pub(super) fn thread_slot(self) -> Result<ThreadSlot, EmulatorError> {
        self.known().map(|known| known.thread_slot)
    }

    fn known(self) -> Result<KernelList, EmulatorError> {
        self.kernels.known.map_err(EmulatorError::Unavailable)
    }

    /// Returns the kernel that was compiled with these options.
    pub(super) fn find(
        self,
        lanes: Lanes,
        checked: bool,
    ) -> Result<&'static Kernel, EmulatorError> {
        let known = self.known()?.kernels;
        let fits = |k: &&Kernel| k.lanes == lanes.count() && k.checked == checked;
        let found = known.iter().filter(fits).find(|k| k.name == self.name);
        found.ok_or_else(|| EmulatorError::UnknownKernel {
            kernel: self.name.to_owned(),
            known: self.kernels.names().collect::<Vec<_>>().join(", "),
        })
    }
}

impl Kernel {
    pub(super) fn call(&self) -> Call {
        // SAFETY: the table points to constants.
        unsafe { (*self.entry).call }
    }

    /// Bytes of dynamic shared memory that each block has of it.
    pub(super) fn shared_bytes(&self) -> u32 {
        // SAFETY: the table points to constants.
        unsafe { (*self.entry).shared_bytes }
    }

    /// The sizes of the arguments in bytes.
    pub(super) fn argument_sizes(&self) -> &[u16] {
        // SAFETY: the table points to constants with static lifetime; `sizes` has at least
        // `arguments` entries.
        unsafe {
            let entry = &*self.entry;
            std::slice::from_raw_parts(entry.sizes, entry.arguments as usize)
        }
    }
}

impl Shared {
    /// Its start on this thread of the host.
    pub(super) fn base(&self) -> *mut u8 {
        // SAFETY: the anchor is in the same section, `before` bytes after its start: the build
        // script read that offset from the object.
        unsafe { (self.anchor)().sub(self.before) }
    }
}

/// A value that a kernel takes, by its bytes.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    pub(super) value: *const c_void,
    pub(super) bytes: usize,
    of: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// A number, or a structure laid out as the kernel's.
    pub fn value<T: NoUninit>(value: &'a T) -> Self {
        Argument { value: (&raw const *value).cast(), bytes: size_of::<T>(), of: PhantomData }
    }

    /// The first bytes of a word, which is the value in little endian.
    pub fn first_bytes(word: &'a u64, bytes: usize) -> Self {
        Argument {
            value: (&raw const *word).cast(),
            bytes: bytes.min(size_of::<u64>()),
            of: PhantomData,
        }
    }

    /// A structure, by its bytes.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Argument { value: bytes.as_ptr().cast(), bytes: bytes.len(), of: PhantomData }
    }

    /// A pointer to device memory.
    pub fn pointer(allocation: &'a Allocation) -> Self {
        Self::value(&allocation.address)
    }
}
