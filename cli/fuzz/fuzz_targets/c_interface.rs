//! See `troel_fuzz::c_interface`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| troel_fuzz::c_interface(data));
