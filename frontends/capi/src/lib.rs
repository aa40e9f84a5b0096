//! The C interface: loads a bot, answers requests of the bot protocol, and plays with a person.
//!
//! `include/troel.h` declares the interface for C, and `examples/play.c` uses it. Built for
//! WebAssembly, the same functions are called by `frontends/web/assets/troel.mjs`.
#![allow(unsafe_code, reason = "a C interface takes pointers; each use has its conditions")]

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use troel_agents::RegistryError;
use troel_nn::{Bundle, BundleError, TrainedBot};
use troel_protocol::{Message, Refusal, Responder, Table, TableError, bot_protocol, private_table};

#[cfg(target_family = "wasm")]
mod memory;

/// A loaded bot. Any number of threads may use it at once.
pub struct TroelBot(Arc<Responder>);

/// A table with a person and a bot at the three other seats. Only one thread at a time may use it.
pub struct TroelTable {
    bot: Arc<Responder>,
    table: Option<Table>,
    /// The last answers, owned by the table.
    answers: CString,
}

/// Copies a text and a zero byte into a buffer. Truncates at a character boundary if it does not
/// fit. Returns the length of the whole text in bytes, without the zero byte.
///
/// # Safety
/// `buffer` must be null or valid for writes of `len` bytes.
unsafe fn write_text(text: &str, buffer: *mut c_char, len: usize) -> usize {
    if !buffer.is_null() && len > 0 {
        let end = text.floor_char_boundary(len - 1);
        // SAFETY: `end` is below `len`, and the caller guarantees that `len` bytes are writable.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, end);
            *buffer.add(end) = 0;
        }
    }
    text.len()
}

/// Reason why a bot cannot be loaded.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    /// An argument is null.
    #[error("{0} is null")]
    Null(&'static str),
    /// An argument is not UTF-8.
    #[error("{0} is not UTF-8")]
    NotUtf8(&'static str),
    /// There is no bot of this name.
    #[error(transparent)]
    Name(#[from] RegistryError),
    /// The checkpoint cannot be read or used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The library panicked.
    #[error("an internal error of the library. Please report it")]
    Internal,
}

/// Borrows a string from the caller; errors call it `name`.
///
/// # Safety
/// `text` must be null, or end with a zero byte and outlive the result.
unsafe fn borrow_str<'a>(text: *const c_char, name: &'static str) -> Result<&'a str, LoadError> {
    if text.is_null() {
        return Err(LoadError::Null(name));
    }
    // SAFETY: not null, and the caller guarantees a zero byte at the end.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| LoadError::NotUtf8(name))
}

/// Calls `load` and moves the bot to the heap. Returns null on failure, with the reason in `error`.
///
/// # Safety
/// `error` must be null or valid for writes of `error_len` bytes.
unsafe fn load_bot(
    load: impl FnOnce() -> Result<Responder, LoadError>,
    error: *mut c_char,
    error_len: usize,
) -> *mut TroelBot {
    // A panic must not cross into C.
    let loaded = catch_unwind(AssertUnwindSafe(load)).unwrap_or(Err(LoadError::Internal));
    match loaded {
        Ok(bot) => Box::into_raw(Box::new(TroelBot(Arc::new(bot)))),
        Err(failure) => {
            // SAFETY: guaranteed by the caller.
            unsafe { write_text(&failure.to_string(), error, error_len) };
            std::ptr::null_mut()
        }
    }
}

/// Loads the checkpoint in a folder. Returns null on failure, with the reason in `error`.
///
/// # Safety
/// `folder` must be a string that ends with a zero byte, `error` null or valid for writes of
/// `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_load(
    folder: *const c_char,
    error: *mut c_char,
    error_len: usize,
) -> *mut TroelBot {
    let load = || {
        // SAFETY: guaranteed by the caller.
        let folder = unsafe { borrow_str(folder, "the folder") }?;
        Ok(Responder::load(Path::new(folder))?)
    };
    // SAFETY: guaranteed by the caller.
    unsafe { load_bot(load, error, error_len) }
}

/// Loads a checkpoint from the contents of its files. `info` is that of `bot.toml`, `weights` that
/// of `model.safetensors`. Neither is used after the call. `name` is the bot's name. Returns null
/// on failure, with the reason in `error`.
///
/// # Safety
/// - `name` must be a string that ends with a zero byte.
/// - `info` must be valid for reads of `info_len` bytes, `weights` of `weights_len` bytes.
/// - `error` must be null or valid for writes of `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_read(
    name: *const c_char,
    info: *const u8,
    info_len: usize,
    weights: *const u8,
    weights_len: usize,
    error: *mut c_char,
    error_len: usize,
) -> *mut TroelBot {
    let load = || {
        // SAFETY: guaranteed by the caller.
        let name = Path::new(unsafe { borrow_str(name, "the name") }?);
        if info.is_null() || weights.is_null() {
            return Err(LoadError::Null("a file"));
        }
        // SAFETY: not null, and the caller guarantees the lengths.
        let (info, weights) = unsafe {
            (
                std::slice::from_raw_parts(info, info_len),
                std::slice::from_raw_parts(weights, weights_len),
            )
        };
        let info = std::str::from_utf8(info).map_err(|_| LoadError::NotUtf8("bot.toml"))?;
        let bundle = Bundle::parse(name, info, weights)?;
        Ok(Responder::trained(name, &TrainedBot::Network(bundle))?)
    };
    // SAFETY: guaranteed by the caller.
    unsafe { load_bot(load, error, error_len) }
}

/// Creates a bot that needs no file, for all built-in rule sets. Examples of names are `random`,
/// `rules`, `expert` and `pimc:worlds=20`. Returns null if there is no bot of this name, with the
/// reason in `error`.
///
/// # Safety
/// `name` must be a string that ends with a zero byte, `error` null or valid for writes of
/// `error_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_named(
    name: *const c_char,
    error: *mut c_char,
    error_len: usize,
) -> *mut TroelBot {
    let load = || {
        // SAFETY: guaranteed by the caller.
        let name = unsafe { borrow_str(name, "the name") }?;
        Ok(Responder::built_in(name, 1)?)
    };
    // SAFETY: guaranteed by the caller.
    unsafe { load_bot(load, error, error_len) }
}

/// Answers a request of the bot protocol.
///
/// Writes the answer to `answer`, truncated if it does not fit. Returns the length of the whole
/// answer in bytes, without the zero byte: the answer was truncated if `answer_len` is not above
/// that. Returns 0 if `bot` or `request` is null.
///
/// # Safety
/// - `bot` must come from [`troel_bot_load`], [`troel_bot_read`] or [`troel_bot_named`] and not be
///   freed yet.
/// - `request` must be a string that ends with a zero byte.
/// - `answer` must be null or valid for writes of `answer_len` bytes.
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
    // SAFETY: not null, and the caller guarantees that they are valid.
    let (bot, request) = unsafe { (&*bot, CStr::from_ptr(request)) };
    let answered = || answer_request(&bot.0, request.to_bytes());
    // A panic must not cross into C.
    let text = catch_unwind(AssertUnwindSafe(answered)).unwrap_or_else(|_| {
        bot_protocol::answer(serde_json::Value::Null, &Err(Refusal::internal())).to_string()
    });
    // SAFETY: guaranteed by the caller.
    unsafe { write_text(&text, answer, answer_len) }
}

/// Answers a request of the bot protocol, with the error `internal` if the bot panics.
fn answer_request(bot: &Responder, request: &[u8]) -> String {
    let (id, request) = bot_protocol::parse(request, None);
    let respond = || request.and_then(|request| bot.respond(&request));
    let result = catch_unwind(AssertUnwindSafe(respond));
    let result = result.unwrap_or_else(|_| Err(Refusal::internal()));
    bot_protocol::answer(id, &result).to_string()
}

/// Frees a bot; null is allowed. Tables made with it remain valid.
///
/// # Safety
/// `bot` must be null, or come from [`troel_bot_load`], [`troel_bot_read`] or [`troel_bot_named`]
/// and not be freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_bot_free(bot: *mut TroelBot) {
    if !bot.is_null() {
        // SAFETY: made by `Box::into_raw`; the caller guarantees that it is freed once.
        drop(unsafe { Box::from_raw(bot) });
    }
}

/// Creates a table at which the bot plays the three seats that the person does not. Returns null if
/// `bot` is null.
///
/// # Safety
/// `bot` must be null, or come from [`troel_bot_load`], [`troel_bot_read`] or [`troel_bot_named`]
/// and not be freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_table_new(bot: *const TroelBot) -> *mut TroelTable {
    if bot.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: not null, and the caller guarantees that it is a bot.
    let bot = unsafe { &*bot }.0.clone();
    Box::into_raw(Box::new(TroelTable { bot, table: None, answers: CString::default() }))
}

/// Executes a command of the person (`docs/table.md`). Returns a JSON array of the messages to
/// show, which is owned by the table and valid until the table is used again. Returns null if a
/// pointer is null.
///
/// # Safety
/// `table` must come from [`troel_table_new`] and not be freed yet, `command` must be a string that
/// ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_table_do(
    table: *mut TroelTable,
    command: *const c_char,
) -> *const c_char {
    if table.is_null() || command.is_null() {
        return std::ptr::null();
    }
    // SAFETY: not null, and the caller guarantees that they are valid and that no other thread uses
    // the table.
    let (table, command) = unsafe { (&mut *table, CStr::from_ptr(command)) };
    let TroelTable { bot, table, answers } = table;
    let answered = || {
        serde_json::json!(private_table::handle(table, command.to_bytes(), bot.as_ref()))
            .to_string()
    };
    // A panic must not cross into C.
    let text = catch_unwind(AssertUnwindSafe(answered)).unwrap_or_else(|_| {
        let refused = Message::refused(&serde_json::Value::Null, &TableError::Internal);
        serde_json::json!([refused]).to_string()
    });
    *answers = CString::new(text).unwrap_or_default();
    answers.as_ptr()
}

/// Frees a table; null is allowed.
///
/// # Safety
/// `table` must be null, or come from [`troel_table_new`] and not be freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn troel_table_free(table: *mut TroelTable) {
    if !table.is_null() {
        // SAFETY: made by `Box::into_raw`; the caller guarantees that it is freed once.
        drop(unsafe { Box::from_raw(table) });
    }
}

#[cfg(test)]
mod tests;
