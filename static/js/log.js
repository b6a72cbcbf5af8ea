// Follows a replica's log: appends what the stream brings and stays at the end until somebody scrolls up.
"use strict";
function followLog() {
  const box = document.getElementById("log");
  const follow = document.getElementById("log-follow");
  const wrap = document.getElementById("log-wrap");
  if (!box || box.dataset.begun) return;
  box.dataset.begun = "yes";

  const CHUNK = 500, MOST = 50000;
  let following = true, unseen = 0, count = box.querySelectorAll(".line").length, source = null;

  const atEnd = () => box.scrollHeight - box.scrollTop - box.clientHeight < 4;
  const toEnd = () => { box.scrollTop = box.scrollHeight; };

  function show() {
    follow.setAttribute("aria-pressed", following);
    follow.textContent = unseen ? follow.dataset.unseen.replace("{count}", unseen) : follow.dataset.follow;
  }

  function setFollowing(on) {
    following = on;
    if (on) { unseen = 0; toEnd(); }
    show();
  }

  function lineOf(line) {
    const span = document.createElement("span");
    span.className = "line";
    if (line.time) {
      const time = document.createElement("time");
      time.dateTime = line.time;
      time.textContent = line.clock;
      span.append(time);
    }
    span.append(line.text || " ");
    return span;
  }

  function append(lines) {
    let chunk = box.lastElementChild;
    for (const line of lines) {
      if (!chunk || chunk.childElementCount >= CHUNK) {
        chunk = document.createElement("div");
        chunk.className = "chunk";
        box.append(chunk);
      }
      chunk.append(lineOf(line));
    }
    count += lines.length;
    while (count > MOST) {
      count -= box.firstElementChild.childElementCount;
      box.firstElementChild.remove();
    }
    if (following) return toEnd();
    unseen += lines.length;
    show();
  }

  box.addEventListener("scroll", () => { if (following !== atEnd()) setFollowing(atEnd()); });
  follow.addEventListener("click", () => setFollowing(!following));
  wrap.addEventListener("click", () => wrap.setAttribute("aria-pressed", box.classList.toggle("wrap")));
  wrap.hidden = false;
  follow.hidden = !box.dataset.stream;
  toEnd();
  show();

  if (!box.dataset.stream) return;
  source = new EventSource(box.dataset.stream);
  source.onmessage = (event) => append(JSON.parse(event.data));
  source.addEventListener("end", () => { source.close(); follow.hidden = true; });
  window.addEventListener("pagehide", () => source.close());
}

followLog();
document.body.addEventListener("htmx:load", followLog); // the box arrives later on a page that waited for the first line
