import { readFileSync } from "node:fs";
import { readDocument, referenceOf } from "@disburse/testkit/reference.ts";
import { expect, it } from "vitest";

/** `npm run postman` writes docs/postman. `npm run test:postman` runs it against a sandbox. */

type Item = {
  readonly name: string;
  readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: { readonly path: readonly string[]; readonly variable: readonly object[] };
    readonly body?: { readonly raw: string };
    readonly auth?: object;
  };
};
type Folder = { readonly name: string; readonly item: readonly Item[] };

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../docs/postman/${name}`, import.meta.url), "utf8"));
const collection = read("collection.json");
const environment = read("environment.json");
const items = (collection.item as Folder[]).flatMap(({ item }) => item);
const document = readDocument();
const reference = referenceOf(document);
const contract = Object.entries(document.paths as Record<string, object>).flatMap(
  ([path, methods]) => Object.keys(methods).map((method) => ({ path, method })),
);

const pathOf = ({ url }: Item["request"]) =>
  `/${url.path.map((part) => part.replace(/^:(\w+)$/, "{$1}")).join("/")}`;

it("has a request for every operation of the contract", () => {
  const sent = new Set(items.map(({ request }) => `${request.method} ${pathOf(request)}`));
  expect([...sent].sort()).toEqual(
    contract.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(),
  );
});

it("sends a new idempotency key each time", () => {
  const keys = items.flatMap(({ request }) =>
    request.header.filter(({ key }) => key === "Idempotency-Key"),
  );
  expect(keys.length).toBeGreaterThan(40);
  expect(new Set(keys.map(({ value }) => value))).toEqual(new Set(["{{$guid}}"]));
});

it("uses only variables that an earlier request or the environment sets", () => {
  const known = new Set<string>(environment.values.map(({ key }: { key: string }) => key));
  for (const name of scripted(collection.event, /pm\.variables\.set\("(\w+)"/g)) known.add(name);
  const unknown = items.flatMap(({ name, request, event }) => {
    const used = [...JSON.stringify(request).matchAll(/\{\{(\w+)\}\}/g)].map(([, its = ""]) => its);
    const missing = used.filter((each) => !known.has(each));
    for (const each of scripted(event, /collectionVariables\.set\("(\w+)"/g)) known.add(each);
    return missing.map((each) => `${name}: ${each}`);
  });
  expect(unknown).toEqual([]);
});

function scripted(events: Item["event"], pattern: RegExp): string[] {
  const lines = events.flatMap(({ script }) => script.exec).join("\n");
  return [...lines.matchAll(pattern)].map(([, name = ""]) => name);
}

it("has bodies that the contract accepts", () => {
  const time = "2026-12-01T09:00:00.000Z";
  const values: Readonly<Record<string, string>> = {
    tomorrow: time,
    an_hour_ago: time,
    webhook_url: "http://127.0.0.1:9/webhooks",
  };
  const problems = items.flatMap(({ name, request }) => {
    if (request.body === undefined) return [];
    const raw = request.body.raw.replaceAll(/\{\{\$?(\w+)\}\}/g, (_, each) => values[each] ?? each);
    const at = `/paths/${pathOf(request).replaceAll("/", "~1")}/${request.method.toLowerCase()}`;
    const schema = `${at}/requestBody/content/application~1json/schema`;
    return reference.schemaProblems(schema, JSON.parse(raw)).map((each) => `${name}: ${each}`);
  });
  expect(problems).toEqual([]);
});

it("holds no key", () => {
  expect(JSON.stringify([collection, environment])).not.toMatch(/dsb_(?:test|live)_[A-Za-z0-9]/);
});
