// Runs in the reader's browser: loads the operations' component after the page's first paint.

/** The document's example values, which the component would send with every trial request. */
const exampleKey = "3f2c9f54-6a0c-4c8e-9a31-5f0f7f0f3b11";
const exampleRequestId = "checkout-7f3a";

const { component, samples, mode } = document.currentScript.dataset;

/** In live mode only requests that move no money can be tried here. */
const methodsToTry = mode === "live" ? ["get"] : ["get", "post", "delete"];

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Each trial is a new request with its own key, unless the reader entered one. */
function asNew(request) {
  const headers = request.headers ?? {};
  if (headers["X-Request-Id"] === exampleRequestId) delete headers["X-Request-Id"];
  if (headers["Idempotency-Key"] === exampleKey) {
    const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)));
    headers["Idempotency-Key"] = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return request;
}

/** Opens the operation in the URL's fragment, such as `#/Quotes/requestQuote`. */
function openNamed(ui) {
  if (!location.hash.startsWith("#/")) return;
  const [tag, id] = location.hash.slice(2).split("/").map(decodeURIComponent);
  if (id === undefined) return;
  ui.layoutActions.show(["operations-tag", tag], true);
  ui.layoutActions.show(["operations", tag, id], true);
  const element = `operations-${tag.replaceAll(" ", "_")}-${id}`;
  requestAnimationFrame(() => document.getElementById(element)?.scrollIntoView());
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

let loading;

/** Loads all samples when the first operation shows its own. */
async function fillSamples(element, operationId) {
  loading ??= fetch(samples).then((answer) => answer.json());
  const { [operationId]: its } = await loading;
  if (its === undefined || element.hasChildNodes()) return;
  const { elementOf, figureOf } = window.docs;
  const place = elementOf("div", {}, figureOf(Object.values(its)[0]));
  const names = Object.keys(its);
  if (names.length > 1) {
    const options = names.map((name) => elementOf("option", {}, name));
    const choice = elementOf("select", { "aria-label": "Example" }, ...options);
    choice.addEventListener("change", () => place.replaceChildren(figureOf(its[choice.value])));
    element.append(choice);
  }
  element.append(place);
}

/**
 * Customises the component: samples for operations, fields first for requests, examples for
 * responses, and exact digits for a trial's response.
 */
function customPlugin({ React }) {
  const parameters = (Original) => (props) => {
    const id = props.operation.get("operationId");
    const ref = (element) => element !== null && fillSamples(element, id);
    const shown = React.createElement("div", { className: "samples", ref, key: "samples" });
    return [shown, React.createElement(Original, { ...props, key: "parameters" })];
  };
  const modelExample = (Original) => (props) => {
    const defaultModelRendering = props.includeReadOnly ? "example" : "model";
    const getConfigs = () => ({ ...props.getConfigs(), defaultModelRendering });
    return React.createElement(Original, { ...props, getConfigs });
  };
  const responseBody = (Original) => (props) => {
    const isJson = /json/.test(props.contentType) && typeof props.content === "string";
    // The component shows plain text unchanged.
    const shown = isJson ? { content: indented(props.content), contentType: "text/plain" } : {};
    return React.createElement(Original, { ...props, ...shown });
  };
  return { wrapComponents: { parameters, modelExample, responseBody, info: () => () => null } };
}

/** The component has its own `main`, but a page may have only one. */
function nest() {
  document.querySelector("#reference main")?.setAttribute("role", "group");
}

function show() {
  const ui = window.SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#reference",
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 5,
    displayRequestDuration: true,
    supportedSubmitMethods: methodsToTry,
    plugins: [customPlugin],
    requestInterceptor: asNew,
    onComplete: () => {
      nest();
      openNamed(ui);
    },
  });
  addEventListener("hashchange", () => openNamed(ui));
}

// One frame later the page has been painted.
requestAnimationFrame(() =>
  setTimeout(() => {
    const script = document.createElement("script");
    script.src = component;
    script.addEventListener("load", show);
    document.head.append(script);
  }),
);
