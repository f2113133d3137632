// Runs in the reader's browser: copies samples, and opens the form that tries an operation.

/** The origin in the samples, as the script that wrote the pages has it. */
const sandboxOrigin = "http://127.0.0.1:8080";

const content = document.querySelector(".sl-markdown-content");

function buttonOf(text, onClick) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: text });
  button.addEventListener("click", () => onClick(button));
  return button;
}

function showOrigin(pre) {
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.data.includes(sandboxOrigin)) continue;
    text.data = text.data.replaceAll(sandboxOrigin, location.origin);
  }
}

async function copy(pre, button) {
  try {
    await navigator.clipboard.writeText(pre.textContent);
  } catch {
    // The clipboard API fails over plain http, or if the reader forbids it.
    getSelection().selectAllChildren(pre);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
}

// What scrolls must be in reach of the keyboard.
for (const each of content?.querySelectorAll("pre, table") ?? []) each.tabIndex = 0;

for (const pre of content?.querySelectorAll("pre") ?? []) {
  showOrigin(pre);
  pre.before(buttonOf("Copy", (button) => copy(pre, button)));
}

const route = content?.querySelector("p:first-child > code:only-child");
const [, method, path] = /^([A-Z]+) (\/api\/\S+)$/.exec(route?.textContent ?? "") ?? [];
if (method !== undefined) {
  const button = buttonOf("Try it in the sandbox", async () => {
    const { openTrial } = await import("./try.js");
    openTrial(button, { method, path, content });
  });
  button.className = "try";
  route.parentElement.after(button);
}
