const data = JSON.parse(document.getElementById("data").textContent);
const view = { from: 0, to: 1 };
const timeline = document.getElementById("timeline");
const tip = document.getElementById("tip");
const PLOT_LEFT = 150, PLOT_WIDTH = 830;
const zoomed = [...document.querySelectorAll("svg.zoomed")];
const placed = [...document.querySelectorAll("#timeline .at")];
const ticks = [...document.querySelectorAll(".tick")];
const asDrawn = ticks.map(tick => tick.textContent);
const onZoom = [];

function lengthOf(seconds) {
  let left = Math.round(seconds);
  if ((view.to - view.from) * data.scale.length < 10 && seconds !== left) return seconds.toFixed(2) + "s";
  const parts = [];
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "m"]])
    if (left >= size) { parts.push(Math.floor(left / size) + unit); left %= size; }
  if (left || !parts.length) parts.push(left + "s");
  return parts.slice(0, 2).join(" ");
}
function momentOf(share) {
  const at = share * data.scale.length;
  return data.scale.timed ? lengthOf(Math.max(at, 0)) : Math.round(at + data.scale.start).toLocaleString("en");
}
function clockOf(at) {
  return new Date((data.scale.start + at) * 1000).toISOString().slice(0, 19).replace("T", " ");
}
function zoom(from, to) {
  const length = Math.min(Math.max(to - from, 1e-6), 1);
  view.from = Math.min(Math.max(from, 0), 1 - length);
  view.to = view.from + length;
  for (const plot of zoomed) {
    const height = plot.viewBox.baseVal.height;
    plot.setAttribute("viewBox", `${view.from * PLOT_WIDTH} 0 ${length * PLOT_WIDTH} ${height}`);
  }
  for (const mark of placed) {
    const at = (Number(mark.dataset.at) - view.from) / length;
    const y = mark.transform.baseVal.getItem(0).matrix.f;
    mark.setAttribute("transform", `translate(${(PLOT_LEFT + at * PLOT_WIDTH).toFixed(1)} ${y})`);
    mark.style.display = at < 0 || at > 1 ? "none" : "";
  }
  for (const [number, tick] of ticks.entries())
    tick.textContent = length === 1 ? asDrawn[number] : momentOf(view.from + Number(tick.dataset.at) * length);
  for (const told of onZoom) told();
}
function move(how) {
  const length = view.to - view.from, middle = view.from + length / 2;
  if (how === "in") zoom(middle - length / 4, middle + length / 4);
  if (how === "out") zoom(middle - length, middle + length);
  if (how === "left") zoom(view.from - length / 4, view.to - length / 4);
  if (how === "right") zoom(view.from + length / 4, view.to + length / 4);
  if (how === "whole") zoom(0, 1);
}
function shareAt(clientX) {
  const box = timeline.querySelector("svg").getBoundingClientRect();
  const x = (clientX - box.left) / box.width * (PLOT_LEFT + PLOT_WIDTH + 20);
  return view.from + Math.min(Math.max((x - PLOT_LEFT) / PLOT_WIDTH, 0), 1) * (view.to - view.from);
}
function shape(kind, name) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  made.setAttribute("class", name);
  made.setAttribute("y", 0); made.setAttribute("height", "100%");
  timeline.querySelector("svg.zoomed").append(made);
  return made;
}
function sayAt(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6);
  tip.style.left = Math.max(left, 6) + "px";
  tip.style.top = (event.clientY + 20 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 20) + "px";
}
function spanSaid(span) {
  const [worker, phase, from, to, source, first, last] = span;
  const when = data.scale.timed && from !== null ? `\n${clockOf(from)} · ${lengthOf(to - from)}` : "";
  return `${data.workers[worker]} · ${data.phases[phase]}${when}\n${data.sources[source]}:${first}–${last}`;
}
let cursor = null;
function pointTo(at) {
  if (!timeline || at === null) return;
  cursor = cursor || shape("line", "cursor");
  const x = at / data.scale.length * PLOT_WIDTH;
  for (const end of ["x1", "x2"]) cursor.setAttribute(end, x);
  cursor.setAttribute("y1", 0); cursor.setAttribute("y2", "100%");
}
if (timeline) {
  let begun = null, band = null;
  timeline.addEventListener("pointerdown", event => { if (event.button === 0 && event.pointerType !== "touch") begun = event.clientX; });
  timeline.addEventListener("pointermove", event => {
    if (begun !== null && Math.abs(event.clientX - begun) > 4) {
      band = band || shape("rect", "band");
      const [from, to] = [shareAt(begun), shareAt(event.clientX)].sort((a, b) => a - b);
      band.setAttribute("x", from * PLOT_WIDTH); band.setAttribute("width", (to - from) * PLOT_WIDTH);
    }
    const number = event.target.dataset && event.target.dataset.i;
    sayAt(event, number === undefined ? momentOf(shareAt(event.clientX)) : spanSaid(data.spans[Number(number)]));
  });
  timeline.addEventListener("pointerleave", () => { tip.hidden = true; });
  addEventListener("pointerup", event => {
    if (begun !== null && band) {
      const [from, to] = [shareAt(begun), shareAt(event.clientX)].sort((a, b) => a - b);
      band.remove();
      zoom(from, to);
      addEventListener("click", caught => caught.stopPropagation(), { capture: true, once: true });
      setTimeout(() => { band = null; }, 0);
    }
    begun = null;
  });
  timeline.addEventListener("click", event => {
    const number = event.target.dataset && event.target.dataset.i;
    if (number === undefined || band || !globalThis.showLine) return;
    const [worker, phase, from, to, source, first] = data.spans[Number(number)];
    showLine(source, first);
  });
  timeline.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const at = shareAt(event.clientX), by = event.deltaY < 0 ? 0.8 : 1.25;
    zoom(at - (at - view.from) * by, at + (view.to - at) * by);
  }, { passive: false });
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "whole" };
  timeline.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    move(keys[event.key]);
  });
  for (const button of document.querySelectorAll("button[data-zoom]")) button.addEventListener("click", () => move(button.dataset.zoom));
}
const ranks = document.getElementById("ranks");
if (ranks) {
  const cellOf = event => event.target.closest("g[data-worker]");
  ranks.addEventListener("pointermove", event => { const cell = cellOf(event); if (cell) sayAt(event, cell.querySelector("title").textContent); else tip.hidden = true; });
  ranks.addEventListener("pointerleave", () => { tip.hidden = true; });
  ranks.addEventListener("click", event => { const cell = cellOf(event); if (cell && globalThis.showWorker) showWorker(cell.dataset.worker); });
}
