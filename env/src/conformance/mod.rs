//! Checks that anybody can run on an environment of their own configuration.

mod redeal;

pub use redeal::redeal;
