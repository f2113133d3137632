import { tracingChannel } from "node:diagnostics_channel";
import {
  type ClientBulkWriteResult,
  MongoClientBulkWriteError,
  MongoNotConnectedError,
  MongoServerError,
} from "mongodb";
import { describe, expect, it, vi } from "vitest";
import { type BulkWrite, createGroupCommit, type WriteModel } from "./group-commit.ts";
import type { ObserveBatch } from "./observe.ts";

const model = (of: object) => ({ namespace: "shop.rows", ...of }) as WriteModel;
const insert = (_id: string, more: object = {}) =>
  model({ name: "insertOne", document: { _id, ...more } });
const update = (_id: string, set: object = { n: 1 }) =>
  model({ name: "updateOne", filter: { _id }, update: { $set: set } });
const replace = (_id: string, replacement: object) =>
  model({ name: "replaceOne", filter: { _id }, replacement });
const remove = (_id: string) => model({ name: "deleteOne", filter: { _id } });

const nothing = {} as ClientBulkWriteResult;
const unasked = () => Promise.reject(new Error("went out alone"));

/** Requests writes in one turn; returns the sizes of the batches sent to `bulkWrite`. */
function committing(bulkWrite: BulkWrite = async () => nothing) {
  const sizes: number[] = [];
  const sent: BulkWrite = (models) => {
    sizes.push(models.length);
    return bulkWrite(models);
  };
  const { write } = createGroupCommit(sent, () => undefined);
  const ask = (models: readonly WriteModel[]) =>
    Promise.allSettled(models.map((model) => write(model, unasked)));
  return { ask, sizes };
}

describe("of a batch of which the database refused one write", () => {
  const refused = { code: 11_000, message: "E11000 duplicate key" };
  const failing = (of: Partial<MongoClientBulkWriteError>) => {
    const error = Object.assign(new MongoClientBulkWriteError({ message: "refused" }), of);
    const { ask } = committing(() => Promise.reject(error));
    return { error, ended: ask([insert("a"), update("b"), remove("c")]) };
  };
  const updated = { matchedCount: 1, modifiedCount: 1, didUpsert: false };

  it("each of the others is answered by its own part of the result", async () => {
    const partialResult = {
      updateResults: new Map([[1, updated]]),
      deleteResults: new Map([[2, { deletedCount: 1 }]]),
    } as unknown as ClientBulkWriteResult;
    const { ended } = failing({ writeErrors: new Map([[0, refused]]), partialResult } as never);
    const [first, ...others] = await ended;
    const { reason } = first as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(MongoServerError);
    expect([reason.code, reason.message]).toEqual([11_000, "E11000 duplicate key"]);
    const none = { upsertedCount: 0, upsertedId: null };
    expect(others.map((each) => (each as PromiseFulfilledResult<unknown>).value)).toEqual([
      { acknowledged: true, matchedCount: 1, modifiedCount: 1, ...none },
      { acknowledged: true, deletedCount: 1 },
    ]);
  });

  it.each([
    ["its cause is another one", { cause: new MongoServerError({ message: "stepped down" }) }],
    ["no majority has it", { writeConcernErrors: [{ code: 64, message: "timed out" }] }],
  ])("the outcome of all is unknown if %s", async (_what, more) => {
    const { error, ended } = failing({ writeErrors: new Map([[0, refused]]), ...more } as never);
    const reasons = (await ended).map((each) => (each as PromiseRejectedResult).reason);
    expect(reasons).toEqual([error, error, error]);
  });
});

it("sends inserts first, then by collection, and answers each write by its own result", async () => {
  const sent: WriteModel[] = [];
  const { ask } = committing(async (models) => {
    sent.push(...models);
    const updateResults = new Map(
      models.map(({ name, namespace }, at) => [
        at,
        { matchedCount: Number(name === "updateOne"), modifiedCount: namespace.length },
      ]),
    );
    return { ...nothing, updateResults } as unknown as ClientBulkWriteResult;
  });
  const of = (namespace: string, write: WriteModel) => ({ ...write, namespace }) as WriteModel;
  const ended = await ask([
    of("shop.b", update("1")),
    of("shop.b", insert("2")),
    of("shop.long", update("3")),
    of("shop.a", insert("4")),
    of("shop.a", update("5")),
  ]);
  expect(sent.map(({ name, namespace }) => `${name} ${namespace}`)).toEqual([
    "insertOne shop.a",
    "insertOne shop.b",
    "updateOne shop.a",
    "updateOne shop.b",
    "updateOne shop.long",
  ]);
  const results = ended.map((each) => (each as PromiseFulfilledResult<object>).value);
  expect(results).toMatchObject([
    { modifiedCount: 6 },
    { insertedId: "2" },
    { modifiedCount: 9 },
    { insertedId: "4" },
    { modifiedCount: 6 },
  ]);
});

it("refuses a write if 10,000 wait, as an unreachable database would", async () => {
  const { ask, sizes } = committing();
  const ended = await ask(Array.from({ length: 10_001 }, (_each, at) => insert(`${at}`)));
  const refusals = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refusals).toEqual([new MongoNotConnectedError("too many writes wait for the database")]);
  expect(sizes.slice(0, 2)).toEqual([256, 256]);
});

const large = "x".repeat(3 * 1_024 * 1_024);

it.each([
  ["inserts", insert("a", { large }), insert("b", { large })],
  ["updates", update("a", { large }), update("b", { large })],
  ["replacements", replace("a", { large }), replace("b", { large })],
])("sends large %s by themselves", async (_what, ...models) => {
  const { ask, sizes } = committing();
  await ask(models);
  expect(sizes).toEqual([1, 1]);
});

it.each([
  ["an insert", insert("a", { [large]: undefined }), insert("b", { [large]: undefined })],
  ["an update", update("a", { [large]: undefined }), update("b", { [large]: undefined })],
  ["a replacement", replace("a", { [large]: undefined }), replace("b", { [large]: undefined })],
  ["a deletion", remove("a"), remove("b")],
])("counts no field of %s that is not sent", async (_what, ...models) => {
  const { ask, sizes } = committing();
  await ask(models);
  expect(sizes).toEqual([2]);
});

it("shows for each batch the wait of its first write, and its duration", async () => {
  let nowMs = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const observe = vi.fn();
  const answering: BulkWrite = async () => {
    nowMs += 30;
    return nothing;
  };
  const { write } = createGroupCommit(answering, observe);
  const asked = [write(insert("a"), unasked)];
  nowMs += 5;
  asked.push(write(insert("b"), unasked));
  await Promise.all(asked);
  await vi.waitFor(() => expect(observe).toHaveBeenCalled(), 10_000);
  expect(observe.mock.calls).toEqual([["write", { size: 2, waitedMs: 5, tookMs: 30 }]]);
});

it("traces each write, so that tests can inject faults", async () => {
  const channel = tracingChannel("disburse:write");
  const started: unknown[] = [];
  const subscriber = { start: (message: object) => void started.push({ ...message }) };
  channel.subscribe(subscriber as never);
  try {
    await committing().ask([insert("a"), remove("b")]);
  } finally {
    channel.unsubscribe(subscriber as never);
  }
  expect(started).toEqual([{ method: "insertOne" }, { method: "deleteOne" }]);
  await committing().ask([insert("a")]);
  expect(started).toHaveLength(2);
});

it("sends later writes if the batches in flight hang", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    const hung = new Promise<never>(() => undefined);
    const hanging = ["a", "b"];
    const { ask } = committing(([first]) => {
      return hanging.includes(String(first && idOf(first))) ? hung : Promise.resolve(nothing);
    });
    for (const id of hanging) {
      void ask([insert(id)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const later = ask([insert("c")]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await later).toMatchObject([{ status: "fulfilled" }]);
  } finally {
    vi.useRealTimers();
  }
});

function idOf(write: WriteModel): unknown {
  return write.name === "insertOne" ? write.document._id : write.filter._id;
}

describe("on a server without bulk writes", () => {
  /** Requests writes whose commands the test answers one by one. */
  function committingAlone() {
    const observe = vi.fn<ObserveBatch>();
    const { write } = createGroupCommit(undefined, observe);
    const sent: { readonly of: WriteModel; readonly end: () => void }[] = [];
    const ask = (models: readonly WriteModel[]) =>
      models.map((of) =>
        write(of, () => new Promise((resolve) => sent.push({ of, end: () => resolve(of) }))),
      );
    return { ask, observe, sent };
  }

  it("sends each write by itself, inserts first, with its own answer", async () => {
    const { ask, observe, sent } = committingAlone();
    const models = [update("a"), insert("b")];
    const asked = ask(models);
    await vi.waitFor(() => expect(sent.map(({ of }) => of)).toEqual(models.toReversed()));
    expect(observe).not.toHaveBeenCalled();
    for (const { end } of sent) end();
    expect(await Promise.all(asked)).toEqual(models);
    await vi.waitFor(() => expect(observe).toHaveBeenCalledTimes(1));
  });

  it("uses at most 64 connections", async () => {
    const { ask, sent } = committingAlone();
    const asked = ask(Array.from({ length: 100 }, (_each, at) => insert(`${at}`)));
    await vi.waitFor(() => expect(sent).toHaveLength(64));
    for (const { end } of sent.slice(0, 31)) end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(64);
    for (const { end } of sent.slice(31)) end();
    await vi.waitFor(() => expect(sent).toHaveLength(100));
    for (const { end } of sent.slice(64)) end();
    await Promise.all(asked);
  });

  it("uses no more connections if the batches in flight hang", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    try {
      const { ask, sent } = committingAlone();
      void ask(Array.from({ length: 100 }, (_each, at) => insert(`${at}`)));
      for (let second = 0; second < 10; second += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        vi.advanceTimersByTime(1_000);
      }
      expect(sent).toHaveLength(64);
    } finally {
      vi.useRealTimers();
    }
  });

  it("sends a document's second write after the first has ended", async () => {
    const { ask, sent } = committingAlone();
    const asked = ask([update("a", { n: 1 }), update("a", { n: 2 })]);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    sent[0]?.end();
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    sent[1]?.end();
    await Promise.all(asked);
  });
});
