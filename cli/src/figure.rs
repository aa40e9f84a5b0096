//! Figures as SVG.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use troel_env::printable;
use troel_eval::ladder::{Ladder, Player};
use troel_eval::{ClusteredMean, Estimate, column_width};
use troel_train::run_folder::{BEST_BOT_FOLDER, BOT_FOLDER, KEPT_BOTS_FOLDER};

const INK: RGBColor = RGBColor(27, 108, 168);
const FONT: &str = "sans-serif";

/// Writes a figure to a file.
pub fn write(path: &Path, svg: &str) -> anyhow::Result<()> {
    std::fs::write(path, svg).with_context(|| path.display().to_string())
}

/// Draws a ladder: a line per bot, its strength as a dot with its 95 % interval.
pub fn ladder(ladder: &Ladder, title: &str) -> anyhow::Result<String> {
    let rows = &ladder.strengths;
    let ends = rows.iter().flat_map(|s| s.estimate().interval().ends());
    let (low, high) = bounds(ends);
    let names = column_width(rows.iter().map(|s| printable(&s.player.name)), 0);
    let mut svg = String::new();
    {
        let size = (460 + 7 * names as u32, 100 + 26 * rows.len() as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let count = rows.len() as f64;
        let mut chart = ChartBuilder::on(&area)
            .caption(printable(title), (FONT, 16))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(20 + 7 * names as u32)
            .build_cartesian_2d(low..high, -0.5..count - 0.5)?;
        // Strongest first from the top; a label at each row.
        let name = |y: &f64| {
            let row = (count - 1.0 - y).round();
            let is_row = (y - y.round()).abs() < 1e-6 && row >= 0.0;
            let row = rows.get(row as usize).filter(|_| is_row);
            row.map_or_else(String::new, |s| printable(&s.player.name).into_owned())
        };
        chart
            .configure_mesh()
            .max_light_lines(0)
            .disable_y_mesh()
            .y_labels(2 * rows.len() + 1)
            .y_label_formatter(&name)
            .x_desc("points per deal")
            .label_style((FONT, 12))
            .draw()?;
        for (i, s) in rows.iter().enumerate() {
            let y = count - 1.0 - i as f64;
            let ends = s.estimate().interval().ends().map(|x| (x, y));
            chart.draw_series([PathElement::new(ends, INK.stroke_width(2))])?;
            chart.draw_series([Circle::new((s.points, y), 4, INK.filled())])?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Horizontal axis of a curve.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum CurveAxis {
    Decisions,
    Hours,
}

impl CurveAxis {
    fn title(self) -> &'static str {
        match self {
            CurveAxis::Decisions => "decisions of the run, millions",
            CurveAxis::Hours => "hours of the run",
        }
    }

    fn of(self, point: &CurvePoint) -> Option<f64> {
        let value = match self {
            CurveAxis::Decisions => point.player.steps.map(|steps| steps as f64 / 1e6),
            CurveAxis::Hours => point.player.seconds.map(|seconds| seconds / 3600.0),
        };
        value.filter(|&x| x > 0.0)
    }
}

/// Checkpoint in a figure of curves.
pub struct CurvePoint {
    /// Checkpoint, with its training steps, seconds, seed and recipe.
    pub player: Player,
    /// Value on the vertical axis.
    pub points: f64,
}

/// Checkpoints of one recipe and seed in training order, with their places on the horizontal axis.
type Curve<'a> = Vec<(f64, &'a CurvePoint)>;

/// Mean over several seeds with its interval, by place on the axis.
type Band = Vec<(f64, Estimate)>;

/// Colours of recipes, distinguishable with colour blindness (Okabe and Ito 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Error message for a curve without points.
pub const NO_CHECKPOINT: &str =
    "no bot is a checkpoint, so there is no curve to draw; name checkpoints of a run";

/// Draws the points of checkpoints, in `unit`, over their training: a line for each recipe. The
/// line of several seeds is their mean, with its 95 % interval over seeds as a band. The line of
/// one seed has no interval.
pub fn curve(
    checkpoints: &[CurvePoint],
    title: &str,
    over: CurveAxis,
    unit: &str,
) -> anyhow::Result<String> {
    let recipes = curves(checkpoints, over);
    anyhow::ensure!(!recipes.is_empty(), NO_CHECKPOINT);
    let bands: Vec<Band> = recipes.iter().map(|seeds| band(seeds)).collect();
    let points = || recipes.iter().flatten().flatten();
    let values = points().map(|&(_, s)| s.points);
    let band_ends = bands.iter().flatten().flat_map(|(_, mean)| mean.interval().ends());
    let (low, high) = bounds(values.chain(band_ends));
    let last = points().map(|&(x, _)| x).fold(0.0, f64::max);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (720, 440)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(printable(title), (FONT, 16))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..last * 1.03, low..high)?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_desc(over.title())
            .y_desc(unit)
            .y_label_formatter(&|y| label(*y, high - low))
            .label_style((FONT, 12))
            .draw()?;
        for ((seeds, band), colour) in recipes.iter().zip(&bands).zip(COLOURS.into_iter().cycle()) {
            draw_recipe(&mut chart, seeds, band, colour)?;
        }
        chart
            .configure_series_labels()
            .position(legend_position(&recipes, (low + high) / 2.0))
            .background_style(WHITE.mix(0.8))
            .label_font((FONT, 12))
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}

/// Axes of a chart of curves.
type CurveChart<'a, 'svg> =
    ChartContext<'a, SVGBackend<'svg>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws the mean of the seeds of a recipe with its band, or each seed where there is no band.
fn draw_recipe(
    chart: &mut CurveChart<'_, '_>,
    seeds: &[Curve],
    band: &Band,
    colour: RGBColor,
) -> anyhow::Result<()> {
    let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
    if band.is_empty() {
        // One seed, or seeds that are nowhere side by side.
        let points = |line: &Curve| line.iter().map(|&(x, s)| (x, s.points)).collect();
        lines.extend(seeds.iter().map(points));
    } else {
        let upper = band.iter().map(|(x, mean)| (*x, mean.interval().high));
        let lower = band.iter().rev().map(|(x, mean)| (*x, mean.interval().low));
        let outline: Vec<_> = upper.chain(lower).collect();
        chart.draw_series([Polygon::new(outline, colour.mix(0.18).filled())])?;
        lines.push(band.iter().map(|(x, mean)| (*x, mean.mean)).collect());
    }
    let dots = seeds.iter().flatten();
    chart.draw_series(dots.map(|&(x, s)| Circle::new((x, s.points), 2, colour.filled())))?;
    let name = format!("{} ({})", run_of(seeds), meaning(seeds.len(), band.is_empty()));
    for (i, line) in lines.into_iter().enumerate() {
        let drawn = chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        if i == 0 {
            drawn.label(&name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
            });
        }
    }
    Ok(())
}

/// Returns the position of the legend: in the half of the chart where fewer lines end.
fn legend_position(recipes: &[Vec<Curve>], middle: f64) -> SeriesLabelPosition {
    let ends: Vec<f64> =
        recipes.iter().flatten().filter_map(|line| Some(line.last()?.1.points)).collect();
    let mean = ends.iter().sum::<f64>() / ends.len() as f64;
    if mean < middle { SeriesLabelPosition::UpperRight } else { SeriesLabelPosition::LowerRight }
}

/// Returns the curves of the seeds of each recipe, each in the order of its training.
fn curves(checkpoints: &[CurvePoint], over: CurveAxis) -> Vec<Vec<Curve<'_>>> {
    let mut recipes: BTreeMap<&Option<String>, BTreeMap<Option<u64>, Curve>> = BTreeMap::new();
    for point in checkpoints {
        if let Some(x) = over.of(point) {
            let seeds = recipes.entry(&point.player.recipe_hash).or_default();
            seeds.entry(point.player.seed).or_default().push((x, point));
        }
    }
    let mut recipes: Vec<Vec<Curve>> =
        recipes.into_values().map(|seeds| seeds.into_values().collect()).collect();
    recipes.iter_mut().flatten().for_each(|line| line.sort_by(|a, b| a.0.total_cmp(&b.0)));
    recipes
}

/// Returns the meaning of the line of a recipe, for the legend.
fn meaning(seeds: usize, is_apart: bool) -> String {
    match (seeds, is_apart) {
        (1, _) => "one seed".to_string(),
        (n, true) => format!("{n} seeds, not side by side"),
        (n, false) => format!("mean of {n} seeds, 95 % interval"),
    }
}

/// Returns the mean over several seeds with its 95 % interval (Student's t over seeds). The places
/// are those where the points of all seeds are known. Points are linear between checkpoints. The
/// result is empty for one seed.
fn band(seeds: &[Curve]) -> Band {
    if seeds.len() < 2 {
        return Vec::new();
    }
    let ends = |line: &Curve| Some((line.first()?.0, line.last()?.0));
    let (from, to) = seeds
        .iter()
        .filter_map(ends)
        .fold((0.0, f64::INFINITY), |(from, to), (a, b)| (f64::max(from, a), f64::min(to, b)));
    let mut places: Vec<f64> = seeds.iter().flatten().map(|&(x, _)| x).collect();
    places.retain(|x| (from..=to).contains(x));
    places.sort_by(f64::total_cmp);
    let at = |x: f64| {
        let mut sum = ClusteredMean::default();
        seeds.iter().filter_map(|line| interpolated(line, x)).for_each(|value| sum.add(value));
        (x, sum.estimate())
    };
    places.into_iter().map(at).collect()
}

/// Returns the points at a place within a line.
fn interpolated(line: &Curve, x: f64) -> Option<f64> {
    let after = line.iter().position(|&(place, _)| place >= x)?;
    let (right, at) = line[after];
    let Some(&(left, before)) = after.checked_sub(1).map(|i| &line[i]) else {
        return Some(at.points);
    };
    let share = if right > left { (x - left) / (right - left) } else { 1.0 };
    Some(before.points + share * (at.points - before.points))
}

/// Returns the folder of a recipe's first run, if the names of its bots have one. If the folders of
/// several runs are named by their seeds, returns the folder around them.
fn run_of(seeds: &[Curve]) -> String {
    let runs: Vec<Vec<&str>> = seeds.iter().filter_map(run_of_line).collect();
    let Some(first) = runs.first() else { return String::new() };
    let is_seed = |run: &Vec<&str>| run.last().is_some_and(|name| name.parse::<u64>().is_ok());
    let around = |run: &[&str]| run[..run.len() - 1].join("/");
    let is_group = runs.len() > 1
        && first.len() > 1
        && runs.iter().all(|run| is_seed(run) && around(run) == around(first));
    let name = if is_group { around(first) } else { first.join("/") };
    printable(&name).into_owned()
}

/// Returns the folder of the run of a line, name by name.
fn run_of_line<'a>(line: &Curve<'a>) -> Option<Vec<&'a str>> {
    let parts: Vec<&str> = line.first()?.1.player.name.split('/').collect();
    Some(match parts.as_slice() {
        [run @ .., KEPT_BOTS_FOLDER, _] | [run @ .., BOT_FOLDER | BEST_BOT_FOLDER]
            if !run.is_empty() =>
        {
            run.to_vec()
        }
        all => all.to_vec(),
    })
}

/// Formats a value on an axis of this length, with enough decimals that its marks differ. Zero has
/// no sign, even if rounding puts the mark slightly below it.
fn label(value: f64, length: f64) -> String {
    let decimals = if length < 0.1 { 3 } else { 2 };
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| "0.".contains(c)) => digits.to_string(),
        _ => text,
    }
}

/// Returns the range of an axis that shows these values and zero.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let margin = 0.06 * (high - low).max(0.1);
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(points: f64) -> CurvePoint {
        let player = Player { name: "runs/a-1/checkpoints/000100".into(), ..Player::default() };
        CurvePoint { player, points }
    }

    #[test]
    fn a_band_is_the_interval_of_the_mean_where_all_seeds_are_known() {
        let s = [0.0, 1.0, 2.0, 1.0, 2.0].map(checkpoint);
        let first: Curve = vec![(1.0, &s[0]), (2.0, &s[1]), (3.0, &s[2])];
        let second: Curve = vec![(1.5, &s[3]), (2.5, &s[4])];
        let seeds = [first.clone(), second];
        let found = band(&seeds);
        let means: Vec<(f64, f64)> =
            found.iter().map(|(x, estimate)| (*x, estimate.mean)).collect();
        assert_eq!(means, [(1.5, 0.75), (2.0, 1.25), (2.5, 1.75)]);
        for (_, estimate) in found {
            // Two values half a point apart: standard error 0.25, t = 12.706 with one degree of
            // freedom.
            let half = estimate.half_width.expect("two seeds");
            assert!((half - 12.706 * 0.25).abs() < 1e-3, "{half}");
        }
        assert_eq!(run_of(&seeds), "runs/a-1");
        let [mut one, mut two] = [checkpoint(0.0), checkpoint(0.0)];
        one.player.name = "runs/a/1/checkpoints/000100".into();
        two.player.name = "runs/a/2/bot".into();
        let lines: [Curve; 2] = [vec![(1.0, &one)], vec![(1.0, &two)]];
        assert_eq!((run_of(&lines).as_str(), run_of(&lines[1..]).as_str()), ("runs/a", "runs/a/2"));
        assert!(band(&[first]).is_empty(), "one seed has no interval");
        assert_eq!(meaning(1, true), "one seed");
        let apart: [Curve; 2] = [vec![(1.0, &s[0])], vec![(2.0, &s[1])]];
        assert!(band(&apart).is_empty());
    }

    #[test]
    fn marks_of_an_axis_differ_and_zero_has_no_sign() {
        assert_eq!(label(-1e-17, 0.5), "0.00");
        assert_eq!(label(-0.004, 0.5), "0.00");
        assert_eq!(label(-0.25, 0.5), "-0.25");
        assert_ne!(label(0.015, 0.05), label(0.02, 0.05));
    }
}
