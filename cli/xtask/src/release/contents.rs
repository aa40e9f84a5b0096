//! The files of the packages for the registry, which must have each file that the code includes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::release::metadata::Publishable;
use crate::tools;

/// Returns the files that cargo would pack, relative to the package's folder.
///
/// # Errors
/// Names each file that the code includes and that would be missing.
pub fn check(root: &Path, package: &Publishable) -> Result<BTreeSet<PathBuf>, String> {
    let mut list = tools::cargo(root);
    list.args(["package", "--list", "--allow-dirty", "--package", &package.name]);
    let (listed, _) = tools::run(&mut list)?;
    let files: BTreeSet<PathBuf> = listed.lines().map(PathBuf::from).collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| is_built(file)) {
        let source = tools::read(&package.folder.join(file))?;
        for target in included(&source) {
            let folder = file.parent().unwrap_or(Path::new(""));
            let path = tools::join_within(folder, target);
            if path.is_none_or(|path| !files.contains(&path)) {
                problems.push(format!(
                    "{}: {} includes {target}, which the package does not have; move the file \
                     into the crate",
                    package.name,
                    file.display(),
                ));
            }
        }
    }
    if problems.is_empty() { Ok(files) } else { Err(problems.join("\n")) }
}

/// Whether a file is part of the library or the program. The registry builds no tests.
fn is_built(file: &Path) -> bool {
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let others = ["tests", "benches", "examples"];
    is_rust && !others.iter().any(|folder| file.starts_with(folder))
}

/// Returns the paths that a source includes as text or bytes, without those of documentation tests
/// and those that `concat!` puts together.
fn included(source: &str) -> impl Iterator<Item = &str> {
    let for_doctests = |line: &str| line.starts_with("#[doc = ");
    let lines = source.lines().map(str::trim_start);
    lines.filter(move |line| !line.starts_with("//") && !for_doctests(line)).flat_map(|line| {
        ["include_str!(\"", "include_bytes!(\""]
            .into_iter()
            .flat_map(|call| line.split(call).skip(1))
            .filter_map(|rest| rest.split_once('"'))
            .map(|(path, _)| path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_are_found() {
        let source = "const A: &str = include_str!(\"../a.toml\");\n\
                      \x20   [include_bytes!(\"b\"), include_bytes!(\"c\")]\n\
                      // include_str!(\"comment\")\n\
                      #[doc = include_str!(\"page.md\")]\n\
                      include_str!(concat!($name, \"/bot.toml\"))";
        assert_eq!(included(source).collect::<Vec<_>>(), ["../a.toml", "b", "c"]);
    }

    #[test]
    fn tests_are_not_built_by_a_registry() {
        assert!(is_built(Path::new("src/lib.rs")) && is_built(Path::new("build.rs")));
        assert!(!is_built(Path::new("tests/a.rs")) && !is_built(Path::new("src/a.json")));
    }
}
