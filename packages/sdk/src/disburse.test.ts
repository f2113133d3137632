import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Disburse } from "./disburse.ts";
import { data, refusal, scripted } from "./test-platform.ts";

type Method = (...parameters: unknown[]) => Promise<unknown>;

type Described = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
};

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8"),
) as { paths: Record<string, Record<string, Described>> };

/** Operations without a method: probes, the reference, and its pages. */
const unserved = ["getHealth", "getReadiness", "getOpenApi", "getOpenApiWithStrings", "getDocs"];

function methodsOf(client: Disburse): [name: string, method: Method][] {
  return Object.entries(client).flatMap(([resource, methods]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(methods))
      .filter((name) => name !== "constructor")
      .map((name): [string, Method] => [`${resource}.${name}`, methods[name].bind(methods)]),
  );
}

test("each operation of the contract has exactly one method", async () => {
  const page = '{"meta_data":{"total_count":0,"next_cursor":""}}';
  const called: string[] = [];
  for (const [name] of methodsOf(new Disburse(scripted([]).options))) {
    const { options, sent } = scripted([data(page)]);
    const [, method] = methodsOf(new Disburse(options)).find(([each]) => each === name) ?? [];
    // The client refuses a page without a list, but sends the request.
    const required = Array.from({ length: method?.length ?? 0 }, () => "{id}");
    await method?.(...required).catch(() => undefined);
    const [request] = sent;
    const path = decodeURIComponent(new URL(request?.url ?? "").pathname);
    called.push(`${request?.method} ${path}`);
  }
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !unserved.includes(operationId))
      .map(([each]) => `${each.toUpperCase()} ${path.replace(/\{\w+\}/, "{id}")}`),
  );
  expect(called.sort()).toEqual(described.sort());
});

describe("files", () => {
  test("have their bytes, media type and name", async () => {
    const bytes = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xff);
    const { options, sent } = scripted([
      new Response(bytes, {
        headers: {
          "content-type": "application/pdf",
          "content-disposition": 'attachment; filename="receipt-po_1.pdf"',
        },
      }),
    ]);
    const file = await new Disburse(options).payouts.getReceiptPdf("po_1");
    expect(file).toEqual({ name: "receipt-po_1.pdf", type: "application/pdf", bytes });
    expect(sent[0]).toMatchObject({ url: expect.stringMatching(/\/payouts\/po_1\/receipt\.pdf$/) });
    expect(sent[0]?.headers.get("accept")).toBe("*/*");
  });

  test("have an empty name if the response has none", async () => {
    const { options } = scripted([new Response("a", { headers: { "content-type": "text/csv" } })]);
    const { name, type } = await new Disburse(options).batches.exportReport("bat_1");
    expect([name, type]).toEqual(["", "text/csv"]);
  });

  test("take their query", async () => {
    const { options, sent } = scripted([new Response("")]);
    await new Disburse(options).accounts.exportStatement("acc_1", { format: "pdf" });
    expect(sent[0]?.url).toMatch(/\/accounts\/acc_1\/statements\?format=pdf$/);
  });

  test("are retried and refused like records", async () => {
    const { options, sent } = scripted([
      refusal(503, "SERVICE_UNAVAILABLE"),
      refusal(404, "RECORD_NOT_FOUND"),
    ]);
    const call = new Disburse(options).batches.exportReport("bat_1");
    await expect(call).rejects.toMatchObject({ code: "RECORD_NOT_FOUND", status: 404 });
    expect(sent).toHaveLength(2);
  });
});

test("returns a JSON file as it is, with exact amounts", async () => {
  const { options } = scripted([new Response('{"batch":{"id":"bat_1","total_amount":0.10}}')]);
  const report = await new Disburse(options).batches.exportReportJson("bat_1");
  expect(report).toEqual({ batch: { id: "bat_1", total_amount: "0.10" } });
});

test("sends a CSV batch as it is", async () => {
  const csv = "beneficiary_id,source_amount\r\nben_1,10.00\r\n";
  const { options, sent } = scripted([data('{"id":"bat_1"}')]);
  await new Disburse(options).batches.create(csv);
  expect(sent[0]?.body).toBe(csv);
  expect(sent[0]?.headers.get("content-type")).toBe("text/csv");
});

test("sends lists by the names of the reference", async () => {
  const page = data('{"transactions":[],"meta_data":{"next_cursor":""}}');
  const { options, sent } = scripted([page, data("{}")]);
  const client = new Disburse(options);
  await client.payouts.list({ metadata: ["order=1", "team=b"] });
  await client.payouts.get("po_1", { expand: ["quote", "beneficiary"] });
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    "?metadata=order%3D1&metadata=team%3Db",
    "?expand%5B%5D=quote&expand%5B%5D=beneficiary",
  ]);
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
    ["an unknown option", { apikey: "secret" }],
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

  type Call = (client: Disburse, options: object) => PromiseLike<unknown>;
  test.each<[string, Call]>([
    ["a record", ({ payouts }, options) => payouts.get("po_1", options)],
    ["a list", ({ payouts }, options) => payouts.list({}, options)],
    ["a file", ({ payouts }, options) => payouts.getReceiptPdf("po_1", options)],
    ["a change", ({ payouts }, options) => payouts.cancel("po_1", options)],
  ])("of %s that are unknown are refused before anything is sent", async (_, call) => {
    const { options, sent } = scripted([]);
    const refused = Promise.resolve().then(() =>
      call(new Disburse(options), { idempotency_key: "secret", timeoutMs: 1 }),
    );
    await expect(refused).rejects.toThrow(
      new TypeError(
        "no option is named idempotency_key; the options are idempotencyKey, requestId, signal, timeoutMs",
      ),
    );
    expect(sent).toEqual([]);
  });

  test("a printed client does not contain the key", () => {
    const client = new Disburse(valid);
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain("dsb_test_key");
    expect(JSON.stringify(client)).not.toContain("dsb_test_key");
  });
});
