import { render } from "preact";

import { App } from "./shell/app";
import "./style.css";

render(<App />, document.getElementById("app")!);
