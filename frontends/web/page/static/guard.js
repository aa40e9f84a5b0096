// In a page in one file, this reports that the script of the page never started: the file ends
// before it, or the browser does not understand it. It comes first in the file, and uses only
// features that older browsers have. The program fills in the texts by language.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const TEXTS = {};
  const view = document.getElementById("first-view");
  // The script of the page removes the first view when it starts.
  if (document.getElementById("app") && !view) return;
  const wanted = navigator.languages.map((name) => name.slice(0, 2));
  const language = wanted.filter((name) => typeof TEXTS[name] === "string")[0] || "en";
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.lang = language;
  notice.setAttribute("role", "alert");
  notice.textContent = TEXTS[language];
  const place = view || document.body;
  place.textContent = "";
  place.appendChild(notice);
});
