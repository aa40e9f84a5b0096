//! The page to play on: the files that `troel serve` sends, and one file with its bots inside.

mod standalone;
mod words;

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};
use troel_env::RuleSet;

pub use self::standalone::standalone;
pub use self::words::{LANGUAGES, Words, fill};

const HTML: &str = include_str!("../page/static/index.html");
/// The style sheet.
pub static STYLE: &str = include_str!("../assets/style.css");
/// The script of the page, built from `page`.
pub static APP: &str = include_str!("../assets/app.js");
/// The texts of the page by language, JSON. English is in the script.
pub static PAGE_TEXTS: [(&str, &str); 4] = [
    ("lb", include_str!("../assets/words/lb.json")),
    ("nl", include_str!("../assets/words/nl.json")),
    ("de", include_str!("../assets/words/de.json")),
    ("fr", include_str!("../assets/words/fr.json")),
];
/// The script of the worker in which the library runs.
pub const WORKER: &str = include_str!("../page/static/worker.js");
const SERVICE_WORKER: &str = include_str!("../page/static/sw.js");
/// The picture of the page, SVG.
pub const ICON: &str = include_str!("../page/static/icon.svg");
/// The manifest with which a browser installs the page as an app.
pub const MANIFEST: &str = include_str!("../page/static/manifest.webmanifest");

/// The JavaScript library.
pub static MODULE: &str = include_str!("../assets/troel.mjs");
/// The WebAssembly module that it calls; built by `frontends/capi/build-wasm`.
pub static WASM: &[u8] = include_bytes!("../assets/troel.wasm");

/// Returns the script that stores the page for use without a network. It differs for each page and
/// library, so that a browser never combines a page of one version with a library of another.
pub fn service_worker() -> String {
    let mut hasher = DefaultHasher::new();
    (HTML, APP, PAGE_TEXTS, STYLE, WORKER, MODULE, WASM).hash(&mut hasher);
    SERVICE_WORKER.replace("VERSION", &format!("{:016x}", hasher.finish()))
}

/// Returns the page as HTML, with these house rules in the list of rule sets. For each of them it
/// says whether a card is turned up.
pub fn html(house_rules: &[&RuleSet]) -> String {
    let turn_ups: Map<String, Value> = house_rules
        .iter()
        .map(|rules| (rules.id().to_string(), rules.has_turn_up().into()))
        .collect();
    // Nothing to escape: an identifier is letters, digits and dashes.
    HTML.replace(">{}</script>", &format!(">{}</script>", Value::from(turn_ups)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_texts_of_all_languages() {
        let script = service_worker();
        for language in LANGUAGES.into_iter().filter(|&language| language != "en") {
            assert!(PAGE_TEXTS.iter().any(|&(known, _)| known == language), "{language}");
            assert!(script.contains(&format!("\"words/{language}.json\"")), "{language}");
        }
    }

    #[test]
    fn house_rules_are_among_the_choices() {
        let rules = RuleSet::built_in("iwwa").unwrap();
        assert!(html(&[rules]).contains(r#"id="house-rules">{"iwwa":true}</script>"#));
        assert!(html(&[]).contains(r#"id="house-rules">{}</script>"#));
    }
}
