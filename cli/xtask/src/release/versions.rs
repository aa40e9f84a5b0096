//! The version of a release, which several files repeat.

use std::path::Path;

use crate::tools;

/// Heading of the changes that no version has yet.
const UNRELEASED: &str = "## Unreleased";

/// Texts of the files that name the version.
struct Sources {
    workspace: String,
    pyproject: String,
    citation: String,
    changelog: String,
}

/// Returns the version, and sentences about changes that have no version yet.
///
/// # Errors
/// Names each file that has another version.
pub fn check(root: &Path) -> Result<(String, Vec<String>), String> {
    let read = |file: &str| tools::read(&root.join(file));
    Sources {
        workspace: read("Cargo.toml")?,
        pyproject: read("frontends/python/pyproject.toml")?,
        citation: read("CITATION.cff")?,
        changelog: read("CHANGELOG.md")?,
    }
    .check()
}

impl Sources {
    fn check(&self) -> Result<(String, Vec<String>), String> {
        let package = section(&self.workspace, "[workspace.package]");
        let version = package
            .lines()
            .find_map(|line| quoted(line.strip_prefix("version = ")?))
            .ok_or("Cargo.toml: [workspace.package] has no version; add it")?;
        let mut problems = Vec::new();
        for line in section(&self.workspace, "[workspace.dependencies]").lines() {
            let Some((name, value)) = line.split_once(" = { version = ") else { continue };
            let found = quoted(value).unwrap_or_default();
            if value.contains("path = ") && found != version {
                problems.push(format!("Cargo.toml: {name} has version {found}, not {version}"));
            }
        }
        let project = section(&self.pyproject, "[project]");
        // maturin takes a dynamic version from Cargo.toml.
        if !project.lines().any(|line| line.starts_with("dynamic = ") && line.contains("version")) {
            problems.push("pyproject.toml: add `version` to `dynamic`".into());
        }
        if !self.citation.lines().any(|line| line.strip_prefix("version: ") == Some(version)) {
            problems.push(format!("CITATION.cff: write `version: {version}`"));
        }
        let headings: Vec<&str> =
            self.changelog.lines().filter(|line| line.starts_with("## ")).collect();
        let is_version = |heading: &&str| heading.split_whitespace().nth(1) == Some(version);
        if !headings.iter().any(is_version) {
            problems.push(format!("CHANGELOG.md: there is no heading `## {version}`; add it"));
        }
        if !problems.is_empty() {
            return Err(problems.join("\n"));
        }
        let mut notes = Vec::new();
        if !section(&self.changelog, UNRELEASED).trim().is_empty() {
            notes.push(format!(
                "CHANGELOG.md has changes under `{UNRELEASED}`; raise the version, and move them"
            ));
        }
        Ok((version.to_owned(), notes))
    }
}

/// Returns the lines below a heading, up to the next line that begins with the same two characters.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let Some(start) = text.lines().position(|line| line == heading) else { return "" };
    let start: usize = text.split_inclusive('\n').take(start + 1).map(str::len).sum();
    let rest = &text[start..];
    let next = if heading.starts_with("## ") { "\n## " } else { "\n[" };
    // The line break before a heading that follows at once belongs to the heading above.
    if rest.starts_with(next.trim_start()) {
        return "";
    }
    rest.split(next).next().unwrap_or_default()
}

/// Returns the text between the quotation marks at the beginning.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Sources {
        Sources {
            workspace: "[workspace.package]\nedition = \"2024\"\nversion = \"1.2.3\"\n\n\
                        [workspace.dependencies]\n\
                        troel-env = { version = \"1.2.3\", path = \"env\" }\n\
                        burn = { version = \"=0.9\" }\n\n[profile.dist]\n"
                .into(),
            pyproject: "[project]\nname = \"troel\"\ndynamic = [\"version\"]\n".into(),
            citation: "title: Troel\nversion: 1.2.3\n".into(),
            changelog: "# Changelog\n\n## 1.2.3\n\nText.\n\n## 1.2.2\n".into(),
        }
    }

    #[test]
    fn equal_versions_pass() {
        assert_eq!(sources().check(), Ok(("1.2.3".into(), vec![])));
    }

    #[test]
    fn each_file_with_another_version_is_named() {
        let mut sources = sources();
        sources.workspace = sources.workspace.replace("{ version = \"1.2.3\"", "{ version = \"1\"");
        sources.pyproject = sources.pyproject.replace("dynamic = [\"version\"]", "dynamic = []");
        sources.citation = sources.citation.replace("1.2.3", "1.2.30");
        sources.changelog = sources.changelog.replace("## 1.2.3", "## 1.2.4");
        let error = sources.check().expect_err("four files differ");
        for file in ["troel-env", "pyproject.toml", "CITATION.cff", "CHANGELOG.md"] {
            assert!(error.contains(file), "{file}: {error}");
        }
    }

    #[test]
    fn changes_without_a_version_are_noted() {
        let mut sources = sources();
        sources.changelog = sources.changelog.replace("## 1.2.3", "## Unreleased\n\n## 1.2.3");
        assert_eq!(sources.check().map(|(_, notes)| notes.len()), Ok(0), "the section is empty");
        sources.changelog = sources.changelog.replace("Unreleased\n", "Unreleased\n\nNew.\n");
        assert_eq!(sources.check().map(|(_, notes)| notes.len()), Ok(1));
    }
}
