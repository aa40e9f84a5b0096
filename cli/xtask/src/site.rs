//! The steps that build the documentation site.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{check, help, interfaces, stage, tools};

const MDBOOK_VERSION: &str = "0.5.4";
/// The page that the site opens with.
const FRONT_PAGE: &str = "docs/start.html";
/// File that marks a folder as a built site.
const MARK: &str = ".troel-site";

/// Builds the site in `out`, or in `target/site`.
///
/// # Errors
/// Names the step that failed, or each link that leads nowhere, with its page.
pub fn build(out: Option<PathBuf>) -> Result<(), String> {
    let root = tools::root("site")?;
    let out = out.unwrap_or_else(|| root.join("target/site"));
    let out = std::path::absolute(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mdbook = mdbook(&root)?;
    let python = interfaces::interpreter(&root)?;

    let mut generated = BTreeMap::from([
        (PathBuf::from("docs/cli.md"), help::page(&root)?),
        (PathBuf::from("docs/api.md"), interfaces::page(python.is_some())),
    ]);
    for rules in tools::rule_sets(&root)? {
        let page = help::rules_page(&root, &rules)?;
        generated.insert(format!("docs/rules/{rules}-short.md").into(), page);
    }
    let staged = root.join("target/book-src");
    tools::remove_folder(&staged)?;
    stage::stage(&root, &staged.join("src"), &generated)?;
    tools::copy(&root.join("docs/book.toml"), &staged.join("book.toml"))?;

    clear(&out)?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&staged).arg("--dest-dir").arg(&out).env("MDBOOK_LOG", "warn");
    let (_, warnings) = tools::run(&mut build)?;
    tools::write(&out.join(MARK), "")?;
    if !warnings.trim().is_empty() {
        return Err(format!("mdbook printed warnings; correct the pages:\n{warnings}"));
    }

    // mdBook copies the first page to `index.html`, where its relative links break.
    let index = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={FRONT_PAGE}\">\n\
         <title>Troel</title>\n<a href=\"{FRONT_PAGE}\">Troel</a>\n"
    );
    tools::write(&out.join("index.html"), &index)?;

    interfaces::rust(&root, &out)?;
    if let Some(python) = &python {
        interfaces::python(&root, &out, python)?;
    }
    interfaces::playable(&root, &out)?;

    let checked =
        check::check(&out, &interfaces::INTERFACES, python.is_none().then_some("python"))?;
    println!(
        "{}: {} pages, {} links checked",
        out.join("index.html").display(),
        checked.pages,
        checked.links
    );
    Ok(())
}

/// Removes an earlier site, and nothing else.
fn clear(out: &Path) -> Result<(), String> {
    let is_empty = std::fs::read_dir(out).map_or(!out.exists(), |mut all| all.next().is_none());
    if !is_empty && !out.join(MARK).is_file() {
        let out = out.display();
        return Err(format!(
            "{out} is not an empty folder and not an earlier site; name a new folder"
        ));
    }
    tools::remove_folder(out)
}

/// Returns mdBook: the one in `target/tools`, or else the one on the path.
fn mdbook(root: &Path) -> Result<PathBuf, String> {
    let folder = format!("target/tools/mdbook-{MDBOOK_VERSION}");
    let version_of = |program: &Path| tools::run(Command::new(program).arg("--version"));
    let is_right = |program: &Path| {
        version_of(program).is_ok_and(|(version, _)| version.trim().ends_with(MDBOOK_VERSION))
    };
    let candidates = [root.join(&folder).join("bin/mdbook"), PathBuf::from("mdbook")];
    candidates.into_iter().find(|program| is_right(program)).ok_or_else(|| {
        format!(
            "mdBook {MDBOOK_VERSION} is missing; \
             run `cargo install --locked --root {folder} mdbook@{MDBOOK_VERSION}`"
        )
    })
}
