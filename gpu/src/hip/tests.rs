//! Calls into the runtime, tested on a stub, `stub.c`, which uses host memory, checks its arguments
//! and logs its calls.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use libloading::Library;
use tempfile::TempDir;

use super::engine;
use super::library::Hip;
use super::modules::CodeObjects;
use super::probe::{HipGpu, look};
use crate::ceilings::{Direction, HostMemory, Launches, LinkBuffers, MemoryStreams};
use crate::kernels::ceilings_streams::{CEILING_COPY, CEILING_TRIAD};
use crate::{DeviceError, Gpu, LaunchConfig, Side};

const BYTES: usize = (1 << 14) + 48;
const VERSION: &str = "-DSTUB_VERSION=60232830";

/// The stub runtime with a folder of code objects.
struct Stub {
    folder: TempDir,
    hip: &'static Hip,
    /// The stub library, for functions that only tests call.
    library: Library,
}

impl Stub {
    /// A separate copy; `None` without a compiler.
    fn new(flags: &[&str]) -> Option<Self> {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("libamdhip64.so");
        match flags {
            [] => drop(fs::copy(usual()?, &path).expect("copied")),
            _ => built(&path, flags)?,
        }
        // SAFETY: it has no initialisers.
        let library = unsafe { Library::new(&path) }.expect("a library");
        let hip = Box::leak(Box::new(Hip::open(&path).expect("all functions")));
        fs::write(folder.path().join("ceilings-streams.hsaco"), "stub").expect("written");
        Some(Stub { folder, hip, library })
    }

    fn gpus(&self) -> Vec<HipGpu> {
        look(self.hip).expect("GPUs")
    }

    fn gpu(&self) -> Gpu {
        self.opened(&self.gpus()[0]).expect("a GPU")
    }

    fn opened(&self, gpu: &HipGpu) -> Result<Gpu, DeviceError> {
        engine::open(self.hip, gpu, CodeObjects::in_folder(self.folder.path())).map(Gpu::new)
    }

    /// Makes all calls of a function fail.
    fn fail(&self, function: &str, code: c_int) {
        let name = CString::new(function).expect("a name").into_raw();
        // SAFETY: the stub has a function of this type, and the name stays.
        unsafe {
            let fail = self.library.get::<unsafe extern "C" fn(*const c_char, c_int)>(b"stub_fail");
            fail.expect("a stub")(name, code);
        }
    }

    /// Returns and clears the log of calls.
    fn calls(&self) -> Vec<String> {
        // SAFETY: the stub has functions of these types.
        unsafe {
            let log = self.library.get::<unsafe extern "C" fn() -> *const c_char>(b"stub_log");
            let text = CStr::from_ptr(log.expect("a stub")()).to_string_lossy().into_owned();
            self.library.get::<unsafe extern "C" fn()>(b"stub_clear_log").expect("a stub")();
            let calls = text.split_whitespace().filter(|call| *call != "SetDevice");
            calls.map(str::to_owned).collect()
        }
    }

    /// Number of objects that are not freed yet.
    fn alive(&self) -> c_int {
        // SAFETY: the stub has a function of this type.
        unsafe {
            self.library.get::<unsafe extern "C" fn() -> c_int>(b"stub_alive").expect("a stub")()
        }
    }
}

/// The library that all tests copy.
fn usual() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<TempDir>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = TempDir::new().expect("a folder");
        built(&folder.path().join("stub.so"), &[VERSION])?;
        Some(folder)
    });
    built.as_ref().map(|folder| folder.path().join("stub.so"))
}

fn built(path: &Path, flags: &[&str]) -> Option<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hip/stub.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-std=gnu17", "-shared", "-fPIC", "-pthread"]);
    let Ok(status) = compiler.args(flags).arg("-o").args([path, &source]).status() else {
        eprintln!("skipped: no compiler (cc)");
        return None;
    };
    assert!(status.success());
    Some(())
}

#[test]
fn gpus_are_described_by_runtimes_of_both_layouts() {
    for (flags, runtime) in
        [(&[VERSION][..], "HIP 6.2"), (&["-DSTUB_VERSION=50221153", "-DSTUB_OLD"][..], "HIP 5.2")]
    {
        let Some(stub) = Stub::new(flags) else { return };
        let gpus = stub.gpus();
        assert_eq!(gpus[0].name, "Stub with 64 lanes");
        assert_eq!(gpus[0].runtime, runtime);
        assert_eq!([&gpus[0].architecture, &gpus[1].architecture], ["gfx90a", "gfx1100"]);
        assert_eq!([gpus[0].lanes, gpus[1].lanes], [64, 32]);
        assert_eq!(gpus[0].compute_units, 104);
        assert_eq!((gpus[0].l2_bytes, gpus[0].shared_bytes), (1 << 20, 64 << 10));
        assert_eq!(gpus[1].pci_bus_id, "0000:01:00.0");
        assert_eq!(stub.opened(&gpus[1]).expect("a GPU").properties().lanes, 32);
    }
}

#[test]
fn an_old_and_a_missing_runtime_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("libamdhip64.so");
    if built(&path, &["-DSTUB_VERSION=40421401"]).is_none() {
        return;
    }
    let problem = Hip::open(&path).err().expect("too old");
    assert_eq!(problem, "the runtime is HIP 4.4; HIP 5.2 or newer is needed");
    let Some(stub) = Stub::new(&[]) else { return };
    stub.fail("hipInit", 100);
    let problem = look(stub.hip).expect_err("no GPU");
    assert!(
        problem.contains("no GPU that it may use") && problem.contains("/dev/kfd"),
        "{problem}"
    );
    let strange = HipGpu { lanes: 16, ..HipGpu::default() };
    let problem = stub.opened(&strange).err().expect("unknown").to_string();
    assert!(problem.contains("its warps have 16 lanes"), "{problem}");
}

#[test]
fn copies_and_kernels_work_and_all_memory_is_freed() {
    let Some(stub) = Stub::new(&[]) else { return };
    {
        let gpu = stub.gpu();
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        assert_eq!(streams.check(&gpu), Ok(()));
        for memory in HostMemory::ALL {
            let mut link = LinkBuffers::new(&gpu, memory, BYTES).expect("memory");
            assert_eq!(link.check(&gpu), Ok(()), "{memory}");
            for &direction in memory.directions() {
                let twice = u64::from(direction == Direction::Both) + 1;
                let copied = link.copy(&gpu, direction, BYTES);
                assert_eq!(copied, Ok(twice * BYTES as u64), "{memory} {direction}");
            }
        }
        let launches = Launches::new(&gpu).expect("a kernel");
        assert_eq!(launches.start(&gpu, 3).and_then(|()| gpu.finish()), Ok(()));
        let mut managed = gpu.managed::<u32>(5).expect("memory");
        managed.fill(3);
        assert_eq!(gpu.prefetch(&managed, Side::Device), Ok(()));
        assert_eq!(gpu.prefetch(&managed, Side::Host), Ok(()));
        let buffer = gpu.buffer::<u8>(4).expect("memory");
        let mut found = [0; 4];
        gpu.fill(&buffer, 9).expect("filled");
        let copied = gpu.with_queue(1, |gpu| {
            gpu.wait_for_first_queue()?;
            gpu.download(&mut found[..], &buffer)
        });
        assert_eq!((copied, gpu.finish(), found), (Ok(()), Ok(()), [9; 4]));
        assert!(stub.alive() > 0);
    }
    assert_eq!(stub.alive(), 0, "freed");
}

#[test]
fn times_are_taken_between_events_while_the_device_is_held() {
    let Some(stub) = Stub::new(&[]) else { return };
    let gpu = stub.gpu();
    let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
    streams.copy(&gpu).and_then(|()| gpu.finish()).expect("loaded");
    stub.calls();
    gpu.start_timeline().expect("on");
    streams.copy(&gpu).expect("started");
    gpu.finish().expect("done");
    let stages = gpu.stages().expect("times");
    let calls = stub.calls();
    let pairs = BYTES / 16;
    let launch = format!("ceiling_copy<{},256,0>", pairs.div_ceil(1024));
    let wanted = [
        "StreamSynchronize",
        "StreamAddCallback",
        "EventCreateWithFlags",
        "EventRecord",
        "ModuleLaunchKernel",
        &launch,
        "EventCreateWithFlags",
        "EventRecord",
        "StreamSynchronize",
        "EventElapsedTime",
    ];
    assert_eq!(calls, wanted);
    assert!(format!("{stages:?}").contains("ceiling_copy"), "{stages:?}");
}

#[test]
fn a_scope_ends_also_if_its_work_panics() {
    let Some(stub) = Stub::new(&[]) else { return };
    let gpu = stub.gpu();
    let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
    gpu.start_timeline().expect("on");
    let panics = || gpu.scope("inside", || -> Result<(), DeviceError> { panic!("in the midst") });
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    streams.copy(&gpu).expect("started");
    gpu.finish().expect("done");
    let stages = gpu.stages().expect("times");
    let names: Vec<_> = stages.iter().map(|stage| &*stage.name).collect();
    assert_eq!(names, ["kernel", "ceiling_copy"]);
}

#[test]
fn queues_are_ordered_by_events_with_times() {
    let Some(stub) = Stub::new(&[]) else { return };
    {
        let gpu = stub.gpu();
        let [first, second] = [(); 2].map(|()| gpu.queue().expect("a queue"));
        let buffer = gpu.buffer::<u8>(4).expect("memory");
        stub.calls();
        let before = first.record_event().expect("recorded");
        first.fill(&buffer, 3).expect("started");
        let after = first.record_event().expect("recorded");
        second.wait_for(&after).expect("ordered");
        assert_eq!(after.is_done(), Ok(true));
        let seconds = after.seconds_since(&before).expect("done").expect("a clock");
        assert!(seconds > 0.0, "{seconds}");
        let create = "EventCreateWithFlags";
        let wait = "EventSynchronize";
        let wanted = [create, "EventRecord", "MemsetD8Async", create, "EventRecord"];
        let polled = ["StreamWaitEvent", "EventQuery", wait, wait, "EventElapsedTime"];
        assert_eq!(stub.calls(), [wanted, polled].concat());
    }
    assert_eq!(stub.alive(), 0, "freed");
}

#[test]
fn gpus_copy_from_each_other_after_access_was_enabled_once() {
    let Some(stub) = Stub::new(&[]) else { return };
    {
        let gpus = stub.gpus();
        let [here, peer] = [0, 1].map(|index| stub.opened(&gpus[index]).expect("a GPU"));
        let from = peer.table(&[1_u32, 2, 3]).expect("copied");
        let to = here.table(&[0_u32; 3]).expect("copied");
        stub.calls();
        for _ in 0..2 {
            here.copy_from_peer(&to, &peer, &from).expect("copied");
        }
        let calls = stub.calls();
        let count = |call: &str| calls.iter().filter(|known| *known == call).count();
        assert_eq!([count("DeviceEnablePeerAccess"), count("MemcpyPeerAsync")], [1, 2]);
        assert_eq!(count("StreamWaitEvent"), 4, "both ways for each copy");
        assert_eq!(here.read_back(&to, 0..3), Ok(vec![1, 2, 3]));
        stub.fail("hipMemcpyPeerAsync", 700);
        let text = here.copy_from_peer(&to, &peer, &from).expect_err("failed").to_string();
        assert!(text.contains("hip:0") && text.contains("(700)"), "{text}");
    }
    assert_eq!(stub.alive(), 0, "freed");
}

#[test]
fn shared_memory_is_read_from_the_code_object_and_limited() {
    let Some(stub) = Stub::new(&[]) else { return };
    let gpu = stub.gpu();
    assert_eq!(CEILING_TRIAD.shared_bytes(&gpu), 48);
    assert_eq!(CEILING_COPY.shared_bytes(&gpu), 0);
    let attributes = gpu.attributes(&CEILING_COPY, LaunchConfig::blocks(1)).expect("known");
    assert_eq!((attributes.registers, attributes.shared_bytes), (Some(24), 128));
    assert_eq!((attributes.max_threads, attributes.resident_blocks), (1024, 8));
    let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
    drop(streams);
    let buffer = gpu.buffer::<[u64; 2]>(4).expect("memory");
    let arguments = crate::kernels::ceilings_streams::CeilingCopy {
        to: buffer.ptr(),
        from: buffer.ptr(),
        pairs: 4,
    };
    // SAFETY: it is not started; if it were, both buffers have that many pairs.
    let started = unsafe {
        gpu.launch(&CEILING_COPY, LaunchConfig::blocks(1).with_shared(64 << 10), arguments)
    };
    let text = started.expect_err("too much").to_string();
    let wanted = "kernel ceiling_copy needs 65664 bytes of shared memory; hip:0 has 65536";
    assert_eq!(text, wanted);
}

#[test]
fn errors_name_the_operation_and_the_device() {
    let Some(stub) = Stub::new(&[]) else { return };
    let gpu = stub.gpu();
    let too_much = gpu.buffer::<u64>(1 << 28).err().expect("too large");
    let needed = 1 << 31;
    let free = 1 << 28;
    let total = 1 << 30;
    let device = "hip:0".to_owned();
    assert_eq!(too_much, DeviceError::OutOfMemory { device, needed, free, total });
    let too_much = gpu.pinned::<u64>(1 << 28).err().expect("too large");
    assert_eq!(too_much, DeviceError::OutOfPinnedMemory { needed });
    stub.fail("hipMemsetD8Async", 101);
    let buffer = gpu.buffer::<u8>(4).expect("memory");
    let text = gpu.fill(&buffer, 1).expect_err("fails").to_string();
    assert_eq!(text, "setting memory failed on hip:0: hipErrorInvalidDevice (101)");
    assert!(!gpu.is_lost());
}

#[test]
fn missing_kernels_are_reported_with_the_command_that_builds_them() {
    let Some(stub) = Stub::new(&[]) else { return };
    let attributes = |gpu: &Gpu| {
        let attributes = gpu.attributes(&CEILING_COPY, LaunchConfig::blocks(1));
        attributes.err().map(|error| error.to_string()).unwrap_or_default()
    };
    stub.fail("hipModuleGetFunction", 500);
    let text = attributes(&stub.gpu());
    assert!(
        text.starts_with("kernel ceiling_copy can't be started on hip:0: ceilings-streams was")
    );
    stub.fail("hipModuleLoadData", 209);
    let text = attributes(&stub.gpu());
    let how = "has no machine code for gfx90a (hipErrorNoBinaryForGpu (209)); build it with \
               `HIP_ARCHITECTURES=gfx90a scripts/build-hip.sh`";
    assert!(text.contains(how), "{text}");
    let objects = CodeObjects::in_folder(stub.folder.path());
    assert_eq!(objects.problem(), None);
    fs::remove_file(stub.folder.path().join("ceilings-streams.hsaco")).expect("there");
    let text = attributes(&stub.gpu());
    assert!(text.contains("there is no ceilings-streams.hsaco in"), "{text}");
    let empty = TempDir::new().expect("a folder");
    let problem = CodeObjects::in_folder(empty.path()).problem().expect("empty");
    assert!(problem.contains("`scripts/build-hip.sh` builds them"), "{problem}");
}

#[test]
fn a_kernel_that_fails_is_named_and_the_gpu_is_lost() {
    let Some(stub) = Stub::new(&[]) else { return };
    {
        let gpu = stub.gpu();
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        streams.copy(&gpu).expect("started");
        stub.fail("hipStreamSynchronize", 700);
        let text = gpu.finish().expect_err("it failed").to_string();
        let wanted = "a kernel failed on hip:0 (ceiling_copy): hipErrorIllegalAddress (700)";
        assert_eq!(text, wanted);
        assert!(gpu.is_lost());
    }
    assert_eq!(stub.alive(), 0, "freed all the same");
}
