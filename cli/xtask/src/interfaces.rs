//! Parts of the site that other tools make: rustdoc, pdoc and the page to play on.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{help, tools};

/// Folders of the site that hold pages of other tools, and the page to play on.
pub const INTERFACES: [&str; 3] = ["rust", "python", "play.html"];

/// Returns the page that links to the interfaces, in Markdown.
pub fn page(has_python: bool) -> String {
    let mut page = "# API\n\n- [Rust](../rust/index.html): all crates\n".to_owned();
    if has_python {
        page += "- [Python](../python/troel.html): the package `troel`\n";
    }
    page + "- [The page to play on](../play.html): one file with the bots inside\n"
}

/// Writes the documentation of the crates, with a list of them.
pub fn rust(root: &Path, out: &Path) -> Result<(), String> {
    // What an earlier build left must not be copied. The builds of the crates stay.
    let built = target(root).join("doc");
    tools::remove_folder(&built)?;
    let doc = ["doc", "--workspace", "--exclude", "troel-xtask", "--no-deps", "--quiet"];
    tools::run(tools::cargo(root).args(doc))?;
    let out = out.join("rust");
    tools::copy_folder(&built, &out)?;
    let mut list = String::new();
    for (name, description) in crates(root)? {
        if out.join(&name).join("index.html").is_file() {
            let _ =
                writeln!(list, "<li><a href=\"{name}/index.html\">{name}</a>: {description}</li>");
        }
    }
    tools::write(
        &out.join("index.html"),
        &format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>Troel in Rust</title>\n\
             <style>body {{ font-family: sans-serif; margin: 2em auto; max-width: 45em }}</style>\n\
             <h1>Crates of Troel</h1>\n<ul>\n{list}</ul>\n"
        ),
    )
}

/// Returns the Python interpreter that has pdoc. `None` if there is none and the Python pages may
/// be left out.
///
/// # Errors
/// Under CI, unless `TROEL_MAY_LACK` has `python`.
pub fn interpreter(root: &Path) -> Result<Option<PathBuf>, String> {
    let python = root.join("target/python-venv/bin/python");
    if python.is_file() && tools::run(Command::new(&python).args(["-c", "import pdoc"])).is_ok() {
        return Ok(Some(python));
    }
    let fault =
        "target/python-venv has no pdoc; install frontends/python/tests/requirements.txt there";
    let allowed = tools::variable("TROEL_MAY_LACK").unwrap_or_default();
    if tools::variable("CI").is_some() && !allowed.split(',').any(|name| name.trim() == "python") {
        return Err(format!("{fault}, or set TROEL_MAY_LACK=python"));
    }
    eprintln!("xtask: {fault}. The Python pages are left out");
    Ok(None)
}

/// Writes the documentation of the Python package.
pub fn python(root: &Path, out: &Path, interpreter: &Path) -> Result<(), String> {
    let name = format!("{DLL_PREFIX}_troel{DLL_SUFFIX}");
    let library = match tools::variable("TROEL_PROGRAM") {
        Some(program) => Path::new(&program).with_file_name("deps").join(name),
        None => {
            let build = ["build", "--release", "--quiet", "--package", "troel-python"];
            tools::run(tools::cargo(root).args(build))?;
            target(root).join("release").join(name)
        }
    };
    // The package as it would be installed: the sources, and the library beside them.
    let staged = root.join("target/python-package");
    tools::remove_folder(&staged)?;
    let source = root.join("frontends/python/troel");
    for file in tools::files_below(&source)? {
        if ["py", "pyi", "typed"].iter().any(|kind| file.extension().is_some_and(|e| e == *kind)) {
            tools::copy(&source.join(&file), &staged.join("troel").join(&file))?;
        }
    }
    tools::copy(&library, &staged.join("troel/_troel.abi3.so"))?;
    let mut pdoc = Command::new(interpreter);
    pdoc.args(["-m", "pdoc", "--docformat", "google", "--output-directory"]);
    pdoc.arg(out.join("python")).arg("troel");
    if tools::run(Command::new(interpreter).args(["-c", "import torch"])).is_ok() {
        pdoc.arg("troel.torch");
    }
    pdoc.current_dir(&staged).env("PYTHONPATH", &staged).env("PYTHONDONTWRITEBYTECODE", "1");
    let (_, notes) = tools::run(&mut pdoc)?;
    // pdoc cannot resolve types that are imported for type checkers only. It prints their names.
    for note in notes.lines().filter(|note| !note.contains("Error parsing type annotation")) {
        eprintln!("{note}");
    }
    Ok(())
}

/// Writes the page to play on.
pub fn playable(root: &Path, out: &Path) -> Result<(), String> {
    let page = out.join("play.html").display().to_string();
    tools::run(&mut help::troel(root, &["page", &page])).map(drop)
}

/// Returns the names of the crates as Rust identifiers, with their descriptions.
fn crates(root: &Path) -> Result<Vec<(String, String)>, String> {
    let workspace = tools::read(&root.join("Cargo.toml"))?;
    let members = workspace.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (members, _) = members.ok_or("Cargo.toml has no list of members")?;
    let mut found = Vec::new();
    for member in members.split('"').skip(1).step_by(2) {
        let manifest = tools::read(&root.join(member).join("Cargo.toml"))?;
        let value = |key: &str| {
            let line = manifest.lines().find_map(|line| line.strip_prefix(key))?;
            line.strip_prefix(" = \"")?.strip_suffix('"')
        };
        let name = value("name").ok_or_else(|| format!("{member}/Cargo.toml has no name"))?;
        let description = value("description").unwrap_or_default().replace('<', "&lt;");
        found.push((name.replace('-', "_"), description));
    }
    Ok(found)
}

/// Returns the target folder of cargo.
fn target(root: &Path) -> PathBuf {
    tools::variable("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}
