const log = document.getElementById("log");
if (log) {
  const ROW = 22, BEYOND = 20;
  const box = document.getElementById("log-view"), rows = document.getElementById("log-rows");
  const chosenWorker = document.getElementById("log-worker"), find = document.getElementById("log-find");
  const loud = document.getElementById("log-loud"), inWindow = document.getElementById("log-window");
  const count = data.text.length;
  const digits = String(Math.max(...data.line.slice(-1), 1)).length;
  const folded = new Set();
  const groupOf = new Int32Array(count);
  const groups = [];
  for (let i = 0; i < count; i++) {
    if (!i || data.source[i] !== data.source[i - 1] || data.phase[i] !== data.phase[i - 1]) groups.push({ first: i });
    groupOf[i] = groups.length - 1;
  }
  const evidence = Object.keys(data.marks).map(Number).sort((a, b) => a - b);
  let lower = null, shown = [], chosen = null, widest = 0;
  const sizes = new Int32Array(groups.length);

  const names = [...data.workers.entries()].sort((a, b) => a[1].localeCompare(b[1], "en", { numeric: true }));
  for (const [number, name] of names) chosenWorker.append(new Option(name, number));

  // What is shown: a line by its number, the head of a group by -1 minus its number.
  function filter() {
    const worker = chosenWorker.value === "" ? -1 : Number(chosenWorker.value);
    const word = find.value.toLowerCase();
    if (word && !lower) lower = data.text.map(text => text.toLowerCase());
    const from = view.from * data.scale.length, to = view.to * data.scale.length;
    sizes.fill(0);
    const kept = [];
    for (let i = 0; i < count; i++) {
      if (worker >= 0 && data.worker[i] !== worker) continue;
      if (loud.checked && !data.level[i]) continue;
      if (inWindow.checked && (data.time[i] === null || data.time[i] < from || data.time[i] > to)) continue;
      if (word && !lower[i].includes(word)) continue;
      sizes[groupOf[i]]++;
      kept.push(i);
    }
    shown = [];
    let group = -1;
    for (const i of kept) {
      if (groupOf[i] !== group) { group = groupOf[i]; shown.push(-1 - group); }
      if (!folded.has(group)) shown.push(i);
    }
    document.getElementById("log-count").textContent = `${kept.length.toLocaleString("en")} / ${count.toLocaleString("en")}`;
    rows.style.height = shown.length * ROW + "px";
    draw(true);
  }
  function rowOf(place) {
    const item = shown[place], row = document.createElement("div");
    row.id = "log-row-" + place;
    row.className = "row";
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", shown.length);
    row.setAttribute("aria-posinset", place + 1);
    row.setAttribute("aria-selected", String(item === chosen));
    row.style.top = place * ROW + "px";
    if (item === chosen) row.classList.add("chosen");
    if (item < 0) {
      const group = -1 - item, first = groups[group].first;
      row.classList.add("fold");
      row.setAttribute("aria-expanded", String(!folded.has(group)));
      row.style.borderLeftColor = data.colors[data.phase[first]];
      row.textContent = `${folded.has(group) ? "▸" : "▾"} ${data.sources[data.source[first]]} · ${data.phases[data.phase[first]] || "…"} · ${sizes[group].toLocaleString("en")}`;
      return row;
    }
    row.style.borderLeftColor = data.colors[data.phase[item]];
    if (data.level[item]) row.classList.add("loud" + data.level[item]);
    if (item in data.marks) row.classList.add("mark");
    const head = document.createElement("span");
    head.className = "dim";
    head.textContent = `${item in data.marks ? "▶" : " "}${String(data.line[item]).padStart(digits)} ${data.workers.length > 1 ? data.workers[data.worker[item]] + " " : ""}`;
    row.append(head, data.text[item]);
    return row;
  }
  let drawn = [-1, -1];
  function draw(anew) {
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - BEYOND);
    const to = Math.min(shown.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + BEYOND);
    if (!anew && from === drawn[0] && to === drawn[1]) return;
    drawn = [from, to];
    if (anew) widest = 0;
    const made = [];
    for (let place = from; place < to; place++) made.push(rowOf(place));
    rows.replaceChildren(...made);
    widest = Math.max(widest, ...made.map(row => row.scrollWidth));
    rows.style.width = widest + "px";
    const place = shown.indexOf(chosen);
    if (place >= from && place < to) box.setAttribute("aria-activedescendant", "log-row-" + place);
    else box.removeAttribute("aria-activedescendant");
  }
  function choose_(item, centered) {
    chosen = item;
    const place = shown.indexOf(item);
    const top = place * ROW;
    if (centered) box.scrollTop = top - box.clientHeight / 2;
    else if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    draw(true);
    if (item >= 0) tell(item);
  }
  function tell(item) {
    const one = document.getElementById("log-one"), head = document.createElement("div"), text = document.createElement("pre");
    head.className = "dim";
    const when = data.scale.timed && data.time[item] !== null ? " · " + clockOf(data.time[item]) : "";
    head.textContent = `${data.sources[data.source[item]]}:${data.line[item]} · ${data.workers[data.worker[item]]}${when}${data.phase[item] ? " · " + data.phases[data.phase[item]] : ""}`;
    if (item in data.marks) {
      const link = document.createElement("a");
      link.href = "#" + data.marks[item];
      link.textContent = "▶";
      link.setAttribute("aria-label", "evidence");
      head.append(" ", link);
    }
    text.textContent = data.text[item];
    one.replaceChildren(head, text);
    pointTo(data.time[item]);
  }
  function turn(group) {
    if (folded.has(group)) folded.delete(group); else folded.add(group);
    filter();
  }
  function reveal(item) {
    folded.delete(groupOf[item]);
    if (!shown.includes(item)) {
      chosenWorker.value = ""; find.value = ""; loud.checked = false; inWindow.checked = false;
      filter();
    }
    log.open = true;
    choose_(item, true);
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "center" });
  }
  globalThis.showLine = (source, line) => {
    let best = -1;
    for (let i = 0; i < count; i++) if (data.source[i] === source && data.line[i] <= line) best = i;
    if (best >= 0) reveal(best);
  };
  globalThis.showWorker = name => {
    chosenWorker.value = String(data.workers.indexOf(name));
    filter();
    log.open = true;
    box.scrollTop = box.scrollHeight;
    box.scrollIntoView({ block: "center" });
  };
  let waiting = 0;
  const later = () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); };
  find.addEventListener("input", later);
  for (const input of [chosenWorker, loud, inWindow]) input.addEventListener("change", filter);
  onZoom.push(() => { if (inWindow.checked) later(); });
  let frame = 0;
  box.addEventListener("scroll", () => { frame = frame || requestAnimationFrame(() => { frame = 0; draw(false); }); }, { passive: true });
  addEventListener("resize", () => draw(true));
  log.addEventListener("toggle", () => draw(true));
  rows.addEventListener("click", event => {
    const row = event.target.closest(".row");
    if (!row) return;
    const item = shown[Number(row.id.slice(8))];
    if (item < 0) turn(-1 - item); else if (!getSelection().toString()) choose_(item, false);
  });
  function nextEvidence() {
    if (evidence.length) reveal(evidence.find(item => item > (chosen ?? -1)) ?? evidence[0]);
  }
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !shown.length) return;
    const page = Math.max(1, Math.floor(box.clientHeight / ROW) - 1), place = shown.indexOf(chosen);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: shown.length - 1 }[event.key];
    if (to !== undefined) choose_(shown[Math.min(Math.max(to, 0), shown.length - 1)], false);
    else if ((event.key === "Enter" || event.key === " ") && place >= 0) { if (chosen < 0) turn(-1 - chosen); else choose_(-1 - groupOf[chosen], false); }
    else if (event.key === "e") nextEvidence();
    else return;
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("button[data-log]"))
    button.addEventListener("click", () => {
      if (button.dataset.log === "evidence") return nextEvidence();
      folded.clear();
      if (button.dataset.log === "fold") groups.forEach((_, group) => folded.add(group));
      filter();
    });
  for (const link of document.querySelectorAll("a[data-line]"))
    link.addEventListener("click", event => {
      event.preventDefault();
      showLine(data.sources.indexOf(link.dataset.source), Number(link.dataset.line));
    });
  filter();
}
