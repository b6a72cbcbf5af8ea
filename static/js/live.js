// Keeps a page current. One EventSource per tab brings names of channels, never data: each becomes a DOM event
// "live:<channel>" on <body>, and the panels that listen for it fetch themselves again. "live:all" refreshes every panel.
"use strict";
(() => {
  const url = document.body.dataset.live;
  const chip = document.getElementById("live");
  if (!url || !chip || !window.EventSource) return;

  const HIDDEN_MS = 60000, TICK_MS = 10000, RETRY_MS = 5000;
  const waiting = new Map();
  let source = null, hidden = 0, retry = 0, lost = false;

  const send = (name) => document.body.dispatchEvent(new CustomEvent(name, { bubbles: true }));

  // A burst of events is one refresh; the spread keeps a thousand open pages from asking in the same instant.
  function announce(channel) {
    if (waiting.has(channel)) return;
    waiting.set(channel, setTimeout(() => {
      waiting.delete(channel);
      send(`live:${channel}`);
    }, 500 + Math.random() * 400));
  }

  function show(state, icon) {
    if (chip.dataset.state === state) return;
    chip.dataset.state = state;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${chip.dataset.icons}#${icon}`);
    svg.append(use);
    const time = state === "reconnecting" ? ` ${new Date().toLocaleTimeString()}` : "";
    chip.replaceChildren(svg, chip.dataset[state] + time);
  }

  function open() {
    clearTimeout(retry);
    source = new EventSource(url);
    source.onopen = () => {
      show("on", "circle-check");
      if (lost) send("live:all"); // what was missed meanwhile
      lost = false;
    };
    source.onmessage = (event) => announce(event.data);
    source.onerror = () => {
      lost = true;
      const refused = source.readyState === EventSource.CLOSED; // an HTTP error: the browser does not try again by itself
      show(refused ? "offline" : "reconnecting", refused ? "wifi-off" : "refresh-cw");
      if (refused) retry = setTimeout(open, RETRY_MS + Math.random() * RETRY_MS);
    };
  }

  function close() {
    clearTimeout(retry);
    source?.close();
    source = null;
    lost = true;
    show("paused", "circle-pause");
  }

  // Browsers open six connections to a host: a tab that nobody looks at gives its own back.
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(close, HIDDEN_MS);
    else if (!source) open();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => { if (event.persisted && !source) open(); });
  setInterval(() => { if (source && !document.hidden) send("live:all"); }, TICK_MS); // durations go on without events
  open();
})();
