// Entry point: defines <clinscore-app>, and fits a page that holds nothing else around it.

import { ClinscoreApp } from "./app.js";

if (!customElements.get("clinscore-app")) customElements.define("clinscore-app", ClinscoreApp);

const alone =
  document.body.childElementCount <= 2 &&
  document.body.firstElementChild?.localName === "clinscore-app";
if (alone) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("body { margin: 0 } clinscore-app { min-height: 100dvh }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
