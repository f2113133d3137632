// Runs in the reader's browser, once a reader tries an operation.

/** Returns a new key for each request. `crypto.randomUUID` is missing over plain http. */
function freshKey() {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)));
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Indents JSON and keeps each number's digits. As a float, 100.10 would become 100.1. */
function indented(text) {
  if (JSON.rawJSON === undefined) return text;
  try {
    const digits = (_key, value, { source }) =>
      typeof value === "number" ? JSON.rawJSON(source) : value;
    return JSON.stringify(JSON.parse(text, digits), null, 2);
  } catch {
    return text;
  }
}

function labelled(form, text, field, value) {
  const label = form.appendChild(document.createElement("label"));
  label.append(text, Object.assign(field, { value, required: true, spellcheck: false }));
  return field;
}

async function sent({ method, address, key, body }) {
  const headers = { Authorization: `Bearer ${key}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST" || method === "PATCH") headers["Idempotency-Key"] = freshKey();
  const response = await fetch(address, { method, headers, body });
  return `${response.status} ${response.statusText}\n${indented(await response.text())}`;
}

/** Replaces the button by a form that sends requests with a key of the sandbox. */
export function openTrial(button, { method, path, content }) {
  const form = document.createElement("form");
  form.className = "trial";
  const input = (type) => Object.assign(document.createElement("input"), { type });
  const key = labelled(form, "API key (dsb_test_…; it is not stored)", input("password"), "");
  key.pattern = "dsb_test_.*";
  key.title = "A key of the sandbox begins with dsb_test_";
  key.autocomplete = "off";
  const address = labelled(form, "Path and query", input("text"), path);
  const hasBody = content.querySelector("#body") !== null;
  const example = hasBody ? content.querySelector("pre[data-language=json]").textContent : "";
  const body = hasBody && labelled(form, "Body", document.createElement("textarea"), example);
  if (hasBody) body.rows = Math.min(20, example.split("\n").length);
  const send = Object.assign(document.createElement("button"), { textContent: `Send ${method}` });
  const output = Object.assign(document.createElement("pre"), { hidden: true, tabIndex: 0 });
  output.setAttribute("role", "status");
  form.append(send, output);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      const request = {
        method,
        address: address.value,
        key: key.value,
        body: hasBody ? body.value : undefined,
      };
      output.textContent = await sent(request);
    } catch (error) {
      output.textContent = `The request could not be sent: ${error.message}`;
    }
    output.hidden = false;
    send.disabled = false;
  });
  button.replaceWith(form);
  key.focus();
}
