//! `target` regions as flang compiles them: it asks libomptarget to run them on a device, and runs
//! them on the host if that cannot. Here they run on the host, by whoever meets them, and the
//! host's variables are the device's.

use std::ffi::c_int;

/// There is no device.
#[unsafe(no_mangle)]
pub extern "C" fn __tgt_target_kernel() -> c_int {
    1
}

macro_rules! nothing_to_do {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {}
    )* };
}
nothing_to_do! {
    __tgt_target_data_begin_mapper
    __tgt_target_data_end_mapper
    __tgt_target_data_update_mapper
    __tgt_target_data_begin_nowait_mapper
    __tgt_target_data_end_nowait_mapper
    __tgt_target_data_update_nowait_mapper
}
