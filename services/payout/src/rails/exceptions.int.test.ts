import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPayout, openPayouts } from "../payouts/store.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { createRailDirectory } from "./directory.ts";
import { reportOutcome } from "./reports.ts";
import { openRailStates } from "./states.ts";
import { workOnDuePayout } from "./worker.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.rails.current = platform.sandboxRail;
  accountId = await platform.fundedAccount(merchantId, "1000.00");
});

async function observe(id: string) {
  const payout = await findPayout(platform.payouts, id);
  return { stage: payout?.progress.stage, rail: payout?.rail, exception: payout?.exception?.kind };
}

/** Works with a directory of real routes until nothing is due. */
async function workWith(directory: ReturnType<typeof createRailDirectory>, ms = 0) {
  platform.world.offsetMs += ms;
  while (await workOnDuePayout({ ...platform.parts, rails: directory }));
}

const ach = {
  currencies: ["USD"],
  transferMethods: ["ACH"],
  networks: [],
  limits: { USD: { min: 1_001n } },
};
const never = async () => false;

describe("a payout that waits", () => {
  it.each([
    ["for a route", createRailDirectory([testRail({})], [], never)],
    [
      "because its amount is below the rail's limits",
      createRailDirectory([testRail({ capabilities: ach })], [{ rail: "scripted" }], never),
    ],
  ])("%s stays queued, and an exception is raised; then it goes on", async (_what, directory) => {
    const id = await platform.execute(accountId, "order");
    await workWith(directory);
    await workWith(directory, 3_600_000);
    expect(await observe(id)).toEqual({ stage: "queued", rail: "", exception: "stuck" });
    await platform.after(30_000);
    expect(await observe(id)).toEqual({
      stage: "processing",
      rail: "sandbox",
      exception: undefined,
    });
  });

  it.each([
    ["says no", async () => false],
    ["throws", () => Promise.reject(new Error("away"))],
  ])("for a rail that is down (%s) stays queued without an exception", async (_what, available) => {
    const rail = testRail({ capabilities: { ...ach, limits: {} }, available });
    const directory = createRailDirectory([rail], [{ rail: "scripted" }], never);
    const id = await platform.execute(accountId, "order");
    await workWith(directory);
    await workWith(directory, 3_600_000);
    expect(await observe(id)).toEqual({ stage: "queued", rail: "", exception: undefined });
  });

  it("for a paused rail goes on when an operator resumes it", async () => {
    const { sandboxRail, operatorRpc, database } = platform;
    const clock = platform.parts.clock;
    const { isPaused } = openRailStates(database, clock);
    const directory = createRailDirectory([sandboxRail], [{ rail: "sandbox" }], isPaused);
    const actor = { kind: Actor_Kind.OPERATOR as Actor_Kind, id: "ops-1" };
    const pause = (paused: boolean, reason: string, who = actor) =>
      operatorRpc.setRailPaused({
        mutation: { operationId: platform.operation().operationId, actor: who },
        ...{ rail: "sandbox", paused, reason },
      });
    await expect(pause(true, "")).rejects.toThrow("reason: must be");
    const service = { kind: Actor_Kind.SERVICE, id: "x" };
    await expect(pause(true, "x", service)).rejects.toThrow("must be an operator");
    const id = await platform.execute(accountId, "order");
    expect(await platform.states.isPaused("sandbox")).toBe(false);
    platform.isWoken();
    await pause(true, "bank holiday");
    expect(platform.isWoken()).toBe(false);
    expect(await platform.states.isPaused("sandbox")).toBe(true);
    const { rails } = await operatorRpc.listRails({});
    expect(rails).toMatchObject([{ name: "sandbox", paused: true, reason: "bank holiday" }]);
    await workWith(directory);
    expect(await observe(id)).toEqual({ stage: "queued", rail: "", exception: undefined });
    expect((await pause(false, "")).rail).toMatchObject({ paused: false, reason: "" });
    expect(platform.isWoken()).toBe(true);
    await workWith(directory, 30_000);
    expect(await observe(id)).toMatchObject({ stage: "processing", rail: "sandbox" });
  });
});

it("is not sent again to a rail that is away, though that never saw the key", async () => {
  let submits = 0;
  let isThere = true;
  const rail = testRail({
    capabilities: { ...ach, limits: {} },
    available: async () => isThere,
    submit: async () => {
      submits += 1;
      throw new Error("cut");
    },
    query: async () => ({ status: { kind: "not_received" } }),
  });
  const directory = createRailDirectory([rail], [{ rail: "scripted" }], never);
  await platform.execute(accountId, "order");
  await workWith(directory);
  isThere = false;
  await workWith(directory, 60_000);
  await workWith(directory, 60_000);
  expect(submits).toBe(1);
  isThere = true;
  await workWith(directory, 60_000);
  expect(submits).toBe(2);
});

it("polls a settled payout with backoff where the rail never knows of a return", async () => {
  const asked: string[] = [];
  platform.rails.current = testRail({
    submit: async () => ({ status: { kind: "accepted" }, pollAfterMs: 1_000 }),
    query: async (key) => {
      asked.push(key);
      return { status: { kind: "unknown" }, pollAfterMs: 1_000 };
    },
  });
  const id = await platform.execute(accountId, "order");
  await platform.after(0);
  const settled = { outcome: RailOutcome.SETTLED, transactionReference: "R" };
  const mutation = platform.operation();
  await platform.rpc.reportRailOutcome({ mutation, payoutId: id, ...settled });
  await platform.after(1_000);
  expect((await observe(id)).stage).toBe("settled");
  await platform.after(86_400_000);
  const times = () => asked.filter((key) => key === id).length;
  const before = times();
  for (let minutes = 0; minutes < 20; minutes += 1) await platform.after(60_000);
  expect(before).toBeGreaterThan(0);
  expect(times()).toBe(before);
});

it("polls the rail that it was sent to, whatever the present routes", async () => {
  const asked: string[] = [];
  const railOf = (name: string) =>
    testRail({
      name,
      capabilities: { ...ach, limits: {} },
      submit: async () => ({ status: { kind: "accepted" }, pollAfterMs: 1_000 }),
      query: async () => {
        asked.push(name);
        return { status: { kind: "settled", reference: "R" } };
      },
    });
  const rails = [railOf("first"), railOf("second")];
  const id = await platform.execute(accountId, "order");
  await workWith(createRailDirectory(rails, [{ rail: "first" }], never));
  const changed = createRailDirectory(rails, [{ rail: "second" }], never);
  await workWith(createRailDirectory(rails.slice(1), [{ rail: "second" }], never), 1_000);
  expect(await observe(id)).toEqual({ stage: "processing", rail: "first", exception: "stuck" });
  await workWith(changed, 30_000);
  expect(await observe(id)).toEqual({ stage: "settled", rail: "first", exception: undefined });
  expect(asked[0]).toBe("first");
});

describe("an exception is raised", () => {
  it("when the rail takes longer than usual, until it settles", async () => {
    let status: RailReply["status"] = { kind: "accepted" };
    platform.rails.current = testRail({ query: async () => ({ status }) });
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    for (let days = 0.5; days < 1; days += 0.25) {
      await platform.after(21_600_000);
      expect((await observe(id)).exception).toBeUndefined();
    }
    await platform.after(43_300_000);
    await platform.after(61_000);
    expect(await observe(id)).toMatchObject({ stage: "processing", exception: "stuck" });
    status = { kind: "settled", reference: "R" };
    await platform.after(61_000);
    expect(await observe(id)).toMatchObject({ stage: "settled", exception: undefined });
  });

  it.each<[string, RailReply]>([
    ["contradicts itself", { status: { kind: "rejected" } }],
    [
      "tells another amount",
      { status: { kind: "returned" }, transferred: { amount: "9.99", currency: "USD" } },
    ],
  ])("when the rail %s at a question", async (_what, later) => {
    const said: RailReply[] = [
      { status: { kind: "settled", reference: "R" }, pollAfterMs: 1_000 },
      later,
    ];
    platform.rails.current = testRail({ submit: async () => said[0]!, query: async () => later });
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(await observe(id)).toMatchObject({ stage: "settled", exception: undefined });
    await platform.after(1_100);
    expect(await observe(id)).toMatchObject({ stage: "settled", exception: "contradicted" });
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account).toMatchObject({ available: "990.00", held: "0.00" });
  });

  it("also by a contradiction during a poll, whose result still applies", async () => {
    const clock = platform.parts.clock;
    const by = { actor: { kind: "service", id: "rail" }, operationId: "op" } as const;
    platform.rails.current = testRail({
      submit: async (key) => {
        const transferred = { amount: "11.00", currency: "USD" };
        const word = { status: { kind: "settled", reference: "R" }, transferred } as const;
        await reportOutcome({ ...platform.parts, clock, wake: () => undefined }, key, word, by);
        return { status: { kind: "accepted" } };
      },
      query: async () => ({ status: { kind: "settled", reference: "R" } }),
    });
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(await observe(id)).toMatchObject({ stage: "settled", exception: "contradicted" });
  });
});

it("continues within 10 s of a worker's death, at any step, and submits nothing twice", async () => {
  const submits: string[] = [];
  platform.rails.current = testRail({
    submit: async (key) => {
      submits.push(key);
      return { status: { kind: "accepted" }, pollAfterMs: 0 };
    },
    query: async () => ({ status: { kind: "settled", reference: "R" } }),
  });
  const { payouts, parts: worker } = platform;
  const id = await platform.execute(accountId, "order");
  const die = () => Promise.reject(new Error("killed"));
  for (const survived of [0, 1, 2]) {
    let left = survived;
    // A killed worker writes nothing more, not even its release.
    const dying: typeof payouts = Object.assign(Object.create(payouts), {
      updateOne: (...given: Parameters<typeof payouts.updateOne>) =>
        left-- > 0 ? payouts.updateOne(...given) : die(),
    });
    await workOnDuePayout({ ...worker, payouts: dying }).catch(() => undefined);
    platform.world.offsetMs += 9_000;
  }
  await platform.after(0);
  expect(await observe(id)).toMatchObject({ stage: "settled" });
  expect(submits).toEqual([id]);
});

it("never has two calls for one payout at once, though two processes work", async () => {
  const running = new Map<string, number>();
  let most = 0;
  const calls = new Map<string, number>();
  const call = async (key: string, status: RailReply) => {
    running.set(key, (running.get(key) ?? 0) + 1);
    most = Math.max(most, running.get(key) ?? 0);
    await new Promise(setImmediate);
    running.set(key, (running.get(key) ?? 0) - 1);
    return status;
  };
  platform.rails.current = testRail({
    submit: (key) => {
      calls.set(key, (calls.get(key) ?? 0) + 1);
      return call(key, { status: { kind: "accepted" }, pollAfterMs: 0 });
    },
    query: (key) => call(key, { status: { kind: "settled", reference: "R" } }),
  });
  const ids: string[] = [];
  for (let at = 0; at < 20; at += 1) ids.push(await platform.execute(accountId, `order-${at}`));
  const name = platform.database.db.databaseName;
  const other = await connectDatabase(mongodbUri(name), name);
  const second = {
    ...platform.parts,
    payouts: openPayouts(other),
    place: "second:8080",
  };
  const until = async (deps: typeof platform.parts) => {
    while (await workOnDuePayout(deps));
  };
  await Promise.all([platform.parts, second].flatMap((deps) => [until(deps), until(deps)]));
  platform.world.offsetMs += 10;
  await Promise.all([until(platform.parts), until(second)]);
  await other.close();
  for (const id of ids) expect(await observe(id)).toMatchObject({ stage: "settled" });
  expect([...calls.entries()].filter(([key]) => ids.includes(key))).toEqual(
    expect.arrayContaining(ids.map((id) => [id, 1])),
  );
  expect(most).toBe(1);
});
