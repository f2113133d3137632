import { get as httpGet, type IncomingMessage } from "node:http";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openSessions } from "../sessions/store.ts";
import { emailHash, openMembers, sealPerson } from "../team/store.ts";
import {
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";
import { createFeeds } from "./feed.ts";

let gateway: TestGateway;
let merchantId: string;
let feed: { readonly transactionType: string; readonly transactionId: string }[];
const draining = new AbortController();

beforeAll(async () => {
  gateway = await startTestGateway({}, undefined, {}, { draining: draining.signal });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  merchantId = newId("merchant");
  feed = [];
  gateway.fakes.notifier.listEvents = (request) => {
    const { atEnd, after } = request as { atEnd: boolean; after: string };
    const from = atEnd ? feed.length : Number(after);
    return { events: atEnd ? [] : feed.slice(from), nextCursor: String(feed.length) };
  };
});

const sealer = createSealer(testSealingKey);

/** A member of the merchant's team with a session. */
async function signedIn({ db, time } = gateway) {
  const members = openMembers(db, { sealer, emailHashes: testEmailHashes });
  const id = newId("member");
  const person = { name: "Mia", email: `${id}@acme.example` };
  const now = new Date(time.nowMs);
  await members.collection.insertOne({
    ...{ _id: id, schema_version: 1, merchant_id: merchantId, role: "viewer" },
    sealed_person: sealPerson(members, { merchantId, id }, person),
    email_hash: emailHash(members, person.email),
    ...{ signed_in_at: now, removed_at: null, created_at: now },
    created_by: { kind: "service", id: "sandbox" },
    operation: { id },
  });
  const sessions = openSessions(db, { sealer, clock: { now: () => now } });
  const token = await sessions.begin({
    ...{ kind: "member", memberId: id, person: { id, ...person }, signedInAt: now },
    merchant: { id: merchantId, name: "acme" },
  });
  return { token, end: () => sessions.end(token) };
}

/** Opens a page's event stream and records its text and its end. */
async function open(token: string | undefined, { url } = gateway) {
  const headers = token === undefined ? {} : { cookie: `disburse_member=${token}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(`${url}/console/events`, { headers }, resolve).on("error", reject);
  });
  const stream = { text: "", isEnded: false };
  response.on("data", (chunk: Buffer) => {
    stream.text += chunk.toString();
  });
  response.once("end", () => {
    stream.isEnded = true;
  });
  return { response, stream, close: () => response.destroy() };
}

const within = { timeout: 8_000, interval: 20 };

it("pages of one merchant use up its own share, and another's open", async () => {
  const streamLimits = { noun: "pages", callerMax: 2, merchantMax: 3 };
  const small = await startTestGateway({ streamLimits });
  small.fakes.notifier.listEvents = () => ({ events: [], nextCursor: "0" });
  const pages: Awaited<ReturnType<typeof open>>[] = [];
  const statusOf = async (token: string) => {
    const page = await open(token, small);
    pages.push(page);
    return page.response.statusCode;
  };
  try {
    const [mia, max] = [await signedIn(small), await signedIn(small)];
    const ofFirst = [await statusOf(mia.token), await statusOf(mia.token)];
    expect([...ofFirst, await statusOf(mia.token)]).toEqual([200, 200, 429]);
    expect([await statusOf(max.token), await statusOf(max.token)]).toEqual([200, 429]);
    merchantId = newId("merchant");
    expect(await statusOf((await signedIn(small)).token)).toBe(200);
    pages[0]?.close();
    await vi.waitFor(async () => expect(await statusOf(max.token)).toBe(200), within);
  } finally {
    for (const page of pages) page.close();
    await small.stop();
  }
});

describe("a page's events", () => {
  it("have only ids of its merchant's new events", async () => {
    feed.push({ transactionType: "payout_session", transactionId: "po_before" });
    const { token } = await signedIn();
    const page = await open(token);
    expect(page.response.headers["content-type"]).toBe("text/event-stream");
    await vi.waitFor(() => expect(page.stream.text).toContain(": connected"), within);
    await new Promise((resolve) => setImmediate(resolve));
    feed.push({ transactionType: "payout_session", transactionId: "po_1" });
    feed.push({ transactionType: "account", transactionId: "acc_1" });
    await vi.waitFor(() => {
      expect(page.stream.text).toContain('event: payout\ndata: {"id":"po_1"}\n\n');
      expect(page.stream.text).toContain('event: account\ndata: {"id":"acc_1"}\n\n');
    }, within);
    expect(page.stream.text).not.toContain("po_before");
    page.close();
  });

  it("end with the session, and at most four of a member's are open", async () => {
    const { token, end } = await signedIn();
    const pages = await Promise.all([1, 2, 3, 4].map(() => open(token)));
    const fifth = await open(token);
    expect(fifth.response.statusCode).toBe(429);
    await end();
    await vi.waitFor(() => {
      expect(pages.map(({ stream }) => stream.isEnded)).toEqual([true, true, true, true]);
    }, within);
    expect((await open(token)).response.statusCode).toBe(401);
    expect((await open(undefined)).response.statusCode).toBe(401);
  });

  it("end with the session, also after the deadline of the request that opened them", async () => {
    const { token, end } = await signedIn();
    const page = await open(token);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    try {
      await end();
      await vi.waitFor(() => expect(page.stream.isEnded).toBe(true), within);
    } finally {
      vi.useRealTimers();
    }
  });

  it("begin when the feed is followed, so that a page that reads then misses nothing", async () => {
    const { listEvents } = gateway.fakes.notifier;
    gateway.fakes.notifier.listEvents = () => {
      throw new Error("away");
    };
    const { token } = await signedIn();
    let isOpen = false;
    const opening = open(token).then((page) => {
      isOpen = true;
      return page;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isOpen).toBe(false);
    Object.assign(gateway.fakes.notifier, { listEvents });
    const page = await opening;
    feed.push({ transactionType: "account", transactionId: "acc_1" });
    await vi.waitFor(() => expect(page.stream.text).toContain("acc_1"), within);
    page.close();
  });

  it("end where the gateway is about to stop, however many are open", async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => void warnings.push(warning);
    process.on("warning", keep);
    const tokens = await Promise.all(
      Array.from({ length: 11 }, async () => (await signedIn()).token),
    );
    const pages = await Promise.all(tokens.map((token) => open(token)));
    draining.abort();
    await vi.waitFor(() => {
      expect(pages.every(({ stream }) => stream.isEnded)).toBe(true);
    }, within);
    process.off("warning", keep);
    expect(warnings).toEqual([]);
  });
});

it("a feed is read once for all pages of a merchant, and not at all without one", async () => {
  let reads = 0;
  let isAway = false;
  const listEvents = async ({ atEnd }: { atEnd?: boolean }) => {
    reads += 1;
    if (isAway) throw new Error("away");
    const events = atEnd ? [] : [{ transactionType: "payout_session", transactionId: "po_1" }];
    return { events, nextCursor: "1" };
  };
  const feeds = createFeeds({ notifier: { listEvents } as never, log: silentLog, pollMs: 5 });
  const seen: string[] = [];
  const ends = ["a", "b"].map((page) => feeds.follow("mer_1", ({ id }) => seen.push(page + id)));
  await vi.waitFor(() => expect(seen.slice(0, 2)).toEqual(["apo_1", "bpo_1"]), 10_000);
  expect(reads).toBeLessThan(seen.length + 2);
  // A failed read does not end the stream.
  isAway = true;
  const before = reads;
  await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 1), 10_000);
  isAway = false;
  const known = seen.length;
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(known), 10_000);
  for (const end of ends) end();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const after = reads;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(reads).toBe(after);
});
