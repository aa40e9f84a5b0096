//! Printing of evaluation reports.

use troel_eval::{Regret, Report};

use crate::output;

/// Prints a report as JSON or as tables, with the tables of contracts if `contracts` is set.
pub fn show(report: &Report, json: bool, contracts: bool) -> anyhow::Result<()> {
    if json {
        return output::line(&serde_json::to_string(report)?);
    }
    output::text(&report.table())?;
    let has_one_scope =
        report.comparisons.iter().all(|comparison| comparison.scope == report.comparisons[0].scope);
    if report.comparisons.len() > 2 && has_one_scope {
        output::text(&format!("\n{}", report.pair_table()))?;
    }
    for comparison in &report.comparisons {
        if let Some([challenger, baseline]) = &comparison.detail.regret {
            let rows = [
                (comparison.challenger.as_str(), challenger),
                (comparison.baseline.as_str(), baseline),
            ];
            output::text(&Regret::table(&rows))?;
        }
    }
    if contracts {
        output::text(&report.contract_table())?;
    }
    Ok(())
}
