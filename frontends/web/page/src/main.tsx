import { render } from "preact";

import { App } from "./shell/app";
import "./style.css";
import "./looks.css";
import "./life.css";

const root = document.getElementById("app")!;
// The first view of the document.
root.replaceChildren();
render(<App />, root);
