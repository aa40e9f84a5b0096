//! Version and limit of the bot protocol, for both of its sides. `external` asks programs, and the
//! crate `troel-protocol` answers.

/// Version of the protocol.
pub const PROTOCOL_VERSION: u32 = 1;

/// Largest request or answer, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;
