//! Rule sets and recipes that are built in, as the text of their files.

/// Rule sets: identifier and rule file.
pub const RULE_SETS: [(&str, &str); 4] = [
    ("luxembourg", include_str!("rules/luxembourg.toml")),
    ("horesca", include_str!("rules/horesca.toml")),
    ("wiezen", include_str!("rules/wiezen.toml")),
    ("iwwa", include_str!("rules/iwwa.toml")),
];

/// Recipes: name and file.
pub const RECIPES: [(&str, &str); 2] =
    [("quickstart", include_str!("quickstart.toml")), ("champion", include_str!("champion.toml"))];

/// Reference of the keys of a recipe. A test of `troel-train` compares it with the sources.
pub const RECIPE_KEYS: &str = include_str!("recipe.md");
