//! Links and identifiers of generated HTML.

use std::collections::HashSet;

/// Links and identifiers of a page.
#[derive(Default)]
pub struct Page {
    /// Values of `href`, `src` and `srcset`, in order.
    pub links: Vec<String>,
    /// Anchors: values of `id`, and of `name` in `<a>`.
    pub anchors: HashSet<String>,
}

/// Reads a page.
pub fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let name = rest[..length.unwrap_or(rest.len())].to_ascii_lowercase();
        rest = attributes(&rest[name.len()..], |key, value| match (&name[..], key) {
            (_, "id") | ("a", "name") => {
                page.anchors.insert(decoded(value));
            }
            // The address of the site's root is not a link.
            ("base", _) => {}
            (_, "href" | "src") => page.links.push(decoded(value)),
            (_, "srcset") => {
                let sources = value.split(',').filter_map(|one| one.split_whitespace().next());
                page.links.extend(sources.map(decoded));
            }
            _ => {}
        });
        if name == "script" || name == "style" {
            rest = rest.find(&format!("</{name}")).map_or("", |end| &rest[end..]);
        }
    }
    page
}

/// Gives the attributes of a tag to `each`, and returns the text after the tag.
fn attributes(mut rest: &str, mut each: impl FnMut(&str, &str)) -> &str {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            return rest;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c));
        // At least one character, so that an odd one cannot stop the loop.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (key, after) = rest.split_at(end.unwrap_or(rest.len()).max(first));
        rest = after.trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else { continue };
        let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(
                value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len()),
            ),
        };
        rest = after;
        each(&key.to_ascii_lowercase(), value);
    }
}

/// Replaces the entities that generators write into attributes.
fn decoded(value: &str) -> String {
    let mut text = value.to_owned();
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'")]
    {
        text = text.replace(entity, character);
    }
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_found() {
        let page = read(
            "<!-- <a href=no> --><h2 id=\"a-b\"><a class=header href='#a-b'>A > b</a></h2>\
             <script src=x.js>let s = '<a href=\"no\">';</script><img alt='' src=\"d&amp;e.png\"/>\
             <a name=old></a> 1 < 2 <input disabled>",
        );
        assert_eq!(page.links, ["#a-b", "x.js", "d&e.png"]);
        assert_eq!(page.anchors, HashSet::from(["a-b".to_owned(), "old".to_owned()]));
    }
}
