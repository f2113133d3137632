import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { exchange, lastAnswer } from "./raw.ts";

/** Runs every row of docs/reference/test-values.md: its request, or its steps with its values. */

const page = readFileSync(join(import.meta.dirname, "../docs/reference/test-values.md"), "utf8");

/** The code of a row, and the code spans of its trigger. */
type Row = readonly [code: string, spans: readonly string[]];

function rowsUnder(heading: string): Row[] {
  const [, part = ""] = page.split(`## ${heading}\n`);
  const lines = (part.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => {
    const [code = "", ...spans] = [...line.matchAll(/`([^`]*)`/g)].map(([, span = ""]) => span);
    return [code, spans];
  });
}

type Sent = {
  readonly request: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly key?: string | undefined;
};

let platform: TestPlatform;
let acme: Payer;
let late: ReturnType<typeof send>;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  // It takes eleven seconds, and the other rows meanwhile.
  late = send(requestIn(rowOf("REQUEST_TIMEOUT"), "{"));
  late.catch(() => undefined);
});
afterEach(() => acme.resetControls());

const errorRows = rowsUnder("Error codes");
const rowOf = (code: string) => errorRows.find(([each]) => each === code)?.[1] ?? [];

/** Sends a request as bytes, because `fetch` can't send all that the page names. */
async function send({ request, headers = [], body = "", key = platform.apiKey("acme") }: Sent) {
  const named = (name: string) => headers.some((each) => each.startsWith(`${name}:`));
  const isChunked = named("Transfer-Encoding");
  const isBodied = !request.startsWith("GET") && !isChunked;
  const head = [
    `${request} HTTP/1.1`,
    "Host: sandbox",
    "Connection: close",
    ...(key === "" ? [] : [`Authorization: Bearer ${key}`]),
    ...(named("Content-Type") ? [] : ["Content-Type: application/json"]),
    ...(isBodied && !named("Content-Length") ? [`Content-Length: ${body.length}`] : []),
    ...headers,
  ];
  const text = await exchange(
    platform.baseUrl,
    `${head.join("\r\n")}\r\n\r\n${isChunked ? "0\r\n\r\n" : body}`,
  );
  const answer = lastAnswer(text);
  return { status: answer.status, json: JSON.parse(answer.body) };
}

/** Reads a request out of the code spans of a row. */
function requestIn(spans: readonly string[], body = ""): Sent {
  const [request = ""] = spans;
  const headers = spans.filter((each) => /^[A-Z][A-Za-z-]+: \S/.test(each));
  const isUnauthenticated = spans.includes("Authorization");
  const written = spans.find((each) => each.startsWith("{")) ?? body;
  return { request, headers, body: written, ...(isUnauthenticated && { key: "" }) };
}

type Answered = { readonly json: { readonly code?: string } };
type Steps = (spans: readonly string[]) => Promise<Answered>;

/** Sends a request that must succeed before the one with the error. */
async function prepare(path: string, body: unknown, headers?: Record<string, string>) {
  const { status, text, json } = await acme.post(path, body, headers);
  expect(status, text).toBe(200);
  return json.data;
}

const withId = (span = "", id = "") => span.replace("POST ", "").replace(":id", id);
const execute = (quote_id: string) => acme.post(paths.execute, { quote_id });
const usdQuote = (source_amount = "10.00") => acme.quote("USD", "USD", { source_amount });
const newReference = () => `sandbox-batch-${crypto.randomUUID()}`;

const badWallet: Steps = async (spans) => {
  const beneficiary_account_number = spans.at(-1);
  return acme.post(paths.crypto, { ...cryptoBody(), beneficiary_account_number });
};

/** Triggers of more than one request. */
const steps: Readonly<Record<string, Steps>> = {
  INVALID_WALLET_ADDRESS: badWallet,
  RISK_ANALYSIS_FAILED: badWallet,
  CORRIDOR_NOT_ACTIVE: async ([source = "", destination = ""]) =>
    acme.post(paths.rfq, {
      ...(await acme.transfer(source, destination)),
      source_amount: "500.00",
    }),
  QUOTE_EXPIRED: async ([expire]) => {
    const { id } = await usdQuote();
    await prepare(withId(expire, id), {});
    return execute(id);
  },
  ALREADY_PROCESSED: async () => {
    const { id } = await usdQuote();
    await prepare(paths.execute, { quote_id: id });
    return execute(id);
  },
  AMOUNT_NOT_WITHIN_LIMITS: async (spans) => execute((await usdQuote(spans.at(-1))).id),
  INSUFFICIENT_BALANCE: async () => {
    const account_id = platform.accountId("acme", "USD", false);
    const terms = { ...(await acme.transfer("USD", "USD")), source_amount: "10.00", account_id };
    return execute((await prepare(paths.rfq, terms)).id);
  },
  ACCESS_FORBIDDEN: async ([scope = "", request = ""]) => {
    const { secret } = await prepare("/api/v1/keys", { scopes: [scope] });
    return send({ request, key: secret });
  },
  BENEFICIARY_CREATION_NOT_ALLOWED: () =>
    payerOf(platform, "frozen").post(paths.crypto, cryptoBody()),
  BENEFICIARY_NOT_READY: async ([name]) => {
    const body = { ...cryptoBody(), beneficiary_name: `${name} Doe` };
    const { beneficiary_id } = await prepare(paths.crypto, body);
    const terms = { ...(await acme.transfer("USD", "USDC_ETH")), source_amount: "10.00" };
    return acme.post(paths.rfq, { ...terms, beneficiary_id });
  },
  NOT_CANCELLABLE: async ([settle]) => {
    const id = await acme.pay(newReference());
    await prepare(withId(settle, id), {});
    return acme.post(`${paths.payouts}/${id}/cancel`, {});
  },
  NOT_AWAITING_APPROVAL: async () => {
    const id = await acme.pay(newReference());
    return acme.post(`${paths.payouts}/${id}/approve`, {});
  },
  STATE_NOT_REACHABLE: async ([fail, settle]) => {
    const id = await acme.pay(newReference());
    await prepare(withId(fail, id), {});
    return acme.post(withId(settle, id), {});
  },
  SOURCE_ACCOUNT_CLOSED: async ([close, reopen]) => {
    const account_id = platform.accountId("acme", "USD", false);
    await prepare(withId(close, account_id), {});
    const terms = { ...(await acme.transfer("USD", "USD")), source_amount: "10.00", account_id };
    const scheduled_at = new Date(Date.now() + 60_000).toISOString();
    const response = await acme.post(paths.scheduled, { ...terms, scheduled_at });
    await prepare(withId(reopen, account_id), {});
    return response;
  },
  POSSIBLE_DUPLICATE: async ([control, body]) => {
    await prepare(withId(control), body);
    const order = { reference_id: crypto.randomUUID() };
    const [first, second] = [await usdQuote(), await usdQuote()];
    await prepare(paths.execute, { ...order, quote_id: first.id });
    return acme.post(paths.execute, { ...order, quote_id: second.id });
  },
  PAYLOAD_TOO_LARGE: (spans) => send({ ...requestIn(spans), body: " ".repeat(64 * 1_024 + 1) }),
  HEADERS_TOO_LARGE: (spans) => {
    const part = "x".repeat(4 * 1_024);
    const headers = [1, 2, 3, 4].map((at) => `X-Large-${at}: ${part}`);
    return send({ ...requestIn(spans), headers });
  },
  IDEMPOTENCY_KEY_REUSED: async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const terms = await acme.transfer("USD", "USD");
    await prepare(paths.rfq, { ...terms, source_amount: "10.00" }, headers);
    return acme.post(paths.rfq, { ...terms, source_amount: "20.00" }, headers);
  },
  REQUEST_TIMEOUT: () => late,
};

describe("the trigger of the error", () => {
  it.each(errorRows)("%s", async (code, spans) => {
    const answer = await (steps[code]?.(spans) ?? send(requestIn(spans)));
    expect(answer.json.code).toBe(code);
  });
});

/** Triggers of failures that no rail reports. */
const endings: Readonly<Record<string, (spans: readonly string[]) => Promise<string>>> = {
  APPROVAL_EXPIRED: async ([control, body]) => {
    await prepare(withId(control), body);
    return acme.pay(newReference());
  },
  APPROVAL_REJECTED: async ([control, body]) => {
    await prepare(withId(control), body);
    const id = await acme.pay(newReference());
    const key = platform.approverKey("acme");
    const reason = JSON.stringify({ reason: "not ours" });
    await send({ request: `POST ${paths.payouts}/${id}/reject`, body: reason, key });
    return id;
  },
  CANCELLED: async (spans) => {
    const id = await acme.pay(`${spans.at(-1)}-${crypto.randomUUID()}`);
    await prepare(`${paths.payouts}/${id}/cancel`, {});
    return id;
  },
};

async function failedBy([body]: readonly string[]): Promise<string> {
  const id = await acme.pay(newReference());
  await prepare(`/api/v1/sandbox/payouts/${id}/fail`, body);
  return id;
}

describe("the trigger of the failure", () => {
  it.each(rowsUnder("Failure codes"))("%s", async (code, spans) => {
    const id = await (endings[code]?.(spans) ?? failedBy(spans));
    await vi.waitFor(async () => {
      const payout = await acme.data("GET", `${paths.payouts}/${id}`);
      expect(payout).toMatchObject({ status: "failed", failure_code: code });
    }, 10_000);
  });
});
