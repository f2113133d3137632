// Writes the requests of each guide as an .http file, for httpYac and editors: docs/http.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requestsOf } from "./guide-requests.mjs";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
export const folder = join(docs, "http");

/** One needs a receiver on this machine, which an .http client doesn't start; one has no requests. */
const withoutFile = ["README.md", "notifications.md", "webhooks.md"];

/** The values are those of `.data/sandbox.json`. */
const environment = {
  sandbox: {
    ...{ baseUrl: "http://127.0.0.1:8080", api_key: "", approver_api_key: "" },
    ...{ account_id: "", empty_account_id: "" },
  },
};

/** A guide's expressions are of Node's command line, which has its modules as globals. */
const asScript = (expression) => expression.replaceAll("crypto.", "require('crypto').");

function requestText({ number, heading, before, method, url, headers, body, until }, isRead) {
  const sleeps = before.flatMap((word, at) => (word === "sleep" ? [Number(before[at + 1])] : []));
  const variables = before.flatMap((word, at) =>
    word === "variable" ? [`  exports.${before[at + 1]} = ${asScript(before[at + 2])};`] : [],
  );
  const kept = `  exports.response_${number} = response.parsedBody;`;
  const field = until && `response.parsedBody.data.${until.field}`;
  const ended =
    until && `  exports.ended_${number} = String(${field}) !== ${JSON.stringify(until.value)};`;
  const loop = until && [
    `# @loop while typeof ended_${number} === "undefined" || !ended_${number}`,
    "# @sleep 1000",
  ];
  const after = [...(isRead ? [kept] : []), ...(until ? [ended] : [])];
  return [
    `### ${number}. ${heading || "Before you start"}`,
    ...(loop ?? sleeps.map((seconds) => `# @sleep ${seconds * 1_000}`)),
    ...(variables.length > 0 ? ["{{", ...variables, "}}"] : []),
    `${method} ${url}`,
    ...headers,
    ...(body === "" ? [] : ["", body.trimEnd()]),
    ...(after.length > 0 ? ["", "{{", ...after, "}}"] : []),
  ]
    .join("\n")
    .replaceAll(/\{\{crypto\./g, "{{require('crypto').");
}

/** Returns the .http file of a page. */
export function httpFile(page, source) {
  const requests = requestsOf(page);
  const texts = requests.map((each) => JSON.stringify(each));
  const isRead = (number) => texts.some((text) => text.includes(`{{response_${number}.`));
  const [, title = ""] = /^# (.*)$/m.exec(page) ?? [];
  const head = `# ${title}\n# Generated from ${source} by \`npm run generate\`. Choose the environment \`sandbox\`.`;
  return `${[head, ...requests.map((each) => requestText(each, isRead(each.number)))].join("\n\n")}\n`;
}

const tutorial = "first-payout";

/** Returns the page that a file is made from. */
export function sourceOf(name) {
  const page = name.replace(/\.http$/, "");
  return `docs/${page === tutorial ? "tutorials" : "guides"}/${page}.md`;
}

/** Returns every file of docs/http by its name. */
export function httpFiles() {
  const guides = readdirSync(join(docs, "guides"))
    .filter((name) => name.endsWith(".md") && !withoutFile.includes(name))
    .map((name) => name.slice(0, -".md".length));
  const files = [tutorial, ...guides.sort()].map((page) => {
    const name = `${page}.http`;
    const source = sourceOf(name);
    return [name, httpFile(readFileSync(join(docs, "..", source), "utf8"), source)];
  });
  const shown = `${JSON.stringify(environment, undefined, 2)}\n`;
  return new Map([...files, ["http-client.env.json", shown]]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of httpFiles()) writeFileSync(join(folder, name), text);
}
