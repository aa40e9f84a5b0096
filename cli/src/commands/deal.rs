//! `troel deal`.

use std::process::ExitCode;

use serde::Serialize;
use troel_agents::search::{Par, par};
use troel_env::{ContractView, Deal, Deals, Record, Seat};
use troel_eval::{DealRange, deals_in};
use troel_parallel::map_in_parallel;
use troel_solver::Solver;

use crate::{commands, output};

/// Deal cards and print them as game records without actions
///
/// Deal n of a seed is always the same. The seats deal in turn. A record names its rules by their
/// id. If they come from a rule file, give its folder (--rules-folder) to the commands that read
/// the record.
///
/// Example: troel deal --rules iwwa --seed 7 --deals 10 --scenario misere
#[derive(clap::Args)]
pub struct Args {
    /// Rule set, or path of a rule file
    #[arg(long, default_value = "luxembourg")]
    rules: String,
    /// Seed of the deals
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Number of deals, or a range: 500..1000 is deals 500 to 999
    #[arg(long, default_value = "1", value_parser = commands::deal_range)]
    deals: DealRange,
    /// Only deals of a scenario: any, aces, low-cards, near-slam, or a contract that suits some
    /// hand: suit, solo, abondance, misere, …
    #[arg(long, default_value = "any", alias = "suite")]
    scenario: String,
    /// Print the deals that `troel eval` plays with this seed, instead of those of training and
    /// play
    #[arg(long)]
    evaluation: bool,
    /// Also solve each deal and add its double-dummy best contract as "par" (seconds per deal)
    #[arg(long)]
    par: bool,
    /// Approximate limit of positions to visit for each contract of --par; a million take about 0.2
    /// seconds. If the limit is too low, "par" is null
    #[arg(long, value_name = "N", default_value_t = 100_000_000, requires = "par", value_parser = commands::number(0..=u64::MAX))]
    nodes: u64,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Field `par`, which `--par` adds to a record.
#[derive(Serialize)]
struct ParField {
    /// Null if nobody gains by calling anything.
    contract: Option<ContractView>,
    /// Points by seat: N, E, S, W.
    points: [i32; 4],
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = commands::rules(&args.rules)?;
    let scenario = commands::scenario(&args.scenario, rules)?;
    let range = args.deals;
    let deals = if args.evaluation { Deals::for_evaluation } else { Deals::new };
    let deals = deals(rules, args.seed).with_scenario(scenario);
    let threads = args.threads.number_or_cores().get();
    let solvers = if args.par { threads } else { 0 };
    let mut solvers: Vec<Solver> = (0..solvers).map(|_| Solver::default()).collect();
    // As many deals at once as threads, so that the first are printed soon.
    let at_once = threads as u64;
    for first in range.numbers().step_by(at_once as usize) {
        let mut dealt = Vec::new();
        for n in first..range.end.min(first + at_once) {
            dealt.push(deal_of(args, &deals, n)?);
        }
        let mut records: Vec<Record> = dealt.iter().map(|deal| Record::new(rules, deal)).collect();
        if args.par {
            let pars = map_in_parallel(&dealt, &mut solvers, |deal, solver| {
                par(rules, deal, solver, args.nodes)
            });
            for (record, par) in records.iter_mut().zip(pars) {
                add_par(record, par?.as_ref())?;
            }
        }
        for record in &records {
            output::line(&serde_json::to_string(record)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns deal `n` of the source.
fn deal_of(args: &Args, deals: &Deals, n: u64) -> anyhow::Result<Deal> {
    Ok(if args.evaluation {
        // Each deal of a gathered deck depends on the one before.
        deals_in(deals, DealRange::new(n, n + 1))?[0]
    } else {
        deals.shuffled(n, Seat::dealer(n))
    })
}

/// Adds the field `par` to the record of a deal: null for `None`, if the solver gave up.
fn add_par(record: &mut Record, par: Option<&Par>) -> anyhow::Result<()> {
    let field = par.map(|par| ParField {
        contract: par.contract.as_ref().map(ContractView::from),
        points: par.points.0,
    });
    record.extra.insert("par".to_string(), serde_json::to_value(field)?);
    Ok(())
}
