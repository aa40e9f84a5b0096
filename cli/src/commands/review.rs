//! `troel review`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use troel_agents::NamedBot;
use troel_agents::registry::{self, ReleasedFor};
use troel_agents::review::{DEFAULT_WORLDS, Hindsight, Review, ReviewedDecision, Reviewer};
use troel_env::render::escape_xml;
use troel_env::{Action, BySeat, Contract, Record, Seat, Suit};
use troel_eval::json;
use troel_protocol::review::DealReviewView;
use troel_solver::Solver;

use crate::commands::{self, SeatArg};
use crate::lines::{MAX_LINE_BYTES, RuleSets, RulesFolder, TOO_LONG, read_line};
use crate::output;

/// Judge each decision of a game by search, and show its cost
///
/// Prints a table for each record: the action of the seat, the best action by search, the action of
/// the bot, and the probabilities in the bot's policy. `points` are the expected points lost
/// against the best action, over sampled worlds that fit what the seat saw. `over bot` are the
/// expected points that the action gains over the bot's. In hindsight, with all hands visible: the
/// tricks that a card gave away, par, and the points that each seat scored below par.
/// --html writes a page with the deals, the worst mistakes first.
///
/// Example: troel review games.jsonl --seat S --bot luxembourg-v5 --html review.html
#[derive(clap::Args)]
pub struct Args {
    /// Game records, one JSON object per line
    file: PathBuf,
    /// Seat to review (default: all four)
    #[arg(long, value_enum, ignore_case = true)]
    seat: Option<SeatArg>,
    /// Bot to compare with (default: the released bot of the rule set, for house rules
    /// universal-v2, or expert)
    #[arg(long)]
    bot: Option<String>,
    /// Number of worlds to average the points over
    #[arg(long, default_value_t = DEFAULT_WORLDS as u32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    worlds: u32,
    /// Seed of the worlds and of the bot
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    #[command(flatten)]
    rules: RulesFolder,
    /// Print one JSON object per record instead, with the fields of docs/table.md
    #[arg(long)]
    json: bool,
    /// Also write an HTML page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// A reviewed deal, its record, and the name of the bot that it was compared with.
struct Reviewed {
    record: Record,
    bot: String,
    review: Review,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let path = args.file.display();
    if let Some(page) = &args.html {
        output::check_path(page).context("--html")?;
        if is_same_file(page, &args.file) {
            anyhow::bail!(
                "--html {}: that is the file of the records; name another one",
                page.display()
            );
        }
    }
    let input = File::open(&args.file).with_context(|| path.to_string())?;
    let mut input = BufReader::new(input);
    let mut reviews = Vec::new();
    let mut records = 0;
    let mut rules = args.rules.rule_sets();
    // The page is written even if the reader closed our output (`| head`).
    let mut shown = Ok(());
    for n in 1_u64.. {
        let place = || format!("{path}: line {n}");
        let Some(line) = read_line(&mut input, MAX_LINE_BYTES).with_context(place)? else { break };
        if line.len() as u64 > MAX_LINE_BYTES {
            anyhow::bail!("{}: {TOO_LONG}", place());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        records += 1;
        let record: Record = json::parse(&line).with_context(place)?;
        let review = review(args, &mut rules, record).with_context(place)?;
        let text = if args.json { review.json() } else { review.table() };
        shown = shown.and_then(|()| output::text(&text));
        if args.html.is_some() {
            reviews.push(review);
        }
    }
    if records == 0 {
        anyhow::bail!("{path}: holds no game records; `troel play --records FILE` writes some");
    }
    if let Some(file) = &args.html {
        std::fs::write(file, page(&reviews)).with_context(|| file.display().to_string())?;
    }
    shown.map(|()| ExitCode::SUCCESS)
}

/// Returns whether two paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| std::fs::canonicalize(path).ok());
    one.is_some() && one == other
}

fn review(args: &Args, rules: &mut RuleSets, record: Record) -> anyhow::Result<Reviewed> {
    let rules = rules.find(&record.rules).map_err(|bad| anyhow::anyhow!(bad.message))?;
    let bot = match &args.bot {
        Some(name) => commands::bot_for(name, rules, "a record")?,
        None => {
            let purposes = [ReleasedFor::Points(rules.id()), ReleasedFor::AnyRules];
            let mut usual = purposes.into_iter().filter_map(registry::released_for);
            let found = usual.find_map(|name| NamedBot::find(name, rules).ok());
            found.map_or_else(|| NamedBot::find("expert", rules), Ok)?
        }
    };
    let worlds = args.worlds as usize;
    let mut reviewer = Reviewer::new(&bot, worlds, args.seed, Solver::default());
    let wanted = args.seat.map(Seat::from);
    let review = reviewer.review(rules, &record, wanted)?;
    Ok(Reviewed { record, bot: bot.name().to_string(), review })
}

/// Headings of the columns.
const COLUMNS: [&str; 11] = [
    "step",
    "seat",
    "phase",
    "did",
    "bot %",
    "best",
    "bot would",
    "bot %",
    "points",
    "over bot",
    "tricks",
];

/// Minimum number of points that is shown: less rounds to 0.0.
const MIN_SHOWN_POINTS: f32 = 0.05;

/// Formats points given away, as a loss.
fn loss(points: f32) -> String {
    if points < MIN_SHOWN_POINTS { "0".to_string() } else { format!("−{points:.1}") }
}

/// Formats points gained over the bot's choice.
fn gain(points: f32) -> String {
    if points < MIN_SHOWN_POINTS { "–".to_string() } else { format!("+{points:.1}") }
}

/// Formats a contract with its declarers.
fn contract_text(contract: &Contract) -> String {
    let trump = contract.trump.map_or(String::new(), |t| format!(" in {}", t.letter()));
    let declarers: String = contract.declarers.iter().map(Seat::letter).collect();
    format!("{}{trump} by {declarers}", contract.label())
}

/// Formats the points of all seats, with signs.
fn points_text(points: &BySeat<i32>) -> String {
    Seat::ALL.map(|s| format!("{} {:+}", s.letter(), points[s])).join(" ")
}

/// Returns the cells of a decision's row in the tables, with actions formatted by `name`.
fn cells(decision: &ReviewedDecision, name: fn(Action) -> String) -> [String; 11] {
    let ReviewedDecision { did, ref advice, .. } = *decision;
    let bot = advice.decision.action;
    [
        decision.number.to_string(),
        decision.seat.letter().to_string(),
        decision.phase.name().to_string(),
        name(did),
        format!("{:.0}", 100.0 * advice.probability(did)),
        name(advice.best()),
        name(bot),
        format!("{:.0}", 100.0 * advice.probability(bot)),
        loss(decision.loss()),
        gain(decision.gain_over_bot()),
        decision.tricks.map_or("–".to_string(), |n| n.to_string()),
    ]
}

impl Reviewed {
    fn title(&self) -> String {
        let end = &self.review.end;
        let contract = end.contract().map_or("no contract".to_string(), contract_text);
        let scores = end.scores().as_ref().map_or("unfinished".to_string(), points_text);
        format!("{} · {contract} · {scores} · judged by {}", self.record.rules, self.bot)
    }

    /// Returns the line of `--json`.
    fn json(&self) -> String {
        let view = DealReviewView::new(&self.record.rules, &self.bot, &self.review);
        format!("{}\n", serde_json::json!(view))
    }

    /// Describes par, and the points that each seat scored below it.
    fn hindsight(&self) -> String {
        let Hindsight { par, regret } = &self.review.hindsight;
        let Some(par) = par else {
            return "Par, with all hands visible: too hard to compute".to_string();
        };
        let contract = par.contract.as_ref().map_or("nobody calls".to_string(), contract_text);
        let par = format!("Par, with all hands visible: {contract} · {}", points_text(&par.points));
        match regret {
            Some(regret) => format!("{par} · below par: {}", points_text(regret)),
            None => par,
        }
    }

    fn table(&self) -> String {
        let mut text = format!("{}\n", self.title());
        let row = |cells: [String; 11]| {
            let [at, seat, phase, did, chance, best, bot, bot_chance, points, over, tricks] = cells;
            format!(
                "{at:>4} {seat:<4} {phase:<9} {did:<15} {chance:>5}  {best:<15} {bot:<15} \
                 {bot_chance:>5} {points:>8} {over:>9} {tricks:>7}\n"
            )
        };
        text += &row(COLUMNS.map(str::to_string));
        for d in &self.review.decisions {
            text += &row(cells(d, |action| action.to_string()));
        }
        for seat in Seat::ALL {
            let own = || self.review.decisions.iter().filter(|d| d.seat == seat);
            if own().next().is_none() {
                continue;
            }
            let (n, agreed) =
                (own().count(), own().filter(|d| d.did == d.advice.decision.action).count());
            let better = own().filter(|d| d.gain_over_bot() >= MIN_SHOWN_POINTS).count();
            let points: f32 = own().map(ReviewedDecision::loss).sum();
            let tricks: u32 = own().filter_map(|d| d.tricks).map(u32::from).sum();
            let letter = seat.letter();
            let _ = writeln!(
                text,
                "{letter}: {agreed} of {n} decisions as the bot, {better} better; {points:.1} expected points \
                 given away; tricks given away in hindsight: {tricks}"
            );
        }
        text + &self.hindsight() + "\n\n"
    }

    fn html(&self) -> String {
        let mut text =
            format!("<section><h2>{}</h2><div class=\"deal\">", escape_xml(&self.title()));
        let hands = self.record.deal.split_once(':');
        let first = hands.and_then(|(seat, _)| seat.chars().next()).and_then(Seat::from_letter);
        let hands = hands.map_or("", |(_, hands)| hands).split(' ');
        for (step, hand) in hands.enumerate() {
            let seat = first.unwrap_or(Seat::North).plus(step);
            let _ = write!(text, "<div class=\"{0}\"><b>{0}</b>", seat.letter());
            for (suit, cards) in ["♠", "♥", "♦", "♣"].into_iter().zip(hand.split('.')) {
                let red = if matches!(suit, "♥" | "♦") { " class=\"red\"" } else { "" };
                let _ = write!(text, "<br><span{red}>{suit}</span> {}", escape_xml(cards));
            }
            text += "</div>";
        }
        let _ = write!(text, "</div><table><tr><th>{}</tr>", COLUMNS.join("<th>"));
        let mut worst: Vec<&ReviewedDecision> = self.review.decisions.iter().collect();
        worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()).then(b.tricks.cmp(&a.tricks)));
        for d in worst {
            let class = match d.loss() {
                p if p >= 2.0 => " class=\"bad\"",
                p if p >= 0.5 => " class=\"weak\"",
                _ => "",
            };
            let _ = write!(text, "<tr{class}><td>{}</tr>", cells(d, signs).join("<td>"));
        }
        text + &format!("</table><p>{}</p></section>", escape_xml(&self.hindsight()))
    }
}

/// Returns the code of an action, with the suit as a symbol.
fn signs(action: Action) -> String {
    let code = action.to_string();
    match code.chars().last().and_then(Suit::from_letter) {
        Some(suit) if code.len() > 1 => format!("{}{}", &code[..code.len() - 1], suit.symbol()),
        _ => code,
    }
}

/// Returns the HTML page, a single file.
fn page(reviews: &[Reviewed]) -> String {
    let sections: String = reviews.iter().map(Reviewed::html).collect();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Review</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>\
         body{{font:16px/1.4 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1c2321;background:#fbfaf6}}\
         h2{{font-size:1.1rem}}table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}}\
         th,td{{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #d8d4c8}}\
         :is(th,td):is(:first-child,:nth-child(5),:nth-child(n+8)){{text-align:right}}\
         .bad{{background:#f6cfc4}}.weak{{background:#fbe9d2}}.red{{color:#c22432}}\
         .deal{{display:grid;grid-template:\". N .\" \"W . E\" \". S .\"/1fr 1fr 1fr;background:#eef3ea;border-radius:8px;padding:.75rem}}\
         .N{{grid-area:N}}.E{{grid-area:E}}.S{{grid-area:S}}.W{{grid-area:W}}\
         </style><h1>Review</h1><p>The worst mistakes first. Points: what the choice gave away in expectation beside the \
         best one, over cards that fit what the seat saw. Over bot: points more than the bot's choice. In hindsight, with all cards \
         seen: the tricks that a card gave away, and par.</p>{sections}</html>\n"
    )
}
