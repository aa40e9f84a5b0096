//! The page's matches in Chromium: what it keeps, asks and offers, also while its server is away.
//! The page in one file: its rule sets, and how it arrives.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

/// No match and no action is lost while the server is stopped, started again, or started with other
/// rules.
#[test]
fn a_match_outlives_its_server() {
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("page-server.cjs", env!("CARGO_BIN_EXE_troel"), folder.path());
}

/// A server that is killed on drop.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start() -> Server {
        let mut command = support::troel();
        let args = [["serve", "--port", "0"].as_slice(), &support::PINNED_BOTS].concat();
        let mut process = command.args(args).stdout(Stdio::piped()).spawn().expect("starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("says where it is");
        Server { process, url: line.trim().to_string() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Steps in `page-state.cjs`: matches in several windows, first rules, expensive calls, the Back
/// button, settled deals, looks.
#[test]
fn matches_are_kept_and_expensive_calls_are_asked_about() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("page-state.cjs", &server.url, folder.path());
}

/// Steps in `door.cjs`: a first evening from the start screen, a lesson beside a match, all
/// lessons, and addresses that lead to the table.
#[test]
fn a_first_visit_leads_from_the_start_screen_to_lessons_and_a_match() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("door.cjs", &server.url, folder.path());
}

/// Steps in `page-file.cjs`: the file paints before its bots arrive; a file that is cut off and a
/// browser that lacks a feature are reported.
#[test]
fn a_page_in_one_file_is_shown_while_it_arrives() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wiezen.html");
    let name = file.to_str().expect("plain");
    support::succeed(&["page", name, "--rules", "wiezen"], b"");
    assert!(fs::metadata(&file).expect("there").len() < MAX_PAGE_BYTES);
    support::in_chromium("page-file.cjs", name, folder.path());
}

/// Largest page for one rule set.
const MAX_PAGE_BYTES: u64 = 3_000_000;

/// Returns the bots in a page by rule set, in order.
fn bots_in(page: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(page).expect("a page");
    let list = text.split("id=\"packed\">").nth(1).expect("a list of the parts");
    let list = list.split("</script>").next().expect("an end");
    let list: serde_json::Value = serde_json::from_str(list).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_string();
    let bots = list["bots"].as_array().expect("a list").iter();
    bots.map(|bot| (text(&bot["rules"]), text(&bot["name"]))).collect()
}

#[test]
fn a_page_may_have_one_rule_set_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let club = path("club.toml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let iwwa = fs::read_to_string(root.join("configs/rules/iwwa.toml")).expect("there");
    fs::write(&club, iwwa.replace("id = \"iwwa\"", "id = \"club\"")).expect("written");
    let cases = [
        (["--rules", "iwwa"].as_slice(), ("iwwa", "iwwa-v5")),
        (&["--rules", &club], ("club", "universal-v2")),
        (&["--rules", "wiezen", "--bot", "iwwa-v4", "--bot", "wiezen-v4"], ("wiezen", "wiezen-v4")),
        (&["--rules", "horesca", "--bot", "universal-v2"], ("horesca", "universal-v2")),
    ];
    for (i, (options, (rules, bot))) in cases.into_iter().enumerate() {
        let page = path(&format!("{i}.html"));
        support::succeed(&[["page", &page].as_slice(), options].concat(), b"");
        let wanted = vec![(rules.to_string(), bot.to_string())];
        assert_eq!(bots_in(Path::new(&page)), wanted, "{options:?}");
    }
    let page = path("refused.html");
    let refused = |options: &[&str]| {
        let output = support::run(&[["page", &page].as_slice(), options].concat());
        support::expect_error(&output)
    };
    let error = refused(&["--rules", "iwwa", "--bot", "wiezen-v5"]);
    assert!(error.contains("no bot for iwwa: wiezen-v5 plays wiezen."), "{error}");
    assert!(error.contains("--bot universal-v2"), "{error}");
    let error = refused(&["--rules", "whist"]);
    assert!(error.contains("whist") && error.contains("luxembourg"), "{error}");
    assert!(!Path::new(&page).exists());
}
