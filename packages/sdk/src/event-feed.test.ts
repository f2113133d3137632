import { expect, test } from "vitest";
import { Disburse } from "./disburse.ts";
import { EventFeed, type EventFeedOptions, eventFeed } from "./event-feed.ts";
import { data, scripted } from "./test-platform.ts";

const page = (ids: readonly string[], next: string, more: boolean) =>
  data(JSON.stringify({ events: ids.map((id) => ({ id })), next_cursor: next, has_more: more }));

async function idsOf(feed: EventFeed): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of feed) ids.push(id);
  return ids;
}

test("yields all events of all pages and has a cursor", async () => {
  const { sent, options } = scripted([
    page(["a", "b"], "c1", true),
    page(["c"], "c2", false),
    page([], "c2", false),
  ]);
  const feed = eventFeed(new Disburse(options));
  expect(feed.cursor).toBeUndefined();
  const seen: [string, string | undefined][] = [];
  for await (const { id } of feed) seen.push([id, feed.cursor]);
  // The cursor advances only after the last event of a page.
  expect(seen).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["c", "c1"],
  ]);
  expect(feed.cursor).toBe("c2");
  expect(await idsOf(feed)).toEqual([]);
  expect(sent.map(({ url }) => url.split("?")[1])).toEqual([
    "limit=100",
    "limit=100&after=c1",
    "limit=100&after=c2",
  ]);
});

test("continues after a stored cursor and repeats an unfinished page", async () => {
  const first = () => page(["a", "b"], "c1", false);
  const { sent, options } = scripted([first, first]);
  const feed = eventFeed(new Disburse(options), { after: "c0", limit: 2 });
  for await (const { id } of feed) if (id === "a") break;
  expect(feed.cursor).toBe("c0");
  expect(await idsOf(feed)).toEqual(["a", "b"]);
  expect(sent.map(({ url }) => url.split("?")[1])).toEqual(Array(2).fill("limit=2&after=c0"));
});

test("keeps its cursor if a page has none", async () => {
  const { options } = scripted([page([], "", false)]);
  const feed = eventFeed(new Disburse(options), { after: "c0" });
  expect(await idsOf(feed)).toEqual([]);
  expect(feed.cursor).toBe("c0");
});

test("polls with pollMs until its signal aborts", async () => {
  const replies = [page(["a"], "c1", false), page([], "c1", false), page(["b"], "c2", false)];
  const { options } = scripted(replies);
  const { webhookEvents } = new Disburse(options);
  const stop = new AbortController();
  const waits: number[] = [];
  const wait = async (ms: number, signal: AbortSignal | undefined) => {
    waits.push(ms);
    if (waits.length === 3) stop.abort(new Error("enough"));
    signal?.throwIfAborted();
  };
  const feedOptions: EventFeedOptions = { pollMs: 500, signal: stop.signal };
  const feed = new EventFeed(webhookEvents, feedOptions, { wait });
  const ids: string[] = [];
  const reading = (async () => {
    for await (const { id } of feed) ids.push(id);
  })();
  await expect(reading).rejects.toThrow("enough");
  expect([ids, waits, feed.cursor]).toEqual([["a", "b"], [500, 500, 500], "c2"]);
});

test.each([
  ["leads to its own page", page(["b"], "c0", true)],
  ["leads nowhere", page(["b"], "", true)],
  ["is no list", data('{"events":{},"next_cursor":"","has_more":false}')],
  ["has no cursor", data('{"events":[],"has_more":false}')],
])("rejects a page that %s", async (_, reply) => {
  const { options } = scripted([reply]);
  const feed = eventFeed(new Disburse(options), { after: "c0" });
  await expect(idsOf(feed)).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER" });
});

test("throws a TypeError for an unknown option", () => {
  const { options } = scripted([]);
  const unknown = { since: "evt_1" } as EventFeedOptions;
  expect(() => eventFeed(new Disburse(options), unknown)).toThrow("no option is named since");
});

test.each([0, -1, 1.5, Number.NaN])("throws a TypeError for pollMs %j", (pollMs) => {
  const { options } = scripted([]);
  expect(() => eventFeed(new Disburse(options), { pollMs })).toThrow(TypeError);
});
