"use strict";
(() => {
  const root = document.documentElement, $ = (id) => document.getElementById(id);

  // Light and dark: the system's choice until the button is used.
  const theme = $("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const tell = () => theme.setAttribute("aria-pressed", isDark());
  theme.onclick = () => { root.dataset.theme = isDark() ? "light" : "dark"; tell(); };
  dark.onchange = tell;
  tell();

  const body = document.querySelector(".scenarios tbody");
  if (!body) return;
  const rows = [...body.querySelectorAll(".row")];

  // Everything that came from outside becomes a text node.
  const element = (name, className, ...children) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  const segment = ([text, tone, why]) => {
    if (tone === undefined) return text;
    if (tone === "code") return element("code", "", text);
    const mark = element(why ? "mark" : "span", tone, text);
    if (why) mark.title = why;
    return mark;
  };
  const cell = (content) => typeof content === "string" ? [content] : content.map(segment);
  const line = (name, cells, head = []) => element("tr", "", ...cells.map((content, number) => {
    const made = element(name, "", ...cell(content));
    made.dir = "auto";
    if (name === "th") made.scope = "col";
    if (cells.length === 1) made.colSpan = 9;
    else if (head[number]) made.dataset.label = head[number];  // what it is called where the style stacks cells
    return made;
  }));
  const blocks = {
    text: (segments) => {
      const made = element("div", "says", ...segments.map(segment));
      made.dir = "auto";
      made.tabIndex = 0;
      made.setAttribute("role", "group");
      return made;
    },
    names: (names) => element("ul", "names", ...names.map(([text, tone, why]) => {
      const item = element("li", tone, text);
      if (why) item.append(element("span", "dim", ` ${why}`));
      return item;
    })),
    code: (text) => element("code", "command", text),
    table: (head, lines) => {
      const table = element("table", head.length ? "stacks" : "");
      if (head.length) table.append(element("thead", "", line("th", head)));
      table.append(element("tbody", "", ...lines.map((cells) => line("td", cells, head))));
      const scroll = element("div", "scroll", table);
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "group");
      return scroll;
    },
  };
  const narrow = matchMedia("(max-width: 640px)"), columns = () => narrow.matches ? 3 : 5;  // as the style hides them
  const detail = (row) => {
    const made = element("td");
    made.colSpan = columns();
    for (const [title, content, level] of JSON.parse($(`d${row.id.slice(1)}`).textContent)) {
      made.append(element(level === "inner" ? "h4" : "h3", level, title));
      for (const [kind, ...rest] of content) {
        const block = blocks[kind](...rest);
        if (block.tabIndex === 0) block.setAttribute("aria-label", title);
        made.append(block);
      }
    }
    const line = element("tr", "detail", made);
    line.id = `o${row.id.slice(1)}`;
    return line;
  };

  // A scenario is drawn when it is opened.
  const opened = new Map();
  narrow.onchange = () => opened.forEach((line) => { line.firstChild.colSpan = columns(); });
  const button = (row) => row.querySelector(".open");
  const set = (row, open) => {
    if (open && !opened.has(row)) {
      opened.set(row, detail(row));
      button(row).setAttribute("aria-controls", opened.get(row).id);
    }
    if (open) row.after(opened.get(row)); else opened.get(row)?.remove();
    button(row).setAttribute("aria-expanded", open);
  };
  const isOpen = (row) => button(row).getAttribute("aria-expanded") === "true";
  body.onclick = (event) => {
    const row = event.target.closest(".row");
    if (row && (event.target.closest(".open") || !String(getSelection()))) set(row, !isOpen(row));
  };

  // A link to a scenario opens it, whatever the filters hide.
  const follow = () => {
    const row = /^#s\d+$/.test(location.hash) && $(location.hash.slice(1));
    if (!row) return;
    showAll();
    set(row, true);
    button(row).focus();
  };
  onhashchange = follow;

  // Filters.
  const words = new Map(rows.map((row) => [row, `${row.textContent} ${row.dataset.more}`.toLowerCase()]));
  const text = $("text"), category = $("category"), choices = [...document.querySelectorAll(".choices button")];
  let status = "";
  const filter = () => {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = (!status || row.dataset.status === status)
        && (!category?.value || row.dataset.category === category.value)
        && wanted.every((word) => words.get(row).includes(word));
      row.hidden = !fits;
      if (isOpen(row)) opened.get(row).hidden = !fits;
      count += fits;
    }
    $("shown").textContent = `${count} of ${rows.length} shown`;
    $("none").hidden = count > 0;
  };
  const choose = (value) => {
    status = value;
    for (const choice of choices) choice.setAttribute("aria-pressed", choice.dataset.status === value);
    filter();
  };
  for (const choice of choices) choice.onclick = () => choose(choice.dataset.status);
  text.oninput = filter;
  if (category) category.onchange = filter;
  const showAll = () => { text.value = ""; if (category) category.value = ""; choose(""); };
  $("reset").onclick = showAll;
  const most = 200;  // more of them would take the browser seconds, and a printer a ream
  $("unfold").onclick = () => {
    const shown = rows.filter((row) => !row.hidden).slice(0, most), open = !shown.every(isOpen);
    for (const row of shown) set(row, open);
    $("unfold").textContent = open ? "Close all shown" : "Open all shown";
  };
  follow();

  // Sorting: by number where it is one; what has no value comes last.
  const sortable = (text) => text === "" ? NaN : isNaN(text) ? text : Number(text);
  const value = (row, key) => sortable(key === "rank" ? row.id.slice(1) : row.dataset[key]);
  for (const sort of document.querySelectorAll(".sort")) {
    sort.onclick = () => {
      const head = sort.closest("th"), up = head.getAttribute("aria-sort") !== "ascending", of = (row) => value(row, sort.dataset.key);
      for (const other of document.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : (a < b) === up ? -1 : 1;
      const sorted = [...rows].sort((a, b) => order(of(a), of(b)));
      body.append(...sorted.flatMap((row) => isOpen(row) ? [row, opened.get(row)] : [row]));
    };
  }
})();
