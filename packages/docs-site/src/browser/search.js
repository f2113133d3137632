// Runs in the reader's browser: the search in the header of every page.

const input = document.getElementById("search");
const found = document.getElementById("found");
const status = input.form.querySelector("[role=status]");
const resultsMax = 12;

let searching;

/** Loads the search engine and its data when a reader starts to search. */
function engine() {
  searching ??= Promise.all([
    fetch("/docs/search.json").then((answer) => answer.json()),
    import("minisearch"),
  ]).then(([entries, { default: MiniSearch }]) => {
    const mini = new MiniSearch({
      fields: ["title", "text"],
      storeFields: ["title", "group", "href"],
      searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.2, combineWith: "AND" },
    });
    mini.addAll(entries);
    return mini;
  });
  return searching;
}

function resultOf({ title, group, href }) {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = href;
  link.append(title, Object.assign(document.createElement("small"), { textContent: group }));
  return item;
}

async function find() {
  const words = input.value.trim();
  const results = words === "" ? [] : (await engine()).search(words).slice(0, resultsMax);
  if (words !== input.value.trim()) return;
  found.replaceChildren(...results.map(resultOf));
  found.hidden = results.length === 0;
  status.textContent = words === "" ? "" : `${results.length || "No"} results`;
}

input.addEventListener("input", find);
input.addEventListener("focus", engine, { once: true });
input.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select") !== null;
  if (event.key === "Escape") {
    input.value = "";
    void find();
  }
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
