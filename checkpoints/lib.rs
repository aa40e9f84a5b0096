//! The released bots, as the contents of their files.

/// Files of a bot.
#[derive(Clone, Copy, Debug)]
pub struct BotFiles {
    /// Name of the bot.
    pub name: &'static str,
    /// Contents of `bot.toml`.
    pub info: &'static str,
    /// Contents of `model.safetensors`.
    pub weights: &'static [u8],
}

macro_rules! bots {
    ($($name:literal,)*) => {
        &[$(BotFiles {
            name: $name,
            info: include_str!(concat!($name, "/bot.toml")),
            weights: include_bytes!(concat!($name, "/model.safetensors")),
        },)*]
    };
}

// A static, not a constant: each crate that uses a constant has its own copy of the files.
/// The released bots.
pub static BOTS: &[BotFiles] = bots![
    "luxembourg-v5",
    "horesca-v5",
    "wiezen-v5",
    "iwwa-v5",
    "luxembourg-match-v1",
    "horesca-match-v1",
    "universal-v2",
];
