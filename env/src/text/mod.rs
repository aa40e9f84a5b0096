//! Escaping of untrusted text for output, and error messages in plain words.

mod plain_message;
mod printable;

pub use plain_message::plain_message;
pub use printable::{excerpt, printable};
