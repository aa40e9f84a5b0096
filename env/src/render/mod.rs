//! Pictures of a deal, as text for a terminal and as SVG.
//!
//! ```
//! use troel_env::render::Scene;
//! use troel_env::{BySeat, Deals, RuleSet, Seat, State};
//!
//! let rules = RuleSet::built_in("horesca").unwrap();
//! let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
//! println!("{}", Scene::from_state(&state, BySeat::default()).to_text(true));
//! let obs = state.observe(Seat::East, BySeat::default());
//! assert!(Scene::from_observation(&obs).to_svg().starts_with("<svg"));
//! ```

mod scene;
mod svg;
mod text;

pub use scene::{Hand, Scene};
pub use svg::escape_xml;
