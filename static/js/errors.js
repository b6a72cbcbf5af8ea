// A panel that cannot refresh keeps what it shows, greyed, and says so in one line; the next good answer morphs both away.
// Also: the list of problems takes the focus when a form comes back.
"use strict";
(() => {
  const RETRY_MS = 10000;
  const words = document.body.dataset;
  let retry = 0;

  function stale(panel, status) {
    const again = status === 0 || status === 429 || status >= 500;
    const text = (again ? words.stale : words.ended).replace("{status}", status || words.offline);
    panel.classList.add("stale");
    panel.querySelector(".stale-note")?.remove();
    const note = document.createElement("p");
    note.className = "stale-note";
    note.textContent = text;
    panel.append(note);
    if (!again) return;
    clearTimeout(retry);
    retry = setTimeout(() => document.body.dispatchEvent(new CustomEvent("live:all")), RETRY_MS);
  }

  document.body.addEventListener("htmx:responseError", (event) => stale(event.detail.target, event.detail.xhr.status));
  document.body.addEventListener("htmx:sendError", (event) => stale(event.detail.target, 0));

  document.getElementById("problems")?.focus();
})();
