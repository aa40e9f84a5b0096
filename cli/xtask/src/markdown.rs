//! Links of Markdown pages.

use std::ops::Range;

/// Target of a link or an image, as the page has it.
pub struct Link {
    /// Place of the target in the text.
    pub at: Range<usize>,
    /// The target, with its anchor.
    pub target: String,
}

/// Returns the links of a page: `[text](target)`, `![text](target)`, `[label]: target`, and the
/// attributes `href`, `src` and `srcset` of HTML. Code is skipped.
pub fn links(text: &str) -> Vec<Link> {
    let prose = without_code(text);
    let mut found = Vec::new();
    for (at, _) in prose.match_indices("](") {
        found.push(bracketed(&prose, at + 2));
    }
    for (at, line) in lines(&prose) {
        let label = line.trim_start();
        if let Some(end) = label.find("]:")
            && label.starts_with('[')
            && !label.starts_with("[^")
            && !label[..end].contains("](")
        {
            let rest = label[end + 2..].trim_start();
            found.push(bracketed(&prose, at + line.len() - rest.len()));
        }
    }
    for attribute in [" href=\"", " src=\"", " srcset=\""] {
        for (at, _) in prose.match_indices(attribute) {
            let start = at + attribute.len();
            let end = prose[start..].find('"').map_or(start, |length| start + length);
            found.push(start..end);
        }
    }
    found.sort_by_key(|at| at.start);
    found.into_iter().map(|at| Link { target: prose[at.clone()].into(), at }).collect()
}

/// Returns whether a target is empty, or leads to another site or an anchor of the same page.
pub fn is_elsewhere(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().unwrap_or("").split_once(':');
    target.is_empty()
        || target.starts_with(['#', '?'])
        || target.starts_with("//")
        || scheme.is_some()
}

/// Place of a target that starts at `start` and ends at a space, at the closing parenthesis of its
/// link, or at `>` if it starts with `<`.
fn bracketed(prose: &str, start: usize) -> Range<usize> {
    let rest = &prose[start..];
    if let Some(inner) = rest.strip_prefix('<') {
        return start + 1..start + 1 + inner.find('>').unwrap_or(0);
    }
    let mut depth = 0;
    let ends = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c.is_whitespace() || depth < 0
    };
    start..start + rest.find(ends).unwrap_or(rest.len())
}

/// Replaces code and HTML comments by spaces, byte for byte.
fn without_code(text: &str) -> String {
    let mut prose = text.as_bytes().to_vec();
    let mut fence: Option<String> = None;
    for (at, line) in lines(text) {
        let marks = line.trim_start_matches([' ', '>']);
        let mark = marks.chars().next().filter(|c| ['`', '~'].contains(c)).unwrap_or(' ');
        let run: String = marks.chars().take_while(|c| *c == mark).collect();
        let is_fence = mark != ' ' && run.len() >= 3;
        let is_code = fence.is_some() || is_fence;
        match &fence {
            Some(open) if is_fence && run.starts_with(open.as_str()) => fence = None,
            None if is_fence => fence = Some(run),
            _ => {}
        }
        if is_code {
            prose[at..at + line.len()].fill(b' ');
        }
    }
    let mut prose = String::from_utf8(prose).expect("whole lines were replaced");
    let mut at = 0;
    while let Some(start) = prose[at..].find(['`', '<']).map(|offset| at + offset) {
        let rest = &prose[start..];
        let (open, close) = if rest.starts_with("<!--") {
            (4, "-->".to_owned())
        } else {
            let run = rest.len() - rest.trim_start_matches('`').len();
            (run.max(1), "`".repeat(run))
        };
        let paragraph = &rest[..rest.find("\n\n").unwrap_or(rest.len())];
        let end = paragraph.get(open..).filter(|_| !close.is_empty()).and_then(|inner| {
            let is_whole = |i: usize| {
                !close.starts_with('`')
                    || !inner[..i].ends_with('`') && !inner[i + close.len()..].starts_with('`')
            };
            inner.match_indices(&close).map(|(i, _)| i).find(|i| is_whole(*i))
        });
        at = start + open;
        if let Some(length) = end {
            let blank: String = prose[at..at + length]
                .bytes()
                .map(|b| if b == b'\n' { '\n' } else { ' ' })
                .collect();
            prose.replace_range(at..at + length, &blank);
            at += length + close.len();
        }
    }
    prose
}

/// Returns the lines of a text with the places where they start.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches('\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_code() {
        let text = "A [page](a.md#b) and ![picture](<b c.png> \"t\"), `[code](no.md)`.\n\n\
                    ```sh\n[code](no.md)\n```\n\n``a ` [b](no.md)`` [wrapped\nlink](c(1).md).\n\n\
                    <!-- [gone](no.md) -->\n\n<img src=\"d.png\">\n\n[e]: e.md\n[^1]: note";
        let found: Vec<String> = links(text).into_iter().map(|link| link.target).collect();
        assert_eq!(found, ["a.md#b", "b c.png", "c(1).md", "d.png", "e.md"]);
        for link in links(text) {
            assert_eq!(&text[link.at], link.target);
        }
    }

    #[test]
    fn other_sites_and_anchors_are_elsewhere() {
        for target in ["https://a.example/b", "mailto:a@b.example", "#top", "//a.example"] {
            assert!(is_elsewhere(target), "{target}");
        }
        for target in ["a.md", "../a/b:c.md", "a.md#b:c"] {
            assert!(!is_elsewhere(target), "{target}");
        }
    }
}
