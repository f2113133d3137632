import { referenceOf } from "@disburse/testkit/reference.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { referenceIn } from "../resources/all.ts";
import { withStringAmounts } from "./string-amounts.ts";

const numbers = referenceIn("sandbox");
const document = JSON.parse(JSON.stringify(withStringAmounts(numbers)));
const { schemas } = document.components;

type Media = { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, Media>> } };
};

const operations = Object.entries(
  document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    pointer: `/paths/${path.replaceAll("/", "~1")}/${method}`,
    operation,
  })),
);

it("is a valid OpenAPI 3.1 document with the same operations", async () => {
  const { errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(Object.keys(document.paths)).toEqual(Object.keys(numbers.paths as object));
});

it("has strings in responses and requests", () => {
  expect(schemas.Quote.properties.source_amount).toEqual({
    type: "string",
    format: "decimal",
    description: "Amount that the account pays, including fees.",
    examples: ["250.00"],
  });
  expect(schemas.RequestForQuoteRequest.properties.source_amount).toMatchObject({
    type: "string",
    format: "decimal",
  });
  const copies = Object.keys(schemas).filter((name) => name.endsWith("WithNumbers"));
  const isOfNumbers = (name: string) => copies.includes(name) || name.endsWith("Webhook");
  const withNumbers = Object.entries(schemas).filter(([, schema]) =>
    JSON.stringify(schema).includes('"type":"number"'),
  );
  expect(withNumbers.map(([name]) => name).filter((name) => !isOfNumbers(name))).toEqual([]);
});

it("has numbers in webhooks and JSON files, which the header does not change", () => {
  const { $ref } = schemas.PayoutWebhook.properties.data;
  expect($ref).toBe("#/components/schemas/PayoutWebhookDataWithNumbers");
  expect(schemas.PayoutWebhookDataWithNumbers.properties.source_amount.type).toBe("number");
  expect(schemas.PayoutWebhookData.properties.source_amount.type).toBe("string");
  expect(schemas.ExportBatchReportJsonResult.properties.batch.$ref).toMatch(/BatchWithNumbers$/);
});

it("requires the header where responses have data", () => {
  const header = "#/components/parameters/Amounts";
  const sending = operations.filter(({ operation }) =>
    operation.parameters?.some(({ $ref }) => $ref === header),
  );
  const names = sending.map(({ operation }) => operation.operationId);
  expect(names).toContain("requestQuote");
  expect(names).not.toContain("exportBatchReportJson");
  expect(document.components.parameters.Amounts).toMatchObject({
    required: true,
    schema: { enum: ["string"] },
  });
});

it("has examples that match its schemas", () => {
  const reference = referenceOf(document);
  for (const { pointer, operation } of operations) {
    const places = [
      [`${pointer}/requestBody`, operation.requestBody],
      [`${pointer}/responses/200`, operation.responses[200]],
    ] as const;
    for (const [place, part] of places) {
      const examples = part?.content["application/json"]?.examples ?? {};
      for (const [name, { value }] of Object.entries(examples)) {
        const schema = `${place}/content/application~1json/schema`;
        expect(reference.schemaProblems(schema, value), `${place} ${name}`).toEqual([]);
      }
    }
  }
});
