//! The Python package: its own tests, run by the Python in `target/python-venv` against the library
//! that was just built.
//!
//! `.ci/run` makes that folder. `python -m pytest` in `frontends/python` does the same by hand.

#[path = "../../../cli/tests/support/tools.rs"]
mod tools;

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_tests_in_python_pass() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = here.join("../../target");
    let python = target.join("python-venv/bin/python");
    if !python.exists() {
        return tools::missing("python", ".ci/run makes target/python-venv");
    }
    let test = std::env::current_exe().expect("a path");
    let built = test.parent().expect("target/release/deps");
    // The package as it would be installed: the sources, and the library beside them.
    let staged = tempfile::tempdir().expect("a folder");
    let package = staged.path().join("troel");
    fs::create_dir(&package).expect("a folder");
    for entry in fs::read_dir(here.join("troel")).expect("the sources") {
        let path = entry.expect("a file").path();
        let is_source = path.extension().is_some_and(|extension| {
            ["py", "pyi", "typed"].contains(&extension.to_str().unwrap_or(""))
        });
        if is_source {
            fs::copy(&path, package.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    let library = built.join(format!("lib_troel{}", std::env::consts::DLL_SUFFIX));
    fs::copy(&library, package.join("_troel.abi3.so")).expect("the library is built");
    fs::copy(here.join("pyproject.toml"), staged.path().join("pyproject.toml")).expect("copied");
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let status = Command::new(&python)
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--import-mode=importlib"])
        .arg(here.join("tests"))
        .current_dir(staged.path())
        .env("PYTHONPATH", format!("{}:{}", staged.path().display(), here.join("tests").display()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("TROEL_PROGRAM", built.parent().expect("target/release").join("troel"))
        .env("TROEL_PYTHON_STRICT", if is_ci { "1" } else { "0" })
        .env("TROEL_SKIPPED", tools::skipped())
        // RLlib needs an older Gymnasium, and so an environment of its own: `conformance/run
        // rllib`.
        .env(
            "TROEL_PYTHON_MAY_LACK",
            format!("ray,{}", std::env::var("TROEL_MAY_LACK").unwrap_or_default()),
        )
        .status()
        .expect("Python runs");
    assert!(status.success(), "the tests of the Python package failed: see above");
}
