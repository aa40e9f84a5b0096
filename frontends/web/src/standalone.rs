//! The page as one file, with the library and the bots inside.
//!
//! A browser shows a file while it reads it, so the file starts with a small script that reports a
//! file without its end, the style sheet and a first view. The script of the page follows, with a
//! list of the parts. The parts come last: the library, then the weights of each bot. The script
//! takes the parts as they arrive, and a match begins as soon as the library and its bot are
//! complete.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use troel_env::RuleSet;
use troel_nn::{Bundle, BundleError};

use crate::words::{LANGUAGES, Words};
use crate::{APP, ICON, MODULE, PAGE_TEXTS, STYLE, WASM, WORKER, html};

/// Script that reports that the script of the page never started.
const GUARD: &str = include_str!("../page/static/guard.js");
/// Place in [`GUARD`] of its texts.
const GUARD_TEXTS: &str = "const TEXTS = {};";
/// Number of characters of a part between two updates of the progress.
const CHUNK_CHARS: usize = 1 << 16;

/// Returns the page as one HTML file with these bots and their names. It needs neither a server nor
/// a network. For each rule set, persons play against its first bot.
///
/// # Errors
/// A bot's rules are neither built in nor in its bundle.
pub fn standalone(found: &[(String, Bundle)]) -> Result<String, BundleError> {
    let mut parts = vec![pack(Path::new("troel.wasm"), WASM)?];
    let mut bots = Vec::new();
    let mut rule_sets: Vec<&RuleSet> = Vec::new();
    for (name, bundle) in found {
        let path = Path::new(name);
        let rules = bundle.info.rule_set(path)?;
        if rule_sets.iter().any(|known| known.id() == rules.id()) {
            continue;
        }
        rule_sets.push(rules);
        let (info, weights) = bundle.contents(path)?;
        bots.push(json!({"rules": rules.id(), "name": name, "info": info}));
        parts.push(pack(path, &weights)?);
    }
    let lengths: Vec<usize> = parts.iter().map(String::len).collect();
    let contents = json!({"worker": WORKER, "module": MODULE, "bots": bots, "lengths": lengths});
    rule_sets.retain(|rules| !rules.is_built_in());
    let icon = format!("data:image/svg+xml;base64,{}", BASE64.encode(ICON));
    let page = html(&rule_sets)
        .replace("icon.svg", &icon)
        .replace("<link rel=\"manifest\" href=\"manifest.webmanifest\">\n", "")
        .replace(
            r#"<link rel="stylesheet" href="style.css">"#,
            &format!("<script>\n{}</script>\n<style>\n{STYLE}</style>", guard()),
        )
        .replace(r#"<script src="app.js"></script>"#, &scripts(&contents, &parts));
    Ok(page)
}

/// Returns bytes, compressed, in Base64. `path` is named in errors.
fn pack(path: &Path, bytes: &[u8]) -> Result<String, BundleError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let packed = written.map_err(|error| BundleError::cannot_serialize(path, error))?;
    Ok(BASE64.encode(packed))
}

/// Returns [`GUARD`] with its texts in all languages.
fn guard() -> String {
    let mut texts = Map::new();
    for language in LANGUAGES {
        if let Some(words) = Words::from_language(language) {
            texts.insert(language.to_string(), words.text("notStarted").into());
        }
    }
    let texts = format!("const TEXTS = {};", in_script(&Value::Object(texts).to_string()));
    GUARD.replace(GUARD_TEXTS, &texts)
}

/// Returns the script elements at the end of the page: texts of each language, list of the parts,
/// script, parts.
fn scripts(contents: &Value, parts: &[String]) -> String {
    let mut scripts = String::new();
    for (language, texts) in PAGE_TEXTS {
        scripts += &format!("<script type=\"application/json\" id=\"words-{language}\">");
        scripts += &in_script(texts);
        scripts += "</script>\n";
    }
    let contents = in_script(&contents.to_string());
    // No text inside may close the script element.
    let app = APP.replace("</script", "<\\/script");
    scripts += &format!(
        "<script type=\"application/json\" id=\"packed\">{contents}</script>\n\
         <script>\n{app}</script>"
    );
    for (part, mut rest) in parts.iter().map(String::as_str).enumerate() {
        while !rest.is_empty() {
            // Base64 is ASCII, so each place is between two characters.
            let (chunk, later) = rest.split_at(rest.len().min(CHUNK_CHARS));
            scripts += &format!("\n<script type=\"text/plain\" data-part=\"{part}\">");
            scripts += chunk;
            scripts += "</script>";
            rest = later;
        }
    }
    scripts
}

/// Returns JSON that closes no script element.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use troel_nn::bundle::WeightFormat;

    use super::*;

    /// Largest page with one bot, in bytes.
    const MAX_PAGE_BYTES: usize = 3_000_000;
    /// Largest offset of the end of the first view, in bytes.
    const MAX_FIRST_VIEW_BYTES: usize = 60_000;

    fn page(weights: WeightFormat) -> (Bundle, String) {
        let bundle = Bundle::load(Path::new("../../checkpoints/wiezen-v5")).unwrap();
        let bundle = bundle.with_weight_format(weights);
        let page = standalone(&[("wiezen-v5".to_string(), bundle.clone())]).unwrap();
        (bundle, page)
    }

    /// Returns a part of the page, unpacked.
    fn part(page: &str, number: usize) -> Vec<u8> {
        let start = format!("data-part=\"{number}\">");
        let chunks = page.split(&start).skip(1);
        let text: String = chunks.filter_map(|rest| rest.split('<').next()).collect();
        let mut bytes = Vec::new();
        GzDecoder::new(&BASE64.decode(text).unwrap()[..]).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_file_has_all_parts_of_the_page() {
        let (bundle, page) = page(WeightFormat::F32);
        for outside in ["src=\"", "href=\"style", "href=\"man"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains(APP.trim_end()) && page.contains(STYLE.trim_end()));
        assert!(part(&page, 0) == WASM, "the library");
        let (info, weights) = bundle.contents(Path::new("wiezen-v5")).unwrap();
        assert!(part(&page, 1) == weights, "the weights");
        let element = |id: &str| -> Value {
            let start = format!("id=\"{id}\">");
            let json = page.split(&start).nth(1).unwrap().split("</script>").next().unwrap();
            serde_json::from_str(json).unwrap()
        };
        for (language, texts) in PAGE_TEXTS {
            let found = element(&format!("words-{language}"));
            assert_eq!(found, serde_json::from_str::<Value>(texts).unwrap(), "{language}");
        }
        let list = element("packed");
        assert_eq!(list["bots"], json!([{"rules": "wiezen", "name": "wiezen-v5", "info": info}]));
        assert_eq!((&list["worker"], &list["module"]), (&json!(WORKER), &json!(MODULE)));
        assert_eq!(list["lengths"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn the_first_view_comes_before_all_large_parts() {
        let (_, page) = page(WeightFormat::F16);
        assert!(page.len() <= MAX_PAGE_BYTES, "{} bytes", page.len());
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
        let end_of_view = place("</main>");
        assert!(end_of_view <= MAX_FIRST_VIEW_BYTES, "{end_of_view} bytes");
        assert!(place("</style>") < place("<progress"));
        assert!(place("const TEXTS") < place("<style>"));
        let (app, parts) = (place(APP.trim_end()), place("data-part="));
        assert!(end_of_view < place("id=\"words-lb\"") && place("id=\"words-fr\"") < app);
        assert!(app < parts);
        let texts = Words::from_language("lb").unwrap();
        assert!(
            page[..end_of_view].contains(texts.text("notStarted")) && !page.contains(GUARD_TEXTS)
        );
    }
}
