import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Document, operationsOf } from "./document.ts";
import { generatedFiles, placeOf } from "./resources.ts";
import { typeOf } from "./types.ts";

const root = join(import.meta.dirname, "../../../..");
const text = readFileSync(join(root, "docs/openapi.json"), "utf8");
const document = JSON.parse(text) as Document;

test("the generated files match the reference; `npm run generate` writes them", () => {
  for (const [name, expected] of Object.entries(generatedFiles(document))) {
    const actual = readFileSync(join(import.meta.dirname, "../gen", name), "utf8");
    expect(actual === expected, `src/gen/${name} is not current`).toBe(true);
  }
});

describe("an operation's place in the client", () => {
  test.each([
    ["createCryptoBeneficiary", "Beneficiaries", "beneficiaries", "createCrypto"],
    ["listBeneficiaries", "Beneficiaries", "beneficiaries", "list"],
    ["getPayout", "Payouts", "payouts", "get"],
    ["listCorridors", "Quotes", "corridors", "list"],
    ["listEntries", "Accounts", "accounts", "listEntries"],
    ["createWebhookEndpoint", "Webhook endpoints", "webhookEndpoints", "create"],
    ["rotateWebhookSecret", "Webhook endpoints", "webhookEndpoints", "rotateSecret"],
    ["listWebhookDeliveries", "Webhook deliveries", "webhookDeliveries", "list"],
    ["redeliverWebhook", "Webhook deliveries", "webhookDeliveries", "redeliver"],
  ])("%s of %s is %s.%s", (id, tag, resource, method) => {
    expect(placeOf({ id, tag })).toEqual({ resource, method });
  });

  test("is unique", () => {
    const places = operationsOf(document).map((each) => JSON.stringify(placeOf(each)));
    expect(new Set(places).size).toBe(places.length);
  });
});

describe("types", () => {
  test.each([
    [{ type: "string" }, "string"],
    [{ type: "string", format: "decimal" }, "Decimal"],
    [{ type: "number", format: "decimal" }, "Decimal"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "Decimal"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "string"],
    [{ anyOf: [{ type: "string", enum: ["a"] }, { type: "string" }] }, '"a" | (string & {})'],
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, 'Array<"a" | "b">'],
    [{ type: "array", items: { $ref: "#/components/schemas/Quote" } }, "Quote[]"],
    [{ type: "object", additionalProperties: true }, "Record<string, unknown>"],
    [{ oneOf: [{ $ref: "#/a/A" }, { $ref: "#/a/B" }] }, "A | B"],
  ])("%j is %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  test.each([[{ type: "number" }], [{ type: "null" }], [{}]])(
    "refuses %j, whose type nobody decided",
    (schema) => {
      expect(() => typeOf(schema)).toThrow("the generator has no type for");
    },
  );

  test("rejects a field that is an integer in one response and a decimal in another", () => {
    const schemas = {
      A: { type: "object", properties: { fee: { type: "integer" } } },
      B: { type: "object", properties: { fee: { type: "number", format: "decimal" } } },
    };
    const components = {
      ...document.components,
      schemas: { ...document.components.schemas, ...schemas },
    };
    const spoilt = { ...document, components };
    expect(() => generatedFiles(spoilt)).toThrow("fee is both integer and decimal");
  });

  test("a description cannot end its comment", () => {
    const schemas = { A: { description: "a */ b", type: "object", properties: {} } };
    const components = { schemas, responses: {} };
    const files = generatedFiles({ ...document, paths: {}, webhooks: {}, components });
    expect(files["types.ts"]).toContain("/** a *\\/ b */");
  });
});
