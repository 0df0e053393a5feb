//! Counting with stubs of the library's functions: two launches, with three metrics.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each function gets a pointer to parameters of its type, which live until it returns"
)]

use std::cell::RefCell;
use std::ptr::null;

use super::abi::{Callback, Status};
use super::*;

/// Calls so far, and the answers to them.
#[derive(Default)]
struct Library {
    calls: Vec<&'static str>,
    metrics: Vec<String>,
    subscription: Option<(Callback, usize)>,
    callbacks: Vec<u32>,
    /// Status of this function.
    refused: Option<(&'static str, Status)>,
    /// Number of ranges beyond those of launches.
    more_ranges: usize,
}

thread_local! {
    static LIBRARY: RefCell<Library> = RefCell::default();
}

fn library<R>(with: impl FnOnce(&mut Library) -> R) -> R {
    LIBRARY.with_borrow_mut(with)
}

/// Notes a call, and returns its status.
fn called(name: &'static str) -> Status {
    library(|library| {
        library.calls.push(name);
        library.refused.filter(|(refused, _)| *refused == name).map_or(0, |(_, status)| status)
    })
}

fn object(number: usize) -> Object {
    number as Object
}

/// Names of the library's ratios.
const RATIOS_OF_LIBRARY: [&CStr; 3] = [c"l1__hit_rate", c"warps_waiting_for_dram", c"warps_ready"];

unsafe extern "C" fn result_words(status: Status, words: *mut *const c_char) -> Status {
    unsafe { *words = if status == 7 { c"bad \x1b weather".as_ptr() } else { null() } };
    0
}

unsafe extern "C" fn subscribe(
    subscriber: *mut Object,
    callback: Callback,
    data: *mut c_void,
) -> Status {
    unsafe { *subscriber = object(3) };
    library(|library| library.subscription = Some((callback, data as usize)));
    called("subscribe")
}

unsafe extern "C" fn unsubscribe(subscriber: Object) -> Status {
    assert_eq!(subscriber, object(3));
    library(|library| library.subscription = None);
    called("unsubscribe")
}

unsafe extern "C" fn enable_callback(on: u32, _: Object, domain: u32, number: u32) -> Status {
    assert_eq!((on, domain), (1, DRIVER_CALLS));
    library(|library| library.callbacks.push(number));
    0
}

unsafe extern "C" fn initialize(_: *mut Initialize) -> Status {
    called("initialize")
}

unsafe extern "C" fn chip_name(it: *mut GetChipName) -> Status {
    unsafe {
        assert_eq!((*it).device, 5);
        (*it).name = c"GH100".as_ptr();
    }
    called("chip name")
}

unsafe extern "C" fn counter_availability(it: *mut CounterAvailability) -> Status {
    unsafe {
        assert_eq!((*it).context, object(9));
        if (*it).image.is_null() { (*it).bytes = 4 } else { (*it).image.write_bytes(1, 4) }
    }
    called("availability")
}

unsafe extern "C" fn host_initialize(it: *mut HostInitialize) -> Status {
    unsafe {
        assert_eq!(CStr::from_ptr((*it).chip), c"GH100");
        assert_eq!(*(*it).availability, 1);
        (*it).host = object(1);
    }
    called("host")
}

unsafe extern "C" fn host_deinitialize(it: *mut HostDeinitialize) -> Status {
    unsafe { assert_eq!((*it).host, object(1)) };
    called("host ends")
}

unsafe extern "C" fn base_metrics(it: *mut BaseMetrics) -> Status {
    thread_local! {
        static NAMES: RefCell<Vec<*const c_char>> =
            RefCell::new(RATIOS_OF_LIBRARY.iter().map(|name| name.as_ptr()).collect());
    }
    unsafe {
        assert_eq!((*it).kind, RATIOS);
        (*it).names = NAMES.with_borrow_mut(|names| names.as_mut_ptr());
        (*it).count = RATIOS_OF_LIBRARY.len();
    }
    called("base metrics")
}

unsafe extern "C" fn add_metrics(it: *mut AddMetrics) -> Status {
    let names = unsafe {
        (0..(*it).count).map(|index| CStr::from_ptr(*(*it).names.add(index))).map(CStr::to_owned)
    };
    let names = names.map(|name| name.into_string().expect("text")).collect();
    library(|library| library.metrics = names);
    called("add metrics")
}

unsafe extern "C" fn config_image_size(it: *mut ConfigImageSize) -> Status {
    unsafe { (*it).bytes = 2 };
    0
}

unsafe extern "C" fn config_image(it: *mut ConfigImage) -> Status {
    unsafe { (*it).image.write_bytes(42, (*it).bytes) };
    0
}

/// Value of a metric: its index, and ten times the index of the range.
unsafe extern "C" fn evaluate(it: *mut Evaluate) -> Status {
    unsafe {
        assert_eq!((*it).data_bytes, 8);
        for index in 0..(*it).count {
            *(*it).values.add(index) = (10 * (*it).range + index) as f64;
        }
    }
    called("evaluate")
}

unsafe extern "C" fn enable(it: *mut Enable) -> Status {
    unsafe { (*it).profiler = object(2) };
    called("enable")
}

unsafe extern "C" fn disable(it: *mut Disable) -> Status {
    unsafe { assert_eq!((*it).profiler, object(2)) };
    called("disable")
}

unsafe extern "C" fn counter_data_size(it: *mut CounterDataSize) -> Status {
    unsafe { (*it).bytes = 8 };
    0
}

unsafe extern "C" fn counter_data_initialize(_: *mut CounterDataInitialize) -> Status {
    0
}

unsafe extern "C" fn set_config(it: *mut SetConfig) -> Status {
    unsafe {
        assert_eq!((*it).config_bytes, 2);
        assert_eq!(*(*it).config, 42);
        assert_eq!(((*it).range, (*it).replay), (AUTO_RANGE, KERNEL_REPLAY));
    }
    called("set config")
}

unsafe extern "C" fn start(_: *mut Start) -> Status {
    called("start")
}

unsafe extern "C" fn stop(_: *mut Stop) -> Status {
    called("stop")
}

unsafe extern "C" fn decode_data(_: *mut DecodeData) -> Status {
    called("decode")
}

unsafe extern "C" fn counter_data_info(it: *mut CounterDataInfo) -> Status {
    unsafe { (*it).ranges = 2 + library(|library| library.more_ranges) };
    0
}

fn functions() -> Arc<Functions> {
    Arc::new(Functions {
        result_words,
        subscribe,
        unsubscribe,
        enable_callback,
        initialize,
        chip_name,
        counter_availability,
        host_initialize,
        host_deinitialize,
        base_metrics,
        add_metrics,
        config_image_size,
        config_image,
        evaluate,
        enable,
        disable,
        counter_data_size,
        counter_data_initialize,
        set_config,
        start,
        stop,
        decode_data,
        counter_data_info,
    })
}

const METRICS: Metrics<'static> =
    Metrics { named: &["dram_bytes", "time"], ratios: ("warps_waiting_for_", ".ratio") };

/// Launches a kernel as the driver would: with a callback before it and one after it.
fn launch(kernel: &CStr) {
    let (callback, data) = library(|library| library.subscription.expect("a subscription"));
    for site in [ENTER, ENTER + 1] {
        let launch = CallbackData {
            site,
            function: null(),
            parameters: null(),
            result: null_mut(),
            symbol: kernel.as_ptr(),
        };
        unsafe { callback(data as *mut c_void, DRIVER_CALLS, LAUNCHES[0], &raw const launch) };
    }
}

fn counted() -> Result<Vec<CountedLaunch>, CuptiError> {
    let counting = KernelCounting::start(functions(), object(9), 5, METRICS)?;
    launch(c"copy");
    launch(c"scale");
    counting.stop()
}

#[test]
fn launches_have_their_counts() {
    let counted = counted().expect("counted");
    let launch = |kernel: &str, values: [f64; 3]| CountedLaunch {
        kernel: kernel.to_owned(),
        values: ["dram_bytes", "time", "warps_waiting_for_dram.ratio"]
            .into_iter()
            .map(str::to_owned)
            .zip(values)
            .collect(),
    };
    assert_eq!(counted, [launch("copy", [0.0, 1.0, 2.0]), launch("scale", [10.0, 11.0, 12.0])]);
    library(|library| {
        assert_eq!(library.metrics, ["dram_bytes", "time", "warps_waiting_for_dram.ratio"]);
        assert_eq!(library.callbacks, LAUNCHES);
        let expected = [
            "initialize",
            "chip name",
            "availability",
            "availability",
            "host",
            "base metrics",
            "add metrics",
            "enable",
            "set config",
            "subscribe",
            "start",
            "stop",
            "unsubscribe",
            "decode",
            "evaluate",
            "evaluate",
            "disable",
            "host ends",
        ];
        assert_eq!(library.calls, expected);
    });
}

#[test]
fn refusals_are_named_and_all_that_was_opened_is_closed() {
    library(|library| library.refused = Some(("set config", 7)));
    let error = counted().expect_err("refused");
    let words = "cuptiRangeProfilerSetConfig of CUPTI failed: bad \\u{1b} weather";
    assert_eq!(error.to_string(), words);
    library(|library| {
        assert_eq!(library.calls[library.calls.len() - 2..], ["disable", "host ends"]);
        library.refused = Some(("start", 35));
    });
    assert!(matches!(counted(), Err(CuptiError::Forbidden)));
    library(|library| {
        let ended = library.calls.len() - 3;
        assert_eq!(library.calls[ended..], ["unsubscribe", "disable", "host ends"]);
        library.refused = Some(("stop", 1));
    });
    let error = counted().expect_err("refused");
    assert_eq!(error.to_string(), "cuptiRangeProfilerStop of CUPTI failed: error 1");
}

#[test]
fn kernels_that_no_launch_was_seen_of_have_no_names() {
    library(|library| library.more_ranges = 1);
    let error = counted().expect_err("one too many").to_string();
    assert!(error.contains("counted 3 kernels of 2 launches"), "{error}");
}

#[test]
fn launches_of_several_threads_are_in_no_order() {
    let counting = KernelCounting::start(functions(), object(9), 5, METRICS).expect("started");
    let (callback, data) = library(|library| library.subscription.expect("a subscription"));
    launch(c"copy");
    thread::scope(|scope| {
        scope.spawn(|| {
            library(|library| library.subscription = Some((callback, data)));
            launch(c"scale");
        });
    });
    let error = counting.stop().expect_err("no order");
    assert_eq!(error.to_string(), "kernels were launched by 2 threads: which is which is unknown");
}

#[test]
fn a_library_without_the_functions_is_too_old() {
    // Any library that is there has none of them.
    let library = ["libc.so.6"].iter().find_map(|name| first_of(&[name]).ok());
    let Some(library) = library else { return };
    let error = Functions::load(library).err().expect("no functions");
    assert!(error.to_string().contains("CUPTI is too old: it has no cuptiGetResultString"));
}
