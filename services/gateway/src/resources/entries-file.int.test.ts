import { request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type CallContext, callContext } from "@disburse/chassis/call-context.ts";
import {
  type LedgerEntry,
  LedgerEntrySchema,
  LedgerStep,
  type ListEntriesRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type ExactJson, ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { at } from "../test-calls.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let key: string;
let requests: ListEntriesRequest[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({ fileTimes: { stalledMs: 300 } });
  key = (await gateway.merchant()).key;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  requests = [];
});

const listPath = "/api/v1/transfer/accounts/acc_1/entries";
const path = `${listPath}.csv`;
const notes = ['say "no", twice', "two\r\nlines", "=HYPERLINK(1)", "-1", "ünï ₹", "", " a"];

function entryOf(sequence: number): LedgerEntry {
  return create(LedgerEntrySchema, {
    ...{ id: `po_${sequence}:return`, accountId: "acc_1", sequence: BigInt(sequence) },
    ...{ step: LedgerStep.RETURN, currencyCode: "USD", amount: "100.10", held: "0.00" },
    ...{ available: "999999999999999.99", payoutId: `po_${sequence}` },
    ...{
      note: notes[sequence % notes.length] ?? "",
      createdAt: at,
      reverses: `po_${sequence}:post`,
    },
    ...{ previousHash: "a".repeat(64), hash: "b".repeat(64) },
    postings: [
      { account: "available", currencyCode: "USD", amount: "100.1" },
      { account: "platform:fees", currencyCode: "USD", amount: "-0.5" },
      { account: "platform:exchange", currencyCode: "USD", amount: "-99.6" },
    ],
  });
}

/** Serves a statement of this many lines, newest first, in pages of a hundred. */
function statement(lines: number, page?: (request: ListEntriesRequest) => void) {
  gateway.fakes.payout.listEntries = async (request) => {
    requests.push(request);
    page?.(request);
    const last = Number(request.cursor === "" ? lines : request.cursor);
    const length = Math.min(request.limit || 20, last);
    const entries = Array.from({ length }, (_each, index) => entryOf(last - index));
    const nextCursor = last > length ? String(last - length) : "";
    return { entries, totalCount: BigInt(lines), nextCursor };
  };
}

type Statement = { readonly data: { readonly entries: Record<string, ExactJson>[] } };

function textOf(entry: Record<string, ExactJson>): Record<string, unknown> {
  const fields = Object.entries(entry).map(([name, value]) => {
    return [name, value instanceof ExactNumber ? value.text : value];
  });
  return Object.fromEntries(fields);
}

it("holds every line of the statement, field for field, digit for digit", async () => {
  statement(250);
  const { status, headers, text } = await gateway.ask({ path, key });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="entries.csv"',
    "cache-control": "no-store",
  });
  const rows: Record<string, string>[] = parse(text, { columns: true });
  const listed: Record<string, ExactJson>[] = [];
  for (const cursor of ["", "&cursor=150", "&cursor=50"]) {
    const page = await gateway.ask({ path: `${listPath}?limit=100${cursor}`, key });
    listed.push(...(parseExactJson(page.text) as unknown as Statement).data.entries);
  }
  const unescaped = rows.map((row) => ({ ...row, note: row.note?.replace(/^'(?=[=-])/, "") }));
  expect(unescaped).toEqual(listed.map(textOf));
  expect(rows[0]).toMatchObject({
    ...{ available: "999999999999999.99", available_change: "100.10", held_change: "0.00" },
    ...{ total_fees: "-0.50", step: "return", reverses: "po_250:post" },
  });
  expect(text).toContain(",'-1,");
  expect(text).toContain(",'=HYPERLINK(1),");
  expect(text).not.toMatch(/platform:|(^|[^\r])\n(?!lines)/);
});

it("passes its filters on, a hundred lines at a time", async () => {
  statement(201);
  const query = "?step=return&payout_id=po_1&created_from=2026-11-20&created_to=2026-11-21";
  await gateway.ask({ path: path + query, key });
  expect(requests.map(({ cursor }) => cursor)).toEqual(["", "101", "1"]);
  const from = { seconds: BigInt(Date.parse("2026-11-20") / 1_000) };
  const to = { seconds: BigInt(Date.parse("2026-11-21") / 1_000) };
  for (const each of requests) {
    expect(each).toMatchObject({
      ...{ accountId: "acc_1", limit: 100, step: LedgerStep.RETURN, payoutId: "po_1" },
      ...{ createdFrom: from, createdTo: to },
    });
  }
});

it("may take longer than any other answer; each page has its own deadline", async () => {
  const contexts: (CallContext | undefined)[] = [];
  const startedAt = Date.now();
  statement(300, () => {
    contexts.push(callContext());
    vi.spyOn(Date, "now").mockReturnValue(startedAt + contexts.length * 60_000);
  });
  await gateway.ask({ path, key, headers: { "x-request-id": "r-1" } });
  expect(contexts.map((each) => each?.requestId)).toEqual(["r-1", "r-1", "r-1"]);
  const [first = 0, ...others] = contexts.map((each) => each?.deadlineMs ?? 0);
  expect(first).toBeLessThan(startedAt + 60_000);
  expect(others).toEqual([startedAt + 70_000, startedAt + 130_000]);
});

it("of an empty statement has only the header row", async () => {
  statement(0);
  const { text } = await gateway.ask({ path, key });
  expect(text).toMatch(/^id,account_id,sequence,[a-z_,]+,created_at\r\n$/);
});

it("is not made for a HEAD request", async () => {
  statement(300);
  const { status, headers, text } = await gateway.ask({ method: "HEAD", path, key });
  expect([status, headers["content-type"], text]).toEqual([200, "text/csv; charset=utf-8", ""]);
  expect(requests).toHaveLength(1);
});

it("is refused as any operation is", async () => {
  const malformed = await gateway.ask({ path: `${path}?step=theft&created_to=soon`, key });
  expect([malformed.status, malformed.json.code, requests]).toEqual([400, "INVALID_REQUEST", []]);
  statement(1, () => {
    throw new ConnectError("away", Code.Unavailable);
  });
  const away = await gateway.ask({ path, key });
  expect([away.status, away.json.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(away.headers["content-type"]).toMatch(/^application\/json/);
  expect((await gateway.ask({ path })).status).toBe(401);
});

it.each(["HTTP/1.1", "HTTP/1.0"])(
  "that breaks off resets the connection, over %s",
  async (version) => {
    statement(300, ({ cursor }) => {
      if (cursor === "100") throw new ConnectError("away", Code.Unavailable);
    });
    const head = `GET ${path} ${version}\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    await expect(gateway.raw(head)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(gateway.logLines).toContainEqual(
      expect.objectContaining({
        level: "warn",
        event: "download aborted: reading its records failed",
      }),
    );
    statement(1);
    expect((await gateway.ask({ path, key })).status).toBe(200);
  },
);

it("is made no faster than it is read, and aborted when its reader stalls", async () => {
  statement(1_000_000);
  const before = gateway.logLines.filter(isExport).length;
  const headers = { authorization: `Bearer ${key}` };
  const reader = request(gateway.url + path, { headers }, (response) => response.pause());
  reader.on("error", () => reader.destroy());
  reader.end();
  const ended = () => gateway.logLines.filter(isExport).length - before;
  // The buffers in between fill up, then the reader's stall limit passes.
  await expect.poll(ended, { timeout: 150_000 }).toBe(1);
  reader.destroy();
  expect(requests.length).toBeGreaterThan(1);
  expect(requests.length).toBeLessThan(1_000);
});

it("is one of four at a time that a key may have", async () => {
  const held = Promise.withResolvers<void>();
  gateway.fakes.payout.listEntries = async () => {
    await held.promise;
    return { entries: [], totalCount: 0n, nextCursor: "" };
  };
  const other = (await gateway.merchant()).key;
  const files = Array.from({ length: 5 }, () => gateway.ask({ path, key: other }));
  const fifth = await Promise.race(files);
  expect([fifth.status, fifth.json]).toEqual([
    429,
    { code: "RATE_LIMITED", message: "This caller has too many files open at the same time." },
  ]);
  const another = gateway.ask({ path, key });
  held.resolve();
  expect((await another).status).toBe(200);
  const statuses = (await Promise.all(files)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 429]);
  expect((await gateway.ask({ path, key: other })).status).toBe(200);
});

it("is given up after its time, however steadily it is read", async () => {
  const hurried = await startTestGateway({ fileTimes: { wholeMs: 300 } });
  try {
    hurried.fakes.payout.listEntries = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { entries: [entryOf(1)], totalCount: 1n, nextCursor: "1" };
    };
    const { key: hurriedKey } = await hurried.merchant();
    await expect(hurried.ask({ path, key: hurriedKey })).rejects.toMatchObject({
      code: "ECONNRESET",
    });
  } finally {
    await hurried.stop();
  }
});

const isExport = ({ fields }: { fields: object }) =>
  "route" in fields && String(fields.route).endsWith("entries.csv");
