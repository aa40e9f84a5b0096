//! The pages of the site, and the files that they link to, copied into one folder with the
//! repository's layout, so that relative links keep working.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::interfaces::INTERFACES;
use crate::{markdown, tools};

/// The list of pages, in the repository. Its links are relative to its folder.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Name of the repository's README.md on the site, whose `index.html` leads to the front page.
pub const OVERVIEW: &str = "overview";

/// Copies the pages that `docs/SUMMARY.md` lists, with all files that they link to, into `to`.
///
/// `generated` are pages that the repository does not have, with their text. A link to a folder
/// leads to its `README.md`. Links to the parts of the site that other tools make stay as they are.
///
/// # Errors
/// Names each link that leads nowhere, with its page, and each page that the list lacks.
pub fn stage(root: &Path, to: &Path, generated: &BTreeMap<PathBuf, String>) -> Result<(), String> {
    let mut problems = Vec::new();
    let listed = tools::read(&root.join(SUMMARY))?;
    let (summary, links) = rewritten(&listed, |target| {
        let path =
            tools::join_within(Path::new("docs"), target).ok_or("leads out of the repository")?;
        if !generated.contains_key(&path) && !root.join(&path).is_file() {
            return Err("there is no such page".into());
        }
        Ok((staged(&path).display().to_string(), path))
    });
    let pages = collect(links, SUMMARY, &mut problems);
    for file in tools::files_below(&root.join("docs"))? {
        let path = Path::new("docs").join(file);
        if is_page(&path) && path != Path::new(SUMMARY) && !pages.contains(&path) {
            problems.push(format!("{}: not listed in {SUMMARY}; add it", path.display()));
        }
    }
    tools::write(&to.join("SUMMARY.md"), &summary)?;

    let mut files = BTreeSet::new();
    for page in &pages {
        let text = match generated.get(page) {
            Some(text) => text.clone(),
            None => tools::read(&root.join(page))?,
        };
        let (text, links) =
            rewritten(&text, |target| resolved(root, page, target, &pages, generated));
        files.extend(collect(links, &page.display().to_string(), &mut problems));
        tools::write(&to.join(staged(page)), &text)?;
    }
    for file in files.iter().filter(|file| !pages.contains(*file)) {
        tools::copy(&root.join(file), &to.join(file))?;
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Returns the target to write in the staged page, and the file to copy for it (the page itself if
/// there is none).
fn resolved(
    root: &Path,
    page: &Path,
    target: &str,
    pages: &BTreeSet<PathBuf>,
    generated: &BTreeMap<PathBuf, String>,
) -> Result<(String, PathBuf), String> {
    let folder = page.parent().unwrap_or(Path::new(""));
    let mut path = tools::join_within(folder, target).ok_or("leads out of the repository")?;
    let mut target = target.to_owned();
    let is_interface = INTERFACES.iter().any(|part| path.starts_with(part));
    if is_interface || generated.contains_key(&path) {
        return Ok((target, page.to_path_buf()));
    }
    if root.join(&path).is_dir() {
        path.push("README.md");
        target = format!("{}/README.md", target.trim_end_matches('/'));
        if !root.join(&path).is_file() {
            return Err("leads to a folder without README.md; link to a file".into());
        }
    }
    if !root.join(&path).is_file() {
        return Err("there is no such file".into());
    }
    if is_page(&path) && !pages.contains(&path) {
        return Err(format!("leads to a page that {SUMMARY} does not list"));
    }
    // mdBook makes `index.html` of `README.md`, but leaves links to it as they are.
    if let Some(folder) = target.strip_suffix("README.md") {
        let is_overview = path == Path::new("README.md");
        target = format!("{folder}{}.md", if is_overview { OVERVIEW } else { "index" });
    }
    Ok((target, path))
}

/// Returns the path of a page in the staged folder.
fn staged(page: &Path) -> PathBuf {
    if page == Path::new("README.md") { format!("{OVERVIEW}.md").into() } else { page.into() }
}

/// File that a link leads to, or its target and the problem.
type LinkResult = Result<PathBuf, (String, String)>;

/// Replaces the local targets of a page by those that `resolve` returns, and keeps anchors.
fn rewritten(
    text: &str,
    mut resolve: impl FnMut(&str) -> Result<(String, PathBuf), String>,
) -> (String, Vec<LinkResult>) {
    let mut new = String::new();
    let mut links = Vec::new();
    let mut done = 0;
    for link in markdown::links(text) {
        if markdown::is_elsewhere(&link.target) {
            continue;
        }
        let path = link.target.split('#').next().unwrap_or("");
        match resolve(path) {
            Ok((target, file)) => {
                new.push_str(&text[done..link.at.start]);
                new.push_str(&target);
                done = link.at.start + path.len();
                links.push(Ok(file));
            }
            Err(problem) => links.push(Err((link.target.clone(), problem))),
        }
    }
    new.push_str(&text[done..]);
    (new, links)
}

fn collect(links: Vec<LinkResult>, page: &str, problems: &mut Vec<String>) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for link in links {
        match link {
            Ok(file) => {
                files.insert(file);
            }
            Err((target, problem)) => problems.push(format!("{page}: {target}: {problem}")),
        }
    }
    files
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}
