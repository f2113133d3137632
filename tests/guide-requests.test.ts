import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** `npm run generate` writes the requests of the guides to docs/http. */

type Writer = { readonly folder: string; readonly httpFiles: () => Map<string, string> };

const script = new URL("../scripts/http/write.mjs", import.meta.url);
const { folder, httpFiles }: Writer = await import(script.href);
const expected = httpFiles();

it.each([...expected])("%s has the requests of its guide", (name, text) => {
  expect(readFileSync(join(folder, name), "utf8")).toBe(text);
});

it("has a file for each guide with requests that need no receiver, and no other", () => {
  const without = ["README.md", "notifications.md", "webhooks.md"];
  const guides = readdirSync(join(import.meta.dirname, "../docs/guides"))
    .filter((name) => name.endsWith(".md") && !without.includes(name))
    .map((name) => name.replace(/md$/, "http"));
  const all = [...guides, "first-payout.http", "http-client.env.json"].sort();
  expect(readdirSync(folder).sort()).toEqual(all);
});

it("needs no variable that is neither set before nor in the environment", () => {
  const environment = JSON.parse(expected.get("http-client.env.json") ?? "");
  for (const [name, text] of expected) {
    if (!name.endsWith(".http")) continue;
    const used = [...text.matchAll(/\{\{([a-z]\w*)[.}]/gi)].map(([, variable = ""]) => variable);
    const set = [...text.matchAll(/exports\.(\w+) =/g)].map(([, variable = ""]) => variable);
    const known = new Set([...set, ...Object.keys(environment.sandbox), "require"]);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  }
});
