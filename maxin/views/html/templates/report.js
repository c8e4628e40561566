"use strict";
(() => {
  const board = document.querySelector("table.board");
  const body = board.tBodies[0];
  const atFirst = [...body.rows]; // the first page, as it was sent
  const pattern = atFirst[0];
  const shown = atFirst.filter((row) => !row.matches(".below"));

  // A row: its place, the text to search, the text of each cell, and the element, made when needed.
  const sent = (element, place) => ({
    place,
    text: element.cells[1].textContent.toLowerCase(),
    cells: [...element.cells].map((cell) => (cell.querySelector("bdi") ?? cell).textContent),
    element,
  });
  const stored = ([kind, rank, name, options, ends, title, ...cells], place) => ({
    place,
    text: `${name} ${options}`.toLowerCase(),
    cells: [rank, name, "", ...cells],
    kind, options, ends, title,
  });
  const made = (row) => {
    const element = pattern.cloneNode(true);
    element.className = row.kind;
    row.cells.forEach((text, i) => { if (i !== 1 && i !== 2) element.cells[i].textContent = text; });
    const name = element.querySelector(".name");
    name.title = name.firstChild.textContent = row.cells[1];
    element.querySelector(".options")?.remove();
    if (row.options) {
      const line = document.createElement("small");
      line.className = "options";
      line.title = row.options;
      line.append(document.createElement("bdi"));
      line.firstChild.textContent = row.options;
      name.after(line);
    }
    const svg = element.querySelector("svg");
    const [low, middle, high] = row.ends.map((place) => `${place}%`);
    svg.querySelector("title").textContent = row.title;
    const line = svg.querySelector("line:not(.zero)");
    line.setAttribute("x1", low);
    line.setAttribute("x2", high);
    svg.querySelector("circle").setAttribute("cx", middle);
    return element;
  };
  const players = document.getElementById("players");
  const rows = players ? JSON.parse(players.textContent).map(stored) : shown.map(sent);

  // The rows that are found, in order, a page at a time; the first page is as it was sent.
  const nBest = atFirst.findIndex((row) => row.matches(".below"));
  const pageSize = nBest > 0 ? nBest : shown.length;
  let words = [], order = null, page = 0;
  const tools = document.querySelector(".tools");
  const fold = document.querySelector("input.fold");
  const turning = document.querySelector(".pages");
  const show = () => {
    const found = rows.filter((row) => words.every((word) => row.text.includes(word)));
    if (order) found.sort(order);
    const nPages = Math.max(1, Math.ceil(found.length / pageSize));
    page = Math.min(page, nPages - 1);
    const isFirst = !order && page === 0 && found.length === rows.length;
    const here = found.slice(page * pageSize, (page + 1) * pageSize);
    if (fold && !isFirst) fold.checked = true; // what is found is shown
    body.replaceChildren(...(isFirst ? atFirst : here.map((row) => (row.element ??= made(row)))));
    if (tools) {
      const few = found.length < rows.length;
      const [part, all] = [found, rows].map((some) => some.length.toLocaleString("en"));
      tools.querySelector("output").textContent = few ? `${part} of ${all}` : "";
    }
    if (turning) {
      const [back, on] = turning.querySelectorAll("button");
      back.disabled = page === 0;
      on.disabled = page === nPages - 1;
      turning.hidden = nPages === 1;
      turning.querySelector("output").textContent = `Page ${page + 1} of ${nPages}`;
    }
  };

  // Search: the rows whose name or options hold every word.
  if (tools) {
    tools.hidden = false;
    tools.querySelector("input").addEventListener("input", (event) => {
      words = event.target.value.toLowerCase().split(/\s+/);
      page = 0;
      show();
    });
  }
  if (turning) {
    turning.querySelectorAll("button").forEach((button, i) => {
      button.addEventListener("click", () => { page += i ? 1 : -1; show(); });
    });
    show();
  }

  // Sort: numbers start with the largest, ranks and words with the smallest; a second click
  // turns that around. Rows without a value stay last, and equal ones are in the first order.
  const collator = new Intl.Collator(undefined, { numeric: true });
  const value = (text) => parseFloat(text.replace("\u2212", "-").replace(/[^\d.-]/g, ""));
  for (const head of board.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const column = head.cellIndex, isWords = head.matches(".words");
    button.addEventListener("click", () => {
      const first = head.dataset.sort;
      const other = first === "ascending" ? "descending" : "ascending";
      const now = head.getAttribute("aria-sort") === first ? other : first;
      board.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", now);
      const sign = now === "ascending" ? 1 : -1, turned = now === first ? 1 : -1;
      const keys = rows.map((row) => (isWords ? row.cells[column] : value(row.cells[column])));
      const compare = (one, two) => {
        const [a, b] = [keys[one.place], keys[two.place]];
        if (isWords) return sign * collator.compare(a, b) || turned * (one.place - two.place);
        return isNaN(a) - isNaN(b) || sign * (a - b) || turned * (one.place - two.place);
      };
      order = column === 0 && turned === 1 ? null : compare; // by rank, they are as they were sent
      page = 0;
      show();
    });
  }

  // Names of a pair under the pointer, or under a finger, below each table and map of pairs.
  const names = shown.map((row) => row.querySelector("bdi").textContent);
  const named = shown.map((row, i) => `${row.cells[0].textContent || i + 1}. ${names[i]}`);
  const pair = (i, j) => (i === j ? names[i] : `${named[i]} – ${named[j]}`);
  for (const line of document.querySelectorAll(".pointed")) {
    const map = line.parentElement.querySelector("svg.map, table.cross");
    const point = (event) => {
      let text = "";
      if (map.tagName === "TABLE") {
        const cell = event.target.closest("td:not(.rank)");
        if (cell) text = cell.title || pair(cell.parentElement.rowIndex - 1, cell.cellIndex - 2);
      } else {
        const box = map.getBoundingClientRect();
        const j = Math.floor(((event.clientX - box.left) / box.width) * named.length);
        const i = Math.floor(((event.clientY - box.top) / box.height) * named.length);
        const title = event.target.querySelector("title");
        const known = title && event.target !== map ? title.textContent : "";
        if (i in named && j in named) text = known || pair(i, j);
      }
      if (text) line.textContent = text;
    };
    map.addEventListener("pointermove", point);
    map.addEventListener("pointerdown", point);
  }
})();
