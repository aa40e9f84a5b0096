//! Figures as SVG.

use plotters::prelude::*;
use troel_eval::ladder::{Ladder, Strength};

const INK: RGBColor = RGBColor(27, 108, 168);
const FONT: &str = "sans-serif";

/// A ladder: a line per bot, its strength as a dot with its 95 % interval.
pub fn ladder(ladder: &Ladder, title: &str) -> anyhow::Result<String> {
    let rows = &ladder.strengths;
    let (low, high) = bounds(rows.iter());
    let names = rows.iter().map(|s| s.player.name.chars().count()).max().unwrap_or(0);
    let mut svg = String::new();
    {
        let size = (460 + 7 * names as u32, 100 + 26 * rows.len() as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let count = rows.len() as f64;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, (FONT, 16))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(20 + 7 * names as u32)
            .build_cartesian_2d(low..high, -0.5..count - 0.5)?;
        // Strongest first from the top; a label at each row.
        let name = |y: &f64| {
            let row = (count - 1.0 - y).round();
            let is_row = (y - y.round()).abs() < 1e-6 && row >= 0.0;
            let row = rows.get(row as usize).filter(|_| is_row);
            row.map_or_else(String::new, |s| s.player.name.clone())
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
            let ends = [(s.points - s.half_width, y), (s.points + s.half_width, y)];
            chart.draw_series([PathElement::new(ends, INK.stroke_width(2))])?;
            chart.draw_series([Circle::new((s.points, y), 4, INK.filled())])?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Strength of the bots that are checkpoints over the decisions they were trained on.
pub fn curve(ladder: &Ladder, title: &str) -> anyhow::Result<String> {
    let trained = |s: &&Strength| s.player.steps.is_some_and(|steps| steps > 0);
    let mut rows: Vec<&Strength> = ladder.strengths.iter().filter(trained).collect();
    anyhow::ensure!(
        !rows.is_empty(),
        "no bot on the ladder is a checkpoint: there is no curve to draw"
    );
    rows.sort_by_key(|s| s.player.steps);
    let millions = |s: &Strength| s.player.steps.unwrap_or(0) as f64 / 1e6;
    let (low, high) = bounds(rows.iter().copied());
    let last = rows.last().map_or(1.0, |s| millions(s));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (720, 440)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, (FONT, 16))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..last * 1.03, low..high)?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_desc("decisions trained on, millions")
            .y_desc("points per deal")
            .label_style((FONT, 12))
            .draw()?;
        let point = |s: &&Strength| (millions(s), s.points);
        chart.draw_series(LineSeries::new(rows.iter().map(point), INK.stroke_width(2)))?;
        for s in &rows {
            let x = millions(s);
            let ends = [(x, s.points - s.half_width), (x, s.points + s.half_width)];
            chart.draw_series([PathElement::new(ends, INK.stroke_width(1))])?;
            chart.draw_series([Circle::new((x, s.points), 3, INK.filled())])?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Range of an axis that shows all intervals and zero.
fn bounds<'a>(rows: impl Iterator<Item = &'a Strength>) -> (f64, f64) {
    let (low, high) = rows.fold((0.0f64, 0.0f64), |(low, high), s| {
        (low.min(s.points - s.half_width), high.max(s.points + s.half_width))
    });
    let margin = 0.06 * (high - low).max(0.1);
    (low - margin, high + margin)
}
