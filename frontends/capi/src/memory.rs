//! Memory in which a page passes strings and files.

/// Allocates `len` zeroed bytes for the caller to fill. Returns null if `len` is 0 or too large.
#[unsafe(no_mangle)]
pub extern "C" fn troel_alloc(len: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if len == 0 || bytes.try_reserve_exact(len).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(len, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Frees memory of [`troel_alloc`]; null is allowed.
///
/// # Safety
/// `bytes` must be null, or come from [`troel_alloc`] with this `len` and not be freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_dealloc(bytes: *mut u8, len: usize) {
    if !bytes.is_null() {
        // SAFETY: a boxed slice of this length; the caller guarantees that it is freed once.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, len)) });
    }
}
