//! Checks that anybody can run on an environment of their own configuration.

mod explore;
mod redeal;

pub use explore::Explorer;
pub use redeal::redeal;
