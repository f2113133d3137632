import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Disburse } from "./disburse.ts";
import { data, scripted } from "./test-platform.ts";

type Method = (...parameters: unknown[]) => Promise<unknown>;

type Described = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
};

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8"),
) as { paths: Record<string, Record<string, Described>> };

/** False for operations that return a file without `data`. */
function isAnswer({ responses }: Described): boolean {
  const content = responses["200"]?.content as
    | Record<string, { examples?: { success?: { value: object } } }>
    | undefined;
  return "data" in (content?.["application/json"]?.examples?.success?.value ?? {});
}

function methodsOf(client: Disburse): [name: string, method: Method][] {
  return Object.entries(client).flatMap(([resource, methods]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(methods))
      .filter((name) => name !== "constructor")
      .map((name): [string, Method] => [
        `${resource}.${name}`,
        (...parameters) => methods[name](...parameters),
      ]),
  );
}

test("each operation with a JSON response has exactly one method", async () => {
  const page = '{"meta_data":{"total_count":0,"next_cursor":""}}';
  const called: string[] = [];
  for (const [name] of methodsOf(new Disburse(scripted([]).options))) {
    const { options, sent } = scripted([data(page)]);
    const [, method] = methodsOf(new Disburse(options)).find(([each]) => each === name) ?? [];
    // The client refuses a page without a list, but sends the request.
    await method?.("{id}").catch(() => undefined);
    const [request] = sent;
    const path = decodeURIComponent(new URL(request?.url ?? "").pathname);
    called.push(`${request?.method} ${path}`);
  }
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith("/api/")
      ? Object.entries(methods)
          .filter(([, each]) => isAnswer(each))
          .map(([each]) => `${each.toUpperCase()} ${path.replace(/\{\w+\}/, "{id}")}`)
      : [],
  );
  expect(called.sort()).toEqual(described.sort());
});

test("sends key, ids and body, and returns `data`", async () => {
  const { options, sent } = scripted([data('{"id":"po_1","message":"Transaction Queued"}')]);
  const client = new Disburse({ ...options, baseUrl: "https://gateway.example/eu/" });
  const answer = await client.payouts.execute({ quote_id: "qt_1", reference_id: "order-1" });
  expect(answer).toEqual({ id: "po_1", message: "Transaction Queued" });
  const [request] = sent;
  expect(request).toMatchObject({
    method: "POST",
    url: "https://gateway.example/eu/api/v1/transfer/execute",
    body: '{"quote_id":"qt_1","reference_id":"order-1"}',
  });
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    accept: "application/json",
    authorization: "Bearer dsb_test_key",
    "content-type": "application/json",
    "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "user-agent": expect.stringMatching(/^disburse-sdk\/\d+\.\d+\.\d+ node\/\d+/),
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("sends only the given filters", async () => {
  const { options, sent } = scripted([data('{"transactions":[],"meta_data":{"next_cursor":""}}')]);
  await new Disburse(options).payouts.list({
    limit: 5,
    status: undefined,
    reference_id: "a&b=c d",
  });
  expect(sent[0]?.url).toBe(
    "https://gateway.example/api/v1/transfer/payouts?limit=5&reference_id=a%26b%3Dc+d",
  );
  expect(sent[0]?.headers.has("idempotency-key")).toBe(false);
});

test("validates a body at a path of its own", async () => {
  const { options, sent } = scripted([data("{}")]);
  const body = { beneficiary_name: "Ada" };
  await new Disburse(options).beneficiaries.validateCrypto(body as never);
  expect(sent[0]?.url).toMatch(/\/transfer\/crypto\/beneficiary\/validate$/);
  expect(sent[0]?.body).toBe('{"beneficiary_name":"Ada"}');
});

describe("ids in paths", () => {
  test("stay one segment", async () => {
    const { options, sent } = scripted([data("{}")]);
    await new Disburse(options).payouts.get("a/../b?c#d");
    expect(sent[0]?.url).toMatch(/\/payouts\/a%2F\.\.%2Fb%3Fc%23d$/);
  });

  test.each(["", ".", ".."])("rejects %j, which would change the path", async (id) => {
    const { options, sent } = scripted([]);
    expect(() => new Disburse(options).payouts.get(id)).toThrow(TypeError);
    expect(sent).toEqual([]);
  });
});

describe("options", () => {
  const valid = { apiKey: "dsb_test_key", baseUrl: "http://127.0.0.1:8080" };
  test.each([
    ["no key", { apiKey: undefined }],
    ["an empty key", { apiKey: "" }],
    ["a key with a line break", { apiKey: "dsb_test_secret\r\nx: y" }],
    ["no URL", { baseUrl: undefined }],
    ["a URL without scheme", { baseUrl: "gateway.example" }],
    ["another scheme", { baseUrl: "ftp://gateway.example" }],
    ["a user in the URL", { baseUrl: "https://user:secret@gateway.example" }],
    ["a user alone in the URL", { baseUrl: "https://secret@gateway.example" }],
    ["a query in the URL", { baseUrl: "https://gateway.example?secret=1" }],
    ["no time", { timeoutMs: 0 }],
    ["no number as time", { tryTimeoutMs: Number.NaN }],
    ["retries that are no number", { retriesMax: -1 }],
  ])("rejects %s without showing its value", (_, wrong) => {
    let refused: unknown;
    try {
      new Disburse({ ...valid, ...wrong } as never);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(TypeError);
    expect(String(refused)).not.toContain("secret");
  });

  test("a printed client does not contain the key", () => {
    const client = new Disburse(valid);
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain("dsb_test_key");
    expect(JSON.stringify(client)).not.toContain("dsb_test_key");
  });
});
