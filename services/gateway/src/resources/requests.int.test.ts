import { Code, ConnectError } from "@connectrpc/connect";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
type Merchant = Awaited<ReturnType<TestGateway["merchant"]>>;
let acme: Merchant;
beforeAll(async () => {
  gateway = await startTestGateway();
  const account = { id: newId("account"), available: "1", held: "0" };
  gateway.fakes.payout.getAccount = () => ({ account });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  acme = await gateway.merchant({ description: "ERP" });
});

type Row = Readonly<Record<string, unknown>> & { readonly request_id: string };
type Page = { requests: Row[]; meta_data: { next_cursor: string; total_count: number } };

const path = "/api/v1/requests";
const accountPath = `/api/v1/transfer/accounts/${newId("account")}`;
const ask = (requestId: string, url = accountPath, key = acme.key) =>
  gateway.ask({ path: url, key, headers: { "x-request-id": requestId } });
const list = async (query = "", key = acme.key): Promise<Page> => {
  const { status, json } = await gateway.ask({ path: `${path}${query}`, key });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.data as Page;
};
/** Makes requests with these ids, one second apart. Every second one fails. */
async function send(...ids: readonly string[]) {
  for (const [place, id] of ids.entries()) {
    gateway.time.nowMs += 1_000;
    await ask(id, place % 2 === 0 ? accountPath : `${accountPath}?unknown=1`);
    await stored(id);
  }
}
/** Flushes the log until a request is stored. */
async function stored(id: string) {
  const found = gateway.db.collection("request_log");
  await expect
    .poll(async () => {
      await gateway.gateway.flushRequests();
      return found.findOne({ merchant_id: acme.merchantId, "requests.request_id": id });
    })
    .not.toBeNull();
}
const idsOf = ({ requests }: Page) => requests.map((each) => each.request_id);

describe("the requests of a merchant", () => {
  it("are listed with what happened, and nothing that was sent", async () => {
    gateway.time.nowMs += 1_000;
    await ask("seen", `${accountPath}?secret=hunter2`);
    await stored("seen");
    const { requests, meta_data } = await list();
    expect(meta_data).toEqual({ total_count: 1, next_cursor: "" });
    expect(requests).toEqual([
      {
        id: expect.stringMatching(/^rlg_\w{26}_000$/),
        ...{ request_id: "seen", created_at: new Date(gateway.time.nowMs).toISOString() },
        ...{ method: "GET", route: "/api/v1/transfer/accounts/{accountId}" },
        ...{ status: "failed", http_status: 400, code: "INVALID_REQUEST" },
        duration_ms: expect.any(Number),
        created_by: { type: "api_key", id: acme.keyId, name: "ERP" },
        record_id: accountPath.split("/").at(-1),
      },
    ]);
    const documents = await gateway.db.collection("request_log").find().toArray();
    expect(JSON.stringify(documents)).not.toMatch(/hunter2|dsb_test_/);
  });

  it("have the code of a service's refusal, and none of a path that names no record", async () => {
    gateway.fakes.payout.getPayout = () => {
      throw new ConnectError("no", Code.Unavailable);
    };
    await ask("down", "/api/v1/transfer/payouts/ada@example.com");
    await stored("down");
    const [row] = (await list("?request_id=down")).requests;
    expect(row).toMatchObject({ http_status: 503, code: "SERVICE_UNAVAILABLE", record_id: "" });
  });

  it("come page by page, newest first, and by their status", async () => {
    await send("a", "b", "c", "d", "e");
    const first = await list("?limit=2");
    expect([idsOf(first), first.meta_data.total_count]).toEqual([["e", "d"], 5]);
    const cursor = (page: Page) => `cursor=${page.meta_data.next_cursor}`;
    const second = await list(`?limit=2&${cursor(first)}`);
    expect(idsOf(second)).toEqual(["c", "b"]);
    const last = await list(`?limit=2&${cursor(second)}`);
    expect([idsOf(last), last.meta_data.next_cursor]).toEqual([["a"], ""]);
    const failed = await list("?status=failed");
    expect([idsOf(failed), failed.meta_data.total_count]).toEqual([["d", "b"], 2]);
    expect(idsOf(await list("?status=succeeded"))).toEqual(["e", "c", "a"]);
  });

  it("are cut by time, the end exclusive", async () => {
    const begunMs = gateway.time.nowMs;
    await send("a", "b", "c");
    const at = (place: number) => new Date(begunMs + place * 1_000).toISOString();
    const page = await list(`?created_from=${at(2)}&created_to=${at(3)}`);
    expect([idsOf(page), page.meta_data.total_count]).toEqual([["b"], 1]);
  });

  it("are in order where documents of several gateways overlap", async () => {
    const base = gateway.time.nowMs;
    const entry = (ms: number) => ({
      ...{ at: new Date(base + ms), request_id: `o-${ms}`, route: "GET /api/v1/events" },
      ...{ status: 200, duration_ms: 1, caller_id: acme.keyId },
    });
    const document = (...times: number[]) => ({
      ...{ _id: newId("requestLog"), schema_version: 1, merchant_id: acme.merchantId },
      ...{ caller: "api_key", first_at: new Date(base + (times[0] ?? 0)) },
      last_at: new Date(base + (times.at(-1) ?? 0)),
      requests: times.map(entry),
    });
    const documents = [document(1, 4, 9), document(2, 5), document(3, 8), document(6, 7)];
    const collection = gateway.db.collection<{ _id: string }>("request_log");
    await collection.insertMany(documents);
    const seen: string[] = [];
    for (let query = "?limit=2"; ; ) {
      const page = await list(query);
      seen.push(...idsOf(page));
      if (page.meta_data.next_cursor === "") break;
      query = `?limit=2&cursor=${page.meta_data.next_cursor}`;
    }
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((ms) => `o-${ms}`));
  });

  it("are its own, and need the scope", async () => {
    await send("mine");
    const globex = await gateway.merchant();
    expect(idsOf(await list("?request_id=mine", globex.key))).toEqual([]);
    const { key } = await gateway.merchant({ scopes: ["payout:read"] });
    expect((await gateway.ask({ path, key })).status).toBe(403);
  });

  it("end after seven days", async () => {
    await send("old");
    gateway.time.nowMs += 7 * 24 * 60 * 60_000 - 1;
    await gateway.gateway.sweep();
    expect(idsOf(await list("?request_id=old"))).toEqual(["old"]);
    gateway.time.nowMs += 1;
    await gateway.gateway.sweep();
    expect(idsOf(await list("?request_id=old"))).toEqual([]);
  });
});
