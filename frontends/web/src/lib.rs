//! The page to play on: the files that `troel serve` sends, and one file with its bots inside.

mod words;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};
use troel_env::RuleSet;
use troel_nn::{Bundle, BundleError};

pub use self::words::{LANGUAGES, Words};

const HTML: &str = include_str!("../page/static/index.html");
/// The style sheet.
pub const STYLE: &str = include_str!("../assets/style.css");
/// The script of the page, built from `page`.
pub const APP: &str = include_str!("../assets/app.js");
/// The script of the worker in which the library runs.
pub const WORKER: &str = include_str!("../page/static/worker.js");
const SERVICE_WORKER: &str = include_str!("../page/static/sw.js");
/// The picture of the page, SVG.
pub const ICON: &str = include_str!("../page/static/icon.svg");
/// The manifest with which a browser installs the page as an app.
pub const MANIFEST: &str = include_str!("../page/static/manifest.webmanifest");

/// The JavaScript library.
pub const MODULE: &str = include_str!("../assets/troel.mjs");
/// The WebAssembly module that it calls; built by `frontends/capi/build-wasm`.
pub const WASM: &[u8] = include_bytes!("../assets/troel.wasm");

/// Returns the script that stores the page for use without a network. It differs for each page and
/// library, so that a browser never combines a page of one version with a library of another.
pub fn service_worker() -> String {
    let mut hasher = DefaultHasher::new();
    (APP, STYLE, WORKER, MODULE, WASM).hash(&mut hasher);
    SERVICE_WORKER.replace("VERSION", &format!("{:016x}", hasher.finish()))
}

/// Returns the page as HTML, with these house rules in the list of rule sets.
pub fn html(house_rules: &[&RuleSet]) -> String {
    let names: Vec<&str> = house_rules.iter().map(|rules| rules.id()).collect();
    // Nothing to escape: an identifier is letters, digits and dashes.
    HTML.replace(">[]</script>", &format!(">{}</script>", json!(names)))
}

/// Returns the page as one HTML file with these bots and their names. It needs neither a server nor
/// a network. For each rule set, persons play against its first bot.
///
/// # Errors
/// A bot's rules are neither built in nor in its bundle.
pub fn standalone(found: &[(String, Bundle)]) -> Result<String, BundleError> {
    let mut bots = Map::new();
    let mut house_rules = Vec::new();
    for (name, bundle) in found {
        let path = Path::new(name);
        let rules = bundle.info.rule_set(path)?;
        if bots.contains_key(rules.id()) {
            continue;
        }
        if !rules.is_built_in() {
            house_rules.push(rules);
        }
        let (info, weights) = bundle.contents(path)?;
        let bot = json!({"name": name, "info": info, "weights": BASE64.encode(&weights)});
        bots.insert(rules.id().to_string(), bot);
    }
    let packed = json!({
        "worker": BASE64.encode(WORKER),
        "module": BASE64.encode(MODULE),
        "wasm": BASE64.encode(WASM),
        "bots": Value::Object(bots),
    });
    // No text inside may close the script element.
    let escape = |text: &str| text.replace("</script", "<\\/script");
    let packed = packed.to_string().replace('<', "\\u003c");
    let icon = format!("data:image/svg+xml;base64,{}", BASE64.encode(ICON));
    let page = html(&house_rules)
        .replace("icon.svg", &icon)
        .replace("<link rel=\"manifest\" href=\"manifest.webmanifest\">\n", "")
        .replace(
            r#"<link rel="stylesheet" href="style.css">"#,
            &format!("<style>\n{STYLE}</style>"),
        )
        .replace(
            r#"<script src="app.js"></script>"#,
            &format!(
                "<script type=\"application/json\" id=\"packed\">{packed}</script>\n\
                 <script>\n{}</script>",
                escape(APP)
            ),
        );
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn house_rules_are_among_the_choices() {
        let rules = RuleSet::built_in("iwwa").unwrap();
        assert!(html(&[rules, rules]).contains(r#"id="house-rules">["iwwa","iwwa"]</script>"#));
        assert!(html(&[]).contains(r#"id="house-rules">[]</script>"#));
    }

    #[test]
    fn the_single_file_has_all_parts_of_the_page() {
        let bundle = Bundle::load(Path::new("../../checkpoints/wiezen-v5")).unwrap();
        let page = super::standalone(&[("wiezen-v5".to_string(), bundle)]).unwrap();
        assert!(
            !page.contains("src=\"")
                && !page.contains("href=\"style")
                && !page.contains("href=\"man")
        );
        assert!(page.contains("id=\"packed\"") && page.len() > 3_000_000);
    }
}
