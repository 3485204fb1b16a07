"use strict";
const WAIT = 150; // milliseconds without a key before a draft is asked
const SETTLED = 3000; // and without an answer, before it is noted that there is none
const COUNT = 5;
const NEAREST = 3; // questions that are shown where there is no answer
const field = document.getElementById("question");
const state = document.getElementById("status");
const list = document.getElementById("answers");
let timer = 0;
let asking = null; // stops the request that is under way
let visible = ""; // the answers in the list, as they came
let noted = ""; // the question that was sent last, and not only typed

const logged = document.documentElement.dataset.logged === "true";
document.getElementById("logged").hidden = !logged;
const none = document.getElementById("none");
none.addEventListener("click", () => ask(field.value.trim() === noted, true));
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(field.value.trim() === noted); // one line of the log for one question
});
field.addEventListener("input", () => {
  clearTimeout(timer);
  noted = "";
  timer = setTimeout(() => ask(true), WAIT);
});
document.addEventListener("keydown", move);
const contact = document.getElementById("contact");
const whom = contact.lastElementChild;
whom.replaceChildren(...linked(whom.textContent));

async function ask(draft, refused = false) {
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
  if (!draft) noted = question; // from here on: a click may come before the answer
  try {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ question, count: COUNT, draft, none: refused });
    const options = { method: "POST", headers, body, signal: mine.signal };
    const response = await fetch("api/ask", options);
    const found = await response.json();
    if (asking !== mine) return;
    if (!response.ok) return clear(found.error);
    show(found);
    if (logged && draft && !found.given) timer = setTimeout(() => ask(false), SETTLED);
    if (!refused) return;
    clear("Thank you: it is noted that none of these answers your question.");
    field.focus();
  } catch (error) {
    if (asking === mine) clear("The server does not answer. Is it still running?");
  }
}

function clear(text) {
  list.replaceChildren();
  none.hidden = contact.hidden = true;
  visible = "";
  say(text, false);
}

function say(text, unknown, unseen = "") {
  state.textContent = text;
  const spoken = element("span", unseen); // what the page shows elsewhere
  spoken.className = "unseen";
  state.append(spoken);
  state.classList.toggle("unknown", unknown);
}

function show(found) {
  const now = JSON.stringify(found);
  if (now === visible) return; // the same answers stay, with what was opened in them
  visible = now;
  const given = found.answers;
  none.hidden = !logged || !given.length;
  contact.hidden = !whom.textContent || given.length > 0;
  if (!given.length) {
    const near = found.nearest.filter((answer) => answer.score > 0).slice(0, NEAREST);
    list.replaceChildren(...near.map((answer) => folded(found, answer)));
    const nearest = near.length ? " The nearest questions:" : "";
    say(`No answer: no entry is close enough to the question.${nearest}`, true);
    return;
  }
  list.replaceChildren(...given.map((answer) => item(found, answer)));
  const answers = given.length === 1 ? "1 answer" : given.length + " answers";
  say(`${found.known ? "" : "Likely: "}${answers}.`, false, ` Best: ${given[0].question}`);
}

function folded(found, answer) {
  const told = element("p", "", ...linked(answer.answer));
  const button = element("summary", answer.question);
  const shown = element("li", "", element("details", "", button, told, why(found, answer)));
  shown.className = "near";
  for (const text of shown.querySelectorAll("summary, p, dd")) text.dir = "auto";
  return shown;
}

function item(found, answer) {
  const texts = [element("h2", answer.question), element("p", "", ...linked(answer.answer))];
  const shown = element("li", "", ...texts, why(found, answer));
  shown.tabIndex = -1;
  for (const text of shown.querySelectorAll("h2, p, dd")) text.dir = "auto";
  return shown;
}

function linked(text) {
  // Addresses of the web and of mail alone become links; all else stays text.
  return text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/).map((part, place) => {
    if (place % 2 === 0) return part;
    const link = element("a", part);
    link.href = part.includes("://") ? part : `mailto:${part}`;
    link.rel = "noopener noreferrer";
    return link;
  });
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
  return `${given.score.toFixed(3)} (of the first answers above it ${precision} % are right)`;
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
  const stops = [field, ...[...list.children].map((shown) => shown.querySelector(".near summary") ?? shown)];
  const now = stops.findIndex((stop) => stop.contains(document.activeElement));
  const next = stops[Math.min(Math.max(now + step, 0), stops.length - 1)];
  if (now < 0 || next === stops[now]) return;
  event.preventDefault();
  next.focus();
}
