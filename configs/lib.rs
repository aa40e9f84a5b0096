//! Rule sets and recipes that are built in, as the text of their files.

/// Rule sets: identifier and rule file.
pub const RULE_SETS: [(&str, &str); 4] = [
    ("luxembourg", include_str!("rules/luxembourg.toml")),
    ("horesca", include_str!("rules/horesca.toml")),
    ("wiezen", include_str!("rules/wiezen.toml")),
    ("iwwa", include_str!("rules/iwwa.toml")),
];

macro_rules! unseen_rules {
    ($($name:literal,)*) => {
        [$(($name, include_str!(concat!("benchmark/", $name, ".toml")))),*]
    };
}

/// Rule sets that are reserved for the benchmark under unseen rules: name and rule file.
pub const UNSEEN_RULES: [(&str, &str); 32] = unseen_rules![
    "luxembourg-0",
    "luxembourg-1",
    "luxembourg-2",
    "luxembourg-3",
    "luxembourg-4",
    "luxembourg-5",
    "luxembourg-6",
    "luxembourg-7",
    "horesca-0",
    "horesca-1",
    "horesca-2",
    "horesca-3",
    "horesca-4",
    "horesca-5",
    "horesca-6",
    "horesca-7",
    "wiezen-0",
    "wiezen-1",
    "wiezen-2",
    "wiezen-3",
    "wiezen-4",
    "wiezen-5",
    "wiezen-6",
    "wiezen-7",
    "iwwa-0",
    "iwwa-1",
    "iwwa-2",
    "iwwa-3",
    "iwwa-4",
    "iwwa-5",
    "iwwa-6",
    "iwwa-7",
];

/// Recipes: name and file.
pub const RECIPES: [(&str, &str); 2] =
    [("quickstart", include_str!("quickstart.toml")), ("champion", include_str!("champion.toml"))];

/// Reference of the keys of a recipe. A test of `troel-train` compares it with the sources.
pub const RECIPE_KEYS: &str = include_str!("recipe.md");
