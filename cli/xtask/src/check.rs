//! Links and anchors of the built site.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::html::{self, Page};
use crate::{markdown, stage, tools};

/// Number of pages and links that were checked.
pub struct Checked {
    pub pages: usize,
    pub links: usize,
}

/// Checks that each link, anchor and image of the book in `out` leads to a file and an identifier
/// there.
///
/// The pages of rustdoc and pdoc, in `interfaces`, are only targets: their tools check them. Links
/// into the folder `left_out` are not checked.
///
/// # Errors
/// Names each page with a link that leads nowhere.
pub fn check(out: &Path, interfaces: &[&str], left_out: Option<&str>) -> Result<Checked, String> {
    let mut pages: BTreeMap<PathBuf, Page> = BTreeMap::new();
    let mut all = tools::files_below(out)?;
    // The page for missing pages is shown at any address: its links start at the root.
    all.retain(|file| is_html(file) && file != Path::new("404.html"));
    let is_book = |file: &Path| !interfaces.iter().any(|part| file.starts_with(part));
    for file in all.iter().filter(|file| is_book(file)) {
        pages.insert(file.clone(), html::read(&tools::read(&out.join(file))?));
    }
    let mut checked = Checked { pages: pages.len(), links: 0 };
    let mut others: BTreeMap<PathBuf, Page> = BTreeMap::new();
    let mut problems = Vec::new();
    for (file, page) in &pages {
        let mut links: Vec<&String> =
            page.links.iter().filter(|link| !is_other_site(link)).collect();
        links.sort();
        links.dedup();
        checked.links += links.len();
        for link in links {
            let target = match resolved(out, file, link) {
                Ok(target) => target,
                Err(_) if left_out.is_some_and(|folder| leads_into(file, link, folder)) => continue,
                Err(problem) => {
                    problems.push(format!("{}: {link}: {problem}", source(file)));
                    continue;
                }
            };
            let anchor = link.split_once('#').map_or("", |(_, anchor)| anchor);
            if anchor.is_empty() || !is_html(&target) {
                continue;
            }
            if !pages.contains_key(&target) && !others.contains_key(&target) {
                others.insert(target.clone(), html::read(&tools::read(&out.join(&target))?));
            }
            let page = pages.get(&target).or_else(|| others.get(&target));
            let anchor = percent_decoded(anchor);
            if page.is_some_and(|page| !page.anchors.contains(&anchor)) {
                problems.push(format!(
                    "{}: {link}: {} has no anchor #{anchor}",
                    source(file),
                    source(&target)
                ));
            }
        }
    }
    if problems.is_empty() { Ok(checked) } else { Err(problems.join("\n")) }
}

fn leads_into(file: &Path, link: &str, folder: &str) -> bool {
    let parent = file.parent().unwrap_or(Path::new(""));
    tools::join_within(parent, link).is_some_and(|target| target.starts_with(folder))
}

/// Returns the file that a link of the page `file` leads to.
fn resolved(out: &Path, file: &Path, link: &str) -> Result<PathBuf, &'static str> {
    let path = percent_decoded(link.split(['#', '?']).next().unwrap_or(""));
    if path.is_empty() {
        return Ok(file.to_path_buf());
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut target = tools::join_within(folder, &path).ok_or("leads out of the site")?;
    if out.join(&target).is_dir() {
        target.push("index.html");
    }
    if out.join(&target).is_file() { Ok(target) } else { Err("there is no such file") }
}

/// Returns the Markdown page that an HTML page was made of.
fn source(file: &Path) -> String {
    if file.with_extension("") == Path::new(stage::OVERVIEW) {
        return "README.md".into();
    }
    let page = match file.file_name() {
        Some(name) if name == "index.html" => file.with_file_name("README.md"),
        _ => file.with_extension("md"),
    };
    page.display().to_string()
}

fn is_html(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "html")
}

fn is_other_site(link: &str) -> bool {
    !link.starts_with(['#', '?']) && markdown::is_elsewhere(link)
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_and_anchors_are_named_with_their_page() {
        let out = std::env::temp_dir().join(format!("troel-xtask-check-{}", std::process::id()));
        let put = |file: &str, text: &str| tools::write(&out.join(file), text).expect("written");
        put("index.html", "<a href='docs/a.html#%C3%A9'>A</a> <a href='https://b.example'>B</a>");
        put(
            "docs/a.html",
            "<h1 id='é'>A</h1><a href='../api/x.html#fn'>X</a><a href='../py/y'>Y</a>",
        );
        put("api/x.html", "<i id='fn'></i><a href='nowhere'></a>");
        let checked = check(&out, &["api"], Some("py"));
        put("docs/index.html", "<a href='a.html#b'></a><img src='c.png'><a href='../../d'></a>");
        let problems = check(&out, &["api"], Some("py"));
        tools::remove_folder(&out).expect("removed");
        let checked = checked.expect("all links lead somewhere");
        assert_eq!((checked.pages, checked.links), (2, 3));
        assert_eq!(
            problems.err().expect("three problems").lines().collect::<Vec<_>>(),
            [
                "docs/README.md: ../../d: leads out of the site",
                "docs/README.md: a.html#b: docs/a.md has no anchor #b",
                "docs/README.md: c.png: there is no such file",
            ]
        );
    }
}
