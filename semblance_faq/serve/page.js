"use strict";
const WAIT = 150; // milliseconds without a key before a draft is asked
const COUNT = 5;
const field = document.getElementById("question");
const state = document.getElementById("status");
const list = document.getElementById("answers");
let timer = 0;
let asking = null; // stops the request that is under way
let visible = ""; // the answers in the list, as they came

const logged = document.documentElement.dataset.logged === "true";
document.getElementById("logged").hidden = !logged;
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(false);
});
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => ask(true), WAIT);
});
document.addEventListener("keydown", move);

async function ask(draft) {
  clearTimeout(timer);
  if (asking) asking.abort(); // its answer would be outdated
  const question = field.value.trim();
  if (!question) {
    asking = null;
    clear("");
    return;
  }
  const mine = new AbortController();
  asking = mine;
  try {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ question, count: COUNT, draft });
    const options = { method: "POST", headers, body, signal: mine.signal };
    const response = await fetch("api/ask", options);
    const found = await response.json();
    if (asking !== mine) return;
    if (response.ok) show(found);
    else clear(found.error);
  } catch (error) {
    if (asking === mine) clear("The server does not answer. Is it still running?");
  }
}

function clear(text) {
  list.replaceChildren();
  visible = "";
  say(text, false);
}

function say(text, unknown) {
  state.textContent = text;
  state.classList.toggle("unknown", unknown);
}

function show(found) {
  const now = JSON.stringify(found);
  if (now === visible) return; // the same answers stay, with what was opened in them
  visible = now;
  list.replaceChildren(...found.answers.map((answer) => item(found, answer)));
  if (isAnswered(found)) {
    const best = found.answers[0].question;
    const answers = found.answers.length === 1 ? "1 answer" : found.answers.length + " answers";
    say(`${found.known ? "" : "Likely: "}${answers}. Best: ${best}`, false);
  } else {
    say("No answer is good enough. The nearest entries follow.", true);
  }
}

function item(found, answer) {
  const texts = [element("h2", answer.question), element("p", "", ...linked(answer.answer))];
  const shown = element("li", "", ...texts, why(found, answer));
  shown.tabIndex = -1;
  shown.classList.toggle("below", isBelow(found, answer));
  for (const text of shown.querySelectorAll("h2, p, dd")) text.dir = "auto";
  return shown;
}

function linked(text) {
  // Addresses of the web alone become links; all else stays text.
  return text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/).map((part, place) => {
    if (place % 2 === 0) return part;
    const link = element("a", part);
    link.href = part;
    link.rel = "noopener noreferrer";
    return link;
  });
}

function isAnswered(found) {
  return found.known || (found.likely && found.threshold === null);
}

function isBelow(found, answer) {
  const least = found.threshold === null ? found.floor : found.threshold.score;
  return !isAnswered(found) || answer.score < least;
}

function why(found, answer) {
  const facts = element("dl", "");
  fact(facts, `Matched ${answer.matched_kind}`, answer.matched_text);
  fact(facts, "Score", `${answer.score.toFixed(3)} (${found.ranking})`);
  if (found.threshold === null) fact(facts, "Threshold", "none");
  else fact(facts, "Threshold", threshold(found.threshold));
  fact(facts, "Floor", found.floor.toFixed(3));
  fact(facts, "Entry", answer.id);
  return element("details", "", element("summary", "Why this answer?"), facts);
}

function threshold(given) {
  const precision = (100 * given.precision).toFixed(0);
  return `${given.score.toFixed(3)} (${precision} % right above it)`;
}

function fact(facts, name, value) {
  facts.append(element("dt", name), element("dd", value));
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.textContent = text; // never as HTML
  made.append(...children);
  return made;
}

function move(event) {
  if (event.key === "Escape") {
    field.focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  const stops = [field, ...list.children];
  const now = stops.findIndex((stop) => stop.contains(document.activeElement));
  const next = stops[Math.min(Math.max(now + step, 0), stops.length - 1)];
  if (now < 0 || next === stops[now]) return;
  event.preventDefault();
  next.focus();
}
