const body = document.body;
function choose(kind, value) {
  for (const name of [...body.classList]) if (name.startsWith("show-") && kind.includes(name.slice(5))) body.classList.remove(name);
  body.classList.add("show-" + value);
  for (const button of document.querySelectorAll("button[data-show]"))
    if (kind.includes(button.dataset.show)) button.setAttribute("aria-pressed", String(button.dataset.show === value));
  if (kind.includes("en")) document.documentElement.lang = value;
}
for (const button of document.querySelectorAll("button[data-show]"))
  button.addEventListener("click", () => choose(["en", "zh"].includes(button.dataset.show) ? ["en", "zh"] : ["bash", "powershell"], button.dataset.show));
for (const button of document.querySelectorAll("button[data-copy]"))
  button.addEventListener("click", async () => {
    const text = button.parentElement.querySelector("pre").textContent;
    const said = document.getElementById("said");
    try { await navigator.clipboard.writeText(text); said.textContent = "copied"; }
    catch { getSelection().selectAllChildren(button.parentElement.querySelector("pre")); said.textContent = "selected"; }
    button.dataset.copy = "done";
  });
function arrive() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", arrive);
arrive();
