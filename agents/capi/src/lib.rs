//! Trained bots behind a C interface: load a checkpoint, hand over requests of the bot protocol, get answers.
//!
//! `include/troel.h` is the interface as C sees it; `examples/play.c` uses it.
#![allow(unsafe_code, reason = "a C interface takes pointers; each use says what it relies on")]

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use troel_infer::protocol::Bot;

/// A loaded bot. Any number of threads may ask it at once.
pub struct TroelBot(Bot);

/// Writes a text and a zero byte into a buffer, cut where it does not fit (at a whole character); returns the length that
/// the whole text has without the zero byte.
///
/// # Safety
/// `buffer` must be null or valid for writes of `len` bytes.
unsafe fn put(text: &str, buffer: *mut c_char, len: usize) -> usize {
    if !buffer.is_null() && len > 0 {
        let end = text.floor_char_boundary(len - 1);
        // SAFETY: `end` is below `len`, of which the caller says that they may be written.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, end);
            *buffer.add(end) = 0;
        }
    }
    text.len()
}

/// Loads the checkpoint in a folder. Null if that fails; the reason is then in `error`.
///
/// # Safety
/// `folder` must be a string that ends with a zero byte, `error` null or valid for writes of `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_load(
    folder: *const c_char,
    error: *mut c_char,
    error_len: usize,
) -> *mut TroelBot {
    let load = || {
        if folder.is_null() {
            return Err("the folder is null".to_string());
        }
        // SAFETY: not null, and the caller says that it ends with a zero byte.
        let folder = unsafe { CStr::from_ptr(folder) };
        let folder = folder.to_str().map_err(|_| "the folder's name is not UTF-8".to_string())?;
        Bot::load(Path::new(folder)).map_err(|error| error.to_string())
    };
    // A panic must not cross into C.
    let loaded = catch_unwind(load).unwrap_or_else(|_| Err("a fault of the library".to_string()));
    match loaded {
        Ok(bot) => Box::into_raw(Box::new(TroelBot(bot))),
        Err(message) => {
            // SAFETY: as the caller says.
            unsafe { put(&message, error, error_len) };
            std::ptr::null_mut()
        }
    }
}

/// Answers a request of the bot protocol. The answer goes into `answer`, cut if it does not fit; returns the length that it
/// has without its zero byte, so that `answer_len` was too small if that is not below it. 0 for null pointers.
///
/// # Safety
/// `bot` must come from [`troel_bot_load`] and not be freed yet, `request` must be a string that ends with a zero byte,
/// `answer` null or valid for writes of `answer_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_answer(
    bot: *const TroelBot,
    request: *const c_char,
    answer: *mut c_char,
    answer_len: usize,
) -> usize {
    if bot.is_null() || request.is_null() {
        return 0;
    }
    // SAFETY: not null, and the caller says that they are what they should be.
    let (bot, request) = unsafe { (&*bot, CStr::from_ptr(request)) };
    let text = catch_unwind(AssertUnwindSafe(|| bot.0.answer(request.to_bytes())));
    let text = text.unwrap_or_else(|_| {
        r#"{"id":null,"error":{"code":"fault","message":"a fault of the library"}}"#.to_string()
    });
    // SAFETY: as the caller says.
    unsafe { put(&text, answer, answer_len) }
}

/// Frees a bot; null is allowed.
///
/// # Safety
/// `bot` must be null, or come from [`troel_bot_load`] and not be freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_free(bot: *mut TroelBot) {
    if !bot.is_null() {
        // SAFETY: made by `Box::into_raw`, and freed once, as the caller says.
        drop(unsafe { Box::from_raw(bot) });
    }
}
