import { render } from "preact";

import { loadWords, pageLanguage } from "./language/words";
import { firstSettings } from "./shell/address";
import { App } from "./shell/app";
// The style sheet of the window comes after that of the table, which it adapts.
import "./table.css";
import "./style.css";
import "./looks.css";
import "./life.css";

function start() {
  const root = document.getElementById("app")!;
  // The first view of the document.
  root.replaceChildren();
  render(<App />, root);
}

// Without its texts the page starts in English, and says so.
loadWords(pageLanguage(firstSettings().language))
  .catch(() => {})
  .then(start);
