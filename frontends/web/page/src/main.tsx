import { render } from "preact";

import { App } from "./shell/app";
// The style sheet of the window comes after that of the table, which it adapts.
import "./table.css";
import "./style.css";
import "./looks.css";
import "./life.css";

const root = document.getElementById("app")!;
// The first view of the document.
root.replaceChildren();
render(<App />, root);
