// Sorts a table by a column: a button in each heading, for mouse and keyboard. The page works without it.
"use strict";
for (const table of document.querySelectorAll("table[data-sort]")) {
  const head = table.tHead.rows[table.tHead.rows.length - 1];
  [...head.cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    while (cell.firstChild) button.append(cell.firstChild);
    cell.append(button);
    button.addEventListener("click", () => sort(table, head, cell, column));
  });
}

function sort(table, head, cell, column) {
  const up = cell.getAttribute("aria-sort") === "descending";
  const groups = [...table.tBodies];           // each row keeps what it unfolds to
  const value = group => {
    const text = group.rows[0].cells[column]?.dataset.order ?? "";
    return text === "" ? NaN : isNaN(text) ? text : Number(text);
  };
  groups.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
    return up ? order : -order;
  });
  for (const other of head.cells) other.removeAttribute("aria-sort");
  cell.setAttribute("aria-sort", up ? "ascending" : "descending");
  table.append(...groups);
}
