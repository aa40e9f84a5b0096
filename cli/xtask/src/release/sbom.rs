//! The list of components of the program (SBOM), in CycloneDX JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::release::metadata::{array, packages, text};

/// Returns the components of package `name`: its dependencies without those of tests.
///
/// Dependencies of build scripts are included. The text has no date, so that equal metadata give
/// equal texts.
pub fn cyclonedx(metadata: &Value, name: &str) -> Result<Value, String> {
    let by_id: BTreeMap<&str, &Value> =
        packages(metadata).map(|package| (text(&package["id"]), package)).collect();
    let needed: BTreeMap<&str, BTreeSet<&str>> =
        array(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), used(node))).collect();
    let is_root = |package: &&Value| package["name"] == name && package["source"].is_null();
    let root = packages(metadata)
        .find(is_root)
        .ok_or_else(|| format!("cargo metadata has no package {name}"))?;

    let mut found = BTreeSet::new();
    let mut left = vec![text(&root["id"])];
    while let Some(id) = left.pop() {
        if found.insert(id) {
            left.extend(needed.get(id).into_iter().flatten());
        }
    }
    let mut components = Vec::new();
    let mut dependencies = Vec::new();
    for id in &found {
        let package = by_id.get(id).ok_or_else(|| format!("cargo metadata has no package {id}"))?;
        if *id != text(&root["id"]) {
            components.push(component(package, "library"));
        }
        let of_it = needed.get(id).into_iter().flatten().filter_map(|other| by_id.get(other));
        dependencies.push(json!({
            "ref": reference(package),
            "dependsOn": of_it.map(|other| reference(other)).collect::<Vec<_>>(),
        }));
    }
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(root, "application")},
        "components": components,
        "dependencies": dependencies,
    }))
}

/// Returns the packages that a node uses outside of tests.
fn used(node: &Value) -> BTreeSet<&str> {
    array(&node["deps"])
        .filter(|needed| array(&needed["dep_kinds"]).any(|kind| kind["kind"] != "dev"))
        .map(|needed| text(&needed["pkg"]))
        .collect()
}

fn component(package: &Value, kind: &str) -> Value {
    let reference = reference(package);
    let mut component = json!({
        "type": kind,
        "bom-ref": reference,
        "name": package["name"],
        "version": package["version"],
        "purl": reference,
    });
    if let Some(license) = package["license"].as_str() {
        // Before SPDX expressions, crates separated licences by a slash.
        let expression = license.replace(" / ", " OR ").replace('/', " OR ");
        component["licenses"] = json!([{"expression": expression}]);
    }
    component
}

fn reference(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_program_uses_is_listed() {
        let package = |name: &str, license: &str| json!({"id": name, "name": name, "version": "1.0.0", "source": null, "license": license});
        let edge =
            |name: &str, kind: Option<&str>| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package("app", "MIT"), package("used", "MIT/Apache-2.0"), package("below", "MIT"),
                package("of-tests", "MIT"), package("other", "MIT"),
            ],
            "resolve": {"nodes": [
                {"id": "app", "deps": [edge("used", None), edge("of-tests", Some("dev"))]},
                {"id": "used", "deps": [edge("below", Some("build"))]},
                {"id": "below", "deps": []},
                {"id": "other", "deps": [edge("app", None)]},
            ]},
        });
        let list = cyclonedx(&metadata, "app").expect("a list");
        let names: Vec<&str> = array(&list["components"]).map(|part| text(&part["name"])).collect();
        assert_eq!(names, ["below", "used"]);
        assert_eq!(list["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(list["metadata"]["component"]["purl"], "pkg:cargo/app@1.0.0");
        let app = array(&list["dependencies"]).find(|part| part["ref"] == "pkg:cargo/app@1.0.0");
        assert_eq!(app.expect("listed")["dependsOn"], json!(["pkg:cargo/used@1.0.0"]));
        assert!(cyclonedx(&metadata, "absent").is_err());
    }
}
