// Runs in the reader's browser, on every page of /docs: samples, and search.

const { finder, search } = document.currentScript.dataset;

const languageKey = "disburse-docs-language";
const languageNames = { curl: "curl", typescript: "TypeScript", python: "Python", go: "Go" };

/** Returns the reader's choice. The default is curl if the browser stores nothing for us. */
function storedLanguage() {
  try {
    return localStorage.getItem(languageKey) ?? "curl";
  } catch {
    return "curl";
  }
}

/** Shows the samples under `root` in a language, if they have it. */
function showLanguage(language, root = document) {
  for (const figure of root.querySelectorAll(".sample:has(.languages)")) {
    const codes = [...figure.querySelectorAll("pre")];
    if (!codes.some((code) => code.dataset.language === language)) continue;
    for (const code of codes) code.hidden = code.dataset.language !== language;
    for (const tab of figure.querySelectorAll(".languages button")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.language === language));
    }
  }
}

function chooseLanguage(tab) {
  const { top } = tab.getBoundingClientRect();
  showLanguage(tab.dataset.language);
  // Samples above have changed their height. Keep the clicked one in place.
  scrollBy(0, tab.getBoundingClientRect().top - top);
  try {
    localStorage.setItem(languageKey, tab.dataset.language);
  } catch {
    // Without storage, the choice lasts only for this page.
  }
}

async function copy(button) {
  const code = button.closest(".sample").querySelector("pre:not([hidden])");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // The clipboard API fails over plain http, or if the reader forbids it.
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
    getSelection().empty();
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 2000);
}

document.addEventListener("click", ({ target }) => {
  const tab = target.closest(".languages button");
  if (tab !== null) chooseLanguage(tab);
  const button = target.closest(".sample .copy");
  if (button !== null) void copy(button);
});

function elementOf(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Builds a sample as in the guides, in the chosen language. */
function figureOf(sample) {
  const tabs = Object.keys(sample).map((language) =>
    elementOf("button", { type: "button", "data-language": language }, languageNames[language]),
  );
  const codes = Object.entries(sample).map(([language, text]) => {
    const shown = text.replaceAll("{origin}", location.origin);
    const attributes = { "data-language": language, tabindex: "0" };
    return elementOf("pre", attributes, elementOf("code", {}, shown));
  });
  const group = elementOf("div", { class: "languages", role: "group", "aria-label": "Language" });
  group.append(...tabs);
  const button = elementOf("button", { type: "button", class: "copy" }, "Copy");
  const holder = elementOf("div", {}, elementOf("figure", { class: "sample" }, group, button));
  holder.firstChild.append(...codes);
  showLanguage("curl", holder);
  showLanguage(storedLanguage(), holder);
  return holder.firstChild;
}

// For reference.js, which shows the samples of operations.
window.docs = { elementOf, figureOf };

for (const origin of document.querySelectorAll(".origin")) origin.textContent = location.origin;
showLanguage(storedLanguage());

const input = document.getElementById("search");
const found = document.getElementById("found");
const index = document.querySelector(".index details");
const status = document.querySelector(".index .status");
const resultsMax = 12;

let searching;

/** Loads the search engine and its data when a reader starts to search. */
function engine() {
  searching ??= Promise.all([fetch(search).then((answer) => answer.json()), load(finder)]).then(
    ([entries]) => {
      const mini = new window.MiniSearch({
        fields: ["title", "text"],
        storeFields: ["title", "kind", "href"],
        searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.2, combineWith: "AND" },
      });
      mini.addAll(entries);
      return mini;
    },
  );
  searching.catch(() => {
    searching = undefined;
  });
  return searching;
}

function load(path) {
  return new Promise((resolve, reject) => {
    const script = elementOf("script", { src: path });
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}

async function find() {
  const words = input.value.trim();
  let mini;
  try {
    mini = words === "" ? undefined : await engine();
  } catch {
    status.textContent = "The search could not be loaded. Type again to try once more.";
    return;
  }
  if (words !== input.value.trim()) return;
  const results = mini?.search(words).slice(0, resultsMax) ?? [];
  found.replaceChildren(
    ...results.map(({ title, kind, href }) => {
      const label = elementOf("span", { class: "kind" }, kind);
      return elementOf("li", {}, elementOf("a", { href }, title, label));
    }),
  );
  found.hidden = results.length === 0;
  index.hidden = words !== "";
  status.textContent = words !== "" && results.length === 0 ? "Nothing found." : "";
}

input.addEventListener("input", find);
input.addEventListener("focus", engine, { once: true });
input.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]") !== null;
  if (event.key === "Escape" && event.target === input) {
    input.value = "";
    void find();
  }
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});

if (matchMedia("(max-width: 60rem)").matches) index.removeAttribute("open");
