//! The packages of the workspace, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tools;

/// A package of the workspace that can be published.
#[derive(Debug, PartialEq, Eq)]
pub struct Publishable {
    /// Name of the package.
    pub name: String,
    /// Folder of its `Cargo.toml`.
    pub folder: PathBuf,
}

/// Returns the output of `cargo metadata`: for one target, or for all.
pub fn read(root: &Path, target: Option<&str>) -> Result<Value, String> {
    let mut cargo = tools::cargo(root);
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    if let Some(target) = target {
        cargo.args(["--filter-platform", target]);
    }
    let (json, _) = tools::run(&mut cargo)?;
    serde_json::from_str(&json).map_err(|error| format!("the output of cargo metadata: {error}"))
}

/// Returns the packages of the workspace that can be published, each after its dependencies.
pub fn publishable(metadata: &Value) -> Result<Vec<Publishable>, String> {
    let mut left: BTreeMap<&str, (&Value, BTreeSet<&str>)> = BTreeMap::new();
    for package in packages(metadata) {
        // `publish = false` is an empty list of registries.
        let is_private = package["publish"].as_array().is_some_and(Vec::is_empty);
        if package["source"].is_null() && !is_private {
            let needed = array(&package["dependencies"])
                .filter(|dependency| dependency["source"].is_null())
                // A dependency of tests that has no version is left out of the package.
                .filter(|dependency| dependency["kind"] != "dev" || dependency["req"] != "*");
            let names = needed.map(|dependency| text(&dependency["name"]));
            left.insert(text(&package["name"]), (package, names.collect()));
        }
    }
    let mut sorted = Vec::new();
    while !left.is_empty() {
        let free = left.iter().find(|(name, (_, needed))| {
            !left.keys().any(|other| other != *name && needed.contains(other))
        });
        let Some((&name, &(package, _))) = free else {
            let names: Vec<&str> = left.into_keys().collect();
            return Err(format!("these packages depend on each other: {}", names.join(", ")));
        };
        left.remove(name);
        let manifest = Path::new(text(&package["manifest_path"]));
        let folder = manifest.parent().unwrap_or(Path::new("")).to_path_buf();
        sorted.push(Publishable { name: name.to_owned(), folder });
    }
    Ok(sorted)
}

/// Returns the packages in the metadata.
pub fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    array(&metadata["packages"])
}

/// Returns the elements of an array; none if the value is not an array.
pub fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the text of a string; empty if the value is not a string.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, needed: &[(&str, Option<&str>)]) -> Value {
        let needed: Vec<Value> = needed
            .iter()
            .map(|(name, kind)| json!({"name": name, "kind": kind, "req": "^1"}))
            .collect();
        json!({
            "name": name, "source": null, "publish": null, "dependencies": needed,
            "manifest_path": format!("/root/{name}/Cargo.toml"),
        })
    }

    fn names(packages: Vec<Value>) -> Result<Vec<String>, String> {
        let found = publishable(&json!({"packages": packages}))?;
        Ok(found.into_iter().map(|package| package.name).collect())
    }

    #[test]
    fn each_package_follows_its_dependencies() {
        let mut private = package("a-private", &[]);
        private["publish"] = json!([]);
        let mut foreign = package("a-foreign", &[]);
        foreign["source"] = json!("registry");
        let found = names(vec![
            private,
            foreign,
            package("a", &[("b", None), ("c", Some("dev"))]),
            package("b", &[("c", None)]),
            package("c", &[]),
        ]);
        assert_eq!(found, Ok(vec!["c".into(), "b".into(), "a".into()]));
    }

    #[test]
    fn a_circle_is_an_error() {
        let found = names(vec![package("a", &[("b", None)]), package("b", &[("a", Some("dev"))])]);
        assert!(found.is_err_and(|error| error.contains("a, b")));
    }
}
