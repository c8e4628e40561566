"use strict";
(() => {
  const board = document.querySelector("table.board");
  const body = board.tBodies[0];
  const rows = [...body.rows];
  const names = rows.map((row) => row.querySelector("bdi").textContent);

  // Search: the rows whose name or options hold every word.
  const tools = document.querySelector(".tools");
  if (tools) {
    const found = tools.querySelector("output");
    const texts = rows.map((row) => row.querySelector("th").textContent.toLowerCase());
    tools.hidden = false;
    tools.querySelector("input").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/);
      rows.forEach((row, i) => { row.hidden = !words.every((word) => texts[i].includes(word)); });
      const shown = rows.filter((row) => !row.hidden).length;
      found.textContent = shown < rows.length ? `${shown} of ${rows.length}` : "";
    });
  }

  // Sort: numbers start with the largest, ranks and words with the smallest; a second click
  // turns that around. Cells without a value stay last.
  const value = (row, column) => row.cells[column].dataset.value;
  const compare = (one, two) => (isNaN(one) || isNaN(two) ? one.localeCompare(two) : one - two);
  for (const head of board.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.sort;
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      board.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const column = head.cellIndex;
      const [known, unknown] = [[], []];
      for (const row of rows) (value(row, column) === undefined ? unknown : known).push(row);
      known.sort((one, two) => sign * compare(value(one, column), value(two, column)));
      body.append(...known, ...unknown);
    });
  }

  // Names of a pair under the pointer, or under a finger, below each table and map of pairs.
  const pair = (i, j) => (i === j ? names[i] : `${i + 1}. ${names[i]} – ${j + 1}. ${names[j]}`);
  for (const line of document.querySelectorAll(".pointed")) {
    const map = line.parentElement.querySelector("svg.map, table.cross");
    const show = (event) => {
      let words = "";
      if (map.tagName === "TABLE") {
        const cell = event.target.closest("td:not(.rank)");
        if (cell) words = cell.title || pair(cell.parentElement.rowIndex - 1, cell.cellIndex - 2);
      } else {
        const box = map.getBoundingClientRect();
        const j = Math.floor(((event.clientX - box.left) / box.width) * names.length);
        const i = Math.floor(((event.clientY - box.top) / box.height) * names.length);
        const title = event.target.querySelector("title");
        const known = title && event.target !== map ? title.textContent : "";
        if (i in names && j in names) words = known || pair(i, j);
      }
      if (words) line.textContent = words;
    };
    map.addEventListener("pointermove", show);
    map.addEventListener("pointerdown", show);
  }
})();
