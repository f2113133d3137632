import { readDocument } from "@disburse/testkit/reference.ts";
import { describe, expect, it } from "vitest";
import type { Contract } from "./contract.ts";
import { fieldsOf, minimalOf, namesIn, type Schema, typeOf } from "./fields.ts";
import { guidePages, linked, servedFiles, tableOf } from "./guides.ts";
import { slugOf } from "./pages.ts";
import { pagesOf, searchEntries } from "./write.ts";

const contract = readDocument() as unknown as Contract;
const pages = pagesOf(contract);
const page = (path: string) => pages.find((each) => each.path === path)?.text ?? "";

describe("a minimal body", () => {
  const person: Schema = {
    type: "object",
    properties: {
      kind: { enum: ["Individual", "Corporate"] },
      name: { type: "string" },
      company: { type: "string" },
      address: { $ref: "#/components/schemas/Address" },
    },
    required: ["kind"],
    allOf: [
      {
        if: { properties: { kind: { enum: ["Individual"] } }, required: ["kind"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { required: ["name", "address"] },
      },
      {
        if: { not: { required: ["name"] } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { required: ["company"] },
      },
    ],
  };
  const schemas = {
    Address: { properties: { city: { type: "string" }, zip: {} }, required: ["city"] },
  };
  const full = { kind: "Individual", name: "J", company: "C", address: { city: "X", zip: "1" } };

  it("keeps what the schema's conditions require, also in objects", () => {
    const minimal = minimalOf(person, full, schemas);
    expect(minimal).toEqual({ kind: "Individual", name: "J", address: { city: "X" } });
    expect(namesIn(minimal)).toEqual(["kind", "name", "address", "address.city"]);
    expect(minimalOf(person, { ...full, kind: "Corporate" }, schemas)).toEqual({
      kind: "Corporate",
      name: "J",
    });
  });

  it("takes the form that the body matches", () => {
    const forms = { oneOf: [{ properties: { kind: { const: "a" } }, required: ["kind"] }, person] };
    expect(minimalOf(forms, full, schemas)).toEqual(minimalOf(person, full, schemas));
  });

  it("has fields with their types, values and limits", () => {
    const names = fieldsOf(person, schemas).map(({ name }) => name);
    expect(names).toEqual(["kind", "name", "company", "address", "address.city", "address.zip"]);
    const open = { anyOf: [{ enum: ["a", "b"] }, { type: "string" }] };
    expect(typeOf(open, {})).toBe("string: `a` `b`");
    expect(typeOf({ type: "array", maxItems: 3, items: { type: "integer", minimum: 1 } }, {})).toBe(
      "array of integer, from 1, up to 3",
    );
  });
});

describe("the pages", () => {
  it("have an address for every operation, event and error code", () => {
    const paths = pages.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const operations = Object.values(contract.paths).flatMap((each) => Object.values(each));
    for (const { operationId } of operations)
      expect(paths).toContain(`operations/${slugOf(operationId)}`);
    for (const name of Object.keys(contract.webhooks))
      expect(paths).toContain(`events/${slugOf(name)}`);
    for (const code of tableOf("docs/reference/errors.md", "Every code").keys())
      expect(paths).toContain(`errors/${slugOf(code)}`);
  });

  it("show required fields first, then a minimal and a full body, by form", () => {
    const text = page("operations/create-fiat-beneficiary");
    const [, first = ""] = text.split("### ");
    expect(first).toMatch(/^Fiat beneficiary usd individual ach\n\nRequired fields:\n\n\| field/);
    expect(first).not.toContain("`beneficiary_email`");
    expect(text).toContain("### Fiat beneficiary eur individual sepa");
    expect(text.indexOf("Minimal body:")).toBeLessThan(text.indexOf("Body with all fields"));
    expect(page("operations/request-quote")).toContain("`receiving_amount`");
  });

  it("link to pages that exist, and only to these", () => {
    const known = new Set(pages.map(({ path }) => (path === "index" ? "/docs" : `/docs/${path}`)));
    const others = ["/openapi.json", "/openapi-strings.json", "/openapi.yaml"];
    others.push(...servedFiles.map((name) => `/docs/${name}`));
    expect(page("conventions")).toContain("](/docs/postman/collection.json)");
    for (const { path, text } of pages) {
      for (const [, href = ""] of text.matchAll(/\]\((\/[^)#\s]*)/g)) {
        expect(known.has(href) || others.includes(href), `${path} links to ${href}`).toBe(true);
      }
    }
  });

  it("replace links to files by links to pages or by plain text", () => {
    const served = new Map([["docs/reference/errors.md", "/docs/errors"]]);
    const text = "[a](../reference/errors.md#x) [b](../../README.md) [c](https://x.y) [`d`](#e)";
    const shown = "[a](/docs/errors#x) b [c](https://x.y) [`d`](#e)";
    expect(linked(text, "docs/guides/keys.md", served)).toBe(shown);
    expect(guidePages()[0]).toMatchObject({ path: "index", title: "Disburse for merchants" });
  });

  it("tell how to trigger each error code", () => {
    const triggers = tableOf("docs/reference/test-values.md", "Error codes");
    const codes = tableOf("docs/reference/errors.md", "Every code");
    expect([...triggers.keys()].sort()).toEqual([...codes.keys()].sort());
    const failures = tableOf("docs/reference/test-values.md", "Failure codes");
    const failureCodes = tableOf("docs/reference/errors.md", "Why a payout failed");
    expect([...failures.keys()].sort()).toEqual([...failureCodes.keys()].sort());
  });

  it("are found by fields and values", () => {
    const entries = searchEntries(pages);
    const found = (word: string) => entries.filter(({ text }) => text.includes(word));
    expect(found("beneficiary_wallet_custody_provider").length).toBeGreaterThan(0);
    expect(found("SEPA").map(({ title }) => title)).toContain("Create fiat beneficiary");
    expect(entries.map(({ href }) => href)).toContain("/docs/errors#trying-again");
  });
});
