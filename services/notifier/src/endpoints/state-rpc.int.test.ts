import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@disburse/chassis/log.ts";
import {
  CircuitState,
  DeliveryOrder,
  EndpointState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSender, type SenderOptions } from "../sender/sender.ts";
import {
  acknowledged,
  hookUrl,
  notFound,
  operation,
  payoutMessage,
  refusal,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
  used,
} from "../test-notifier.ts";
import { openHealthStore } from "./health-store.ts";
import type { Health } from "./rules/health.ts";
import { interfaceSignature, standardSignature } from "./rules/signature.ts";

let sandbox: TestNotifier;
let strict: TestNotifier;
let live: TestNotifier;

beforeAll(async () => {
  sandbox = await startTestNotifier();
  const beside = { name: sandbox.name, world: sandbox.world };
  strict = await startTestNotifier({ beside, verifyUrls: true });
  live = await startTestNotifier({ beside, policy: "public" });
});

afterAll(async () => {
  await sandbox.database.db.dropDatabase();
  for (const each of [sandbox, strict, live]) await each.close();
});

const newUrl = "http://127.0.0.1:9/new";
const { ACTIVE, PAUSED, UNVERIFIED } = EndpointState;

/** Registers an endpoint. Returns calls that change it, each with a new operation. */
async function endpointOf(notifier: TestNotifier, url = hookUrl) {
  const made = await register(notifier, newId("merchant"), url);
  const { merchantId, endpointId } = made;
  const withOperation = (more: object = {}) => ({
    ...{ mutation: operation(), merchantId, endpointId, ...more },
  });
  const get = async () => (await notifier.rpc.getEndpoint({ merchantId, endpointId })).endpoint;
  return { ...made, withOperation, get };
}

describe("an endpoint", () => {
  it("gets the events that it subscribes to, in its order", async () => {
    const { rpc } = sandbox;
    const merchantId = newId("merchant");
    const plain = { mutation: operation(), merchantId, url: hookUrl };
    const { endpoint } = await rpc.createEndpoint(plain);
    const defaults = { order: DeliveryOrder.BOUNDED, eventTypes: ["*"], pendingUrl: "" };
    expect(endpoint).toMatchObject({ ...defaults, state: ACTIVE });
    expect(endpoint?.health).toBeUndefined();
    const eventTypes = ["payout_session.failed", "refund"];
    const request = { ...plain, mutation: operation(), order: "strict", eventTypes };
    const second = await rpc.createEndpoint(request);
    expect(second.endpoint).toMatchObject({ order: DeliveryOrder.STRICT, eventTypes });
  });

  it("shows its health", async () => {
    const { rpc, database, world } = sandbox;
    const { merchantId, endpointId, withOperation, get } = await endpointOf(sandbox);
    const fresh = { circuit: CircuitState.CLOSED, concurrencyLimit: 8, pendingCount: 0n };
    expect((await get())?.health).toMatchObject({ ...fresh, lastFailure: "" });
    const { write } = openHealthStore(database);
    const saved: Health = {
      ...{ circuit: "open", concurrency: 1, consecutiveFailures: 12, lastFailure: "timeout" },
      lastFailedAt: world.now,
    };
    await write(new Map([[endpointId, saved]]));
    await rpc.pauseEndpoint(withOperation());
    await sandbox.consume([payoutMessage({ merchantId })]);
    const oldest = world.now;
    sandbox.advance(1_000);
    await sandbox.consume([payoutMessage({ merchantId })]);
    const health = (await get())?.health;
    expect(health).toMatchObject({
      ...{ circuit: CircuitState.OPEN, concurrencyLimit: 1, consecutiveFailures: 12 },
      ...{ lastFailure: "timeout", pendingCount: 2n },
      oldestPendingAt: { seconds: BigInt(oldest.getTime() / 1_000) },
    });
    expect(health?.lastDeliveredAt).toBeUndefined();
    const [listed] = (await rpc.listEndpoints({ merchantId })).endpoints;
    expect(listed?.health).toEqual(health);
  });

  it("caches the count of a long backlog", async () => {
    const { rpc, deliveries } = sandbox;
    const { merchantId, endpointId, withOperation, get } = await endpointOf(sandbox);
    const pendingCount = async () => (await get())?.health?.pendingCount;
    await rpc.pauseEndpoint(withOperation());
    await sandbox.consume([payoutMessage({ merchantId })]);
    const one = await deliveries.collection.findOne({ endpoint_id: endpointId });
    if (one === null) throw new Error("nothing waits");
    const more = (count: number) =>
      deliveries.collection.insertMany(
        Array.from({ length: count }, () => {
          const _id = newId("delivery");
          return { ...one, _id, line: _id };
        }),
      );
    await more(998);
    expect(await pendingCount()).toBe(999n);
    await more(1);
    expect(await pendingCount()).toBe(1_000n);
    await more(1);
    expect(await pendingCount()).toBe(1_000n);
    sandbox.advance(10_000);
    expect(await pendingCount()).toBe(1_001n);
    await rpc.deleteEndpoint(withOperation());
  });
});

describe("an update", () => {
  it("changes what it names and nothing else", async () => {
    const { rpc, endpoints } = sandbox;
    const { endpointId, withOperation, get } = await endpointOf(sandbox);
    const update = async (fields: object) =>
      (await rpc.updateEndpoint(withOperation(fields))).endpoint;
    const eventTypes = ["payout_session"];
    const changed = await update({ description: "till", order: "none", eventTypes });
    const configuration = { description: "till", order: DeliveryOrder.NONE, eventTypes };
    expect(changed).toMatchObject({ ...configuration, url: hookUrl, state: ACTIVE });
    expect(changed?.health).toBeUndefined();
    const expected = { ...configuration, url: newUrl, state: ACTIVE, pendingUrl: "" };
    expect(await update({ url: newUrl })).toMatchObject(expected);
    expect(await update({ description: "" })).toMatchObject({ ...expected, description: "" });
    expect(await get()).toMatchObject({ ...expected, description: "" });
    const stored = await endpoints.collection.findOne({ _id: endpointId });
    expect(stored?.operations.map(({ kind, actor }) => [kind, actor.id])).toEqual([
      ...[
        ["create", "test"],
        ["update", "test"],
        ["update", "test"],
        ["update", "test"],
      ],
    ]);
  });

  let refused: Awaited<ReturnType<typeof endpointOf>>;
  beforeAll(async () => {
    refused = await endpointOf(sandbox);
  });
  it.each([
    [
      {},
      /^INVALID_REQUEST body: must have at least one of url, description, order, event_types, headers$/,
    ],
    [{ url: " " }, /^INVALID_REQUEST body: must have at least one/],
    [{ url: "nowhere" }, /^INVALID_REQUEST url: must be /],
    [{ url: "http://u:p@127.0.0.1/" }, /^INVALID_REQUEST url: must not contain a user name/],
    [{ order: "random" }, /^INVALID_REQUEST order: must be one of none, bounded, strict$/],
    [{ eventTypes: ["payout"] }, /^INVALID_REQUEST event_types: must be an array of 1 to 50/],
    [{ eventTypes: ["*", "*"] }, /^INVALID_REQUEST event_types: must be an array of 1 to 50/],
    [{ eventTypes: Array(51).fill("refund") }, /^INVALID_REQUEST event_types: must be an array/],
    [{ description: "d".repeat(256) }, /^INVALID_REQUEST description: must be at most 255/],
    [
      { unreadable: [{ field: "url", problem: "must be a string" }], order: "none" },
      /^INVALID_REQUEST url: must be a string$/,
    ],
  ])("of %j is refused", async (fields, message) => {
    const before = await refused.get();
    expect(await refusal(sandbox.rpc.updateEndpoint(refused.withOperation(fields)))).toMatch(
      message,
    );
    expect(await refused.get()).toEqual(before);
  });

  it("accepts no URL in live mode that webhooks can't reach", async () => {
    const { withOperation } = await endpointOf(live, "https://hooks.example.com/");
    const ask = (url: string) => refusal(live.rpc.updateEndpoint(withOperation({ url })));
    expect(await ask("http://hooks.example.com/")).toBe(
      "INVALID_REQUEST url: must be an https URL",
    );
    expect(await ask("https://10.0.0.1/")).toBe("INVALID_REQUEST url: must have a public address");
  });
});

describe("an operation", () => {
  it("that repeats returns its first result, despite later changes", async () => {
    const { rpc } = sandbox;
    const { withOperation, get } = await endpointOf(sandbox);
    const calls = [
      [rpc.updateEndpoint, withOperation({ url: newUrl, order: "none" })],
      [rpc.pauseEndpoint, withOperation()],
      [rpc.resumeEndpoint, withOperation()],
      [rpc.updateEndpoint, withOperation({ url: hookUrl, description: "again" })],
      [rpc.verifyEndpoint, withOperation()],
    ] as const;
    const responses: unknown[] = [];
    for (const [call, request] of calls) {
      sandbox.advance(1_000);
      responses.push(await call(request));
    }
    const after = await get();
    for (const [at, [call, request]] of calls.entries()) {
      expect(await call(request)).toEqual(responses[at]);
    }
    expect(await get()).toEqual(after);
    const [[, { mutation }]] = calls;
    expect(await refusal(rpc.pauseEndpoint(withOperation({ mutation })))).toBe(used);
  });

  it("that changes nothing succeeds each time and leaves no trace", async () => {
    const { rpc, endpoints } = sandbox;
    const { endpointId, withOperation, get } = await endpointOf(sandbox);
    const before = await get();
    const calls = [
      [rpc.updateEndpoint, withOperation({ url: hookUrl, description: "", eventTypes: ["*"] })],
      [rpc.resumeEndpoint, withOperation()],
      [rpc.verifyEndpoint, withOperation()],
      [rpc.approveEndpoint, withOperation({ mutation: by(Actor_Kind.OPERATOR) })],
    ] as const;
    sandbox.advance(1_000);
    for (const [call, request] of [...calls, ...calls]) {
      const { endpoint } = await call(request);
      expect({ ...endpoint, health: before?.health }).toEqual(before);
    }
    const paused = (await rpc.pauseEndpoint(withOperation())).endpoint;
    sandbox.advance(1_000);
    expect((await rpc.pauseEndpoint(withOperation())).endpoint).toEqual(paused);
    const stored = await endpoints.collection.findOne({ _id: endpointId });
    expect(stored?.operations.map(({ kind }) => kind)).toEqual(["create", "pause"]);
  });

  it("applies to its own merchant alone", async () => {
    const { rpc } = sandbox;
    const { endpointId } = await endpointOf(sandbox);
    const theirs = { merchantId: newId("merchant"), endpointId };
    const withOperation = () => ({ ...theirs, mutation: operation(), order: "none" });
    for (const call of [rpc.updateEndpoint, rpc.pauseEndpoint, rpc.resumeEndpoint]) {
      expect(await refusal(call(withOperation()))).toBe(notFound);
    }
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(notFound);
    expect(
      await refusal(rpc.approveEndpoint({ ...withOperation(), mutation: by(Actor_Kind.OPERATOR) })),
    ).toBe(notFound);
  });
});

describe("a pause", () => {
  it("lasts until the resumption, which wakes what has waited", async () => {
    const { rpc } = sandbox;
    const { withOperation, get } = await endpointOf(sandbox);
    for (const pause of [withOperation(), withOperation()]) {
      expect((await rpc.pauseEndpoint(pause)).endpoint?.state).toBe(PAUSED);
    }
    expect((await get())?.state).toBe(PAUSED);
    sandbox.wakes.unseen.take();
    for (const resumption of [withOperation(), withOperation()]) {
      expect((await rpc.resumeEndpoint(resumption)).endpoint?.state).toBe(ACTIVE);
    }
    expect(sandbox.wakes.unseen.take()).toBe(true);
  });
});

const by = (kind: Actor_Kind) => ({
  operationId: operation().operationId,
  actor: { kind, id: "ada" },
});

const apart =
  "INVALID_REQUEST An endpoint or host gets one challenge at a time, 5 s apart. Try again later.";

describe("a URL that has to be verified", () => {
  it("is challenged once, signed, and then live", async () => {
    const { rpc, world } = strict;
    const { merchantId, endpointId, secrets, withOperation, get } = await endpointOf(strict);
    expect((await get())?.state).toBe(UNVERIFIED);
    world.posted.length = 0;
    world.answer = () => acknowledged;
    const request = withOperation();
    const response = await rpc.verifyEndpoint(request);
    expect(response.endpoint).toMatchObject({ state: ACTIVE, url: hookUrl, pendingUrl: "" });
    const [challenge] = world.posted;
    if (challenge === undefined) throw new Error("no challenge");
    const { headers, body, url } = challenge;
    const { data, ...frame } = JSON.parse(new TextDecoder().decode(body));
    expect(url).toBe(hookUrl);
    expect(frame).toEqual({ transaction_type: "webhook_challenge", transaction_id: data.id });
    expect(data).toMatchObject({ status: "challenge", merchant_id: merchantId });
    expect(data).toMatchObject({ endpoint_id: endpointId, id: headers["webhook-id"] });
    const { secret, standardSecret } = secrets;
    const signature = interfaceSignature(data.id, "challenge", secret);
    expect(headers["X-SERVICE-Signature"]).toBe(signature);
    const timestamp = Number(headers["webhook-timestamp"]);
    expect(headers["webhook-signature"]).toBe(
      standardSignature(data.id, timestamp, body, standardSecret),
    );
    expect(await rpc.verifyEndpoint(request)).toEqual(response);
    expect((await rpc.verifyEndpoint(withOperation())).endpoint?.state).toBe(ACTIVE);
    expect(world.posted).toHaveLength(1);
  });

  it("waits while the previous one stays in use", async () => {
    const { rpc, world } = strict;
    const { withOperation, get } = await endpointOf(strict);
    world.answer = () => acknowledged;
    await rpc.verifyEndpoint(withOperation());
    const waiting = { url: hookUrl, pendingUrl: newUrl, state: ACTIVE };
    expect((await rpc.updateEndpoint(withOperation({ url: newUrl }))).endpoint).toMatchObject(
      waiting,
    );
    strict.advance(5_000);
    world.answer = () => refusedBy(404);
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(
      "INVALID_REQUEST The endpoint returned 404.",
    );
    expect(await get()).toMatchObject(waiting);
    strict.advance(5_000);
    world.answer = ({ url }) => (url === newUrl ? acknowledged : refusedBy(500));
    await rpc.verifyEndpoint(withOperation());
    expect(await get()).toMatchObject({ url: newUrl, pendingUrl: "", state: ACTIVE });
    await rpc.updateEndpoint(withOperation({ url: hookUrl }));
    await rpc.updateEndpoint(withOperation({ url: newUrl }));
    expect(await get()).toMatchObject({ url: newUrl, pendingUrl: "" });
  });

  it("is challenged one by one, 5 s apart, and again after a crash", async () => {
    const { rpc, world, database } = strict;
    const { endpointId, withOperation } = await endpointOf(strict);
    world.answer = async () => {
      expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(apart);
      return refusedBy(500);
    };
    await refusal(rpc.verifyEndpoint(withOperation()));
    world.posted.length = 0;
    strict.advance(4_999);
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(apart);
    expect(world.posted).toEqual([]);
    strict.advance(1);
    world.answer = () => {
      throw new Error("the process is gone");
    };
    await expect(rpc.verifyEndpoint(withOperation())).rejects.toThrow("internal error");
    world.answer = () => acknowledged;
    strict.advance(9_999);
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(apart);
    strict.advance(1);
    expect((await rpc.verifyEndpoint(withOperation())).endpoint?.state).toBe(ACTIVE);
    await rpc.deleteEndpoint(withOperation());
    const turns = database.db.collection<{ _id: string }>("endpoint_challenges");
    expect(await turns.countDocuments({ _id: endpointId })).toBe(0);
  });

  it("is challenged no sooner under a new endpoint of the same merchant and host", async () => {
    const { rpc, world, database } = strict;
    const first = await endpointOf(strict);
    const { merchantId } = first;
    const at = (url: string, of = merchantId) => register(strict, of, url);
    const verify = (made: object) => rpc.verifyEndpoint({ mutation: operation(), ...made });
    world.answer = () => refusedBy(500);
    world.posted.length = 0;
    await refusal(rpc.verifyEndpoint(first.withOperation()));
    await rpc.deleteEndpoint(first.withOperation());
    const again = await at("http://127.0.0.1.:10/other");
    const elsewhere = await at("http://127.0.0.2:9/hook");
    const another = await at(hookUrl, newId("merchant"));
    strict.advance(4_999);
    const failed = "INVALID_REQUEST The endpoint returned 500.";
    expect(await refusal(verify(again))).toBe(apart);
    expect(await refusal(verify(elsewhere))).toBe(failed);
    expect(await refusal(verify(another))).toBe(failed);
    strict.advance(1);
    expect(await refusal(verify(again))).toBe(failed);
    expect(world.posted).toHaveLength(4);
    strict.advance(5_000);
    expect(await refusal(verify(elsewhere))).toBe(failed);
    const turns = database.db.collection<{ _id: string }>("endpoint_challenges");
    const left = await turns.find({ _id: { $regex: `^${merchantId}` } }).toArray();
    expect(left.map(({ _id }) => _id)).toEqual([`${merchantId} 127.0.0.2`]);
  });

  it("is not verified by a challenge to another one, nor after the endpoint is gone", async () => {
    const { rpc, world } = strict;
    const { withOperation, get } = await endpointOf(strict);
    world.answer = async () => {
      await rpc.updateEndpoint(withOperation({ url: newUrl }));
      return acknowledged;
    };
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(
      "STATE_NOT_REACHABLE The endpoint's URL was changed during its verification. Verify the new URL.",
    );
    expect(await get()).toMatchObject({ url: newUrl, state: UNVERIFIED });
    strict.advance(5_000);
    world.answer = async () => {
      await rpc.deleteEndpoint(withOperation());
      return acknowledged;
    };
    expect(await refusal(rpc.verifyEndpoint(withOperation()))).toBe(notFound);
  });

  it("is approved by an operator only", async () => {
    const { rpc, world } = strict;
    const { withOperation } = await endpointOf(strict);
    world.posted.length = 0;
    const forbidden = "ACCESS_FORBIDDEN You are not authorized to access this record.";
    expect(await refusal(rpc.approveEndpoint(withOperation()))).toBe(forbidden);
    const byKey = withOperation({ mutation: by(Actor_Kind.API_KEY) });
    expect(await refusal(rpc.approveEndpoint(byKey))).toBe(forbidden);
    const approval = withOperation({ mutation: by(Actor_Kind.OPERATOR) });
    const response = await rpc.approveEndpoint(approval);
    expect(response.endpoint?.state).toBe(ACTIVE);
    expect(await rpc.approveEndpoint(approval)).toEqual(response);
    expect(world.posted).toEqual([]);
  });
});

/** Serves on its own port until the test ends. */
async function serving(listener: RequestListener, use: (url: string) => Promise<void>) {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Verifies an endpoint over the network. Returns the refusal. */
async function challenged(notifier: TestNotifier, url: string, options: Partial<SenderOptions>) {
  const sender = createSender({ policy: "sandbox", log: silentLog, ...options });
  notifier.world.answer = (call) => sender.post(call);
  const { withOperation, get } = await endpointOf(notifier, url);
  const message = await refusal(notifier.rpc.verifyEndpoint(withOperation()));
  expect((await get())?.state).toBe(UNVERIFIED);
  await sender.close();
  return message;
}

describe("a receiver that is challenged", () => {
  it.each<[string, RequestListener, string]>([
    ["answers 500", (_, response) => response.writeHead(500).end("secret"), "returned 500."],
    [
      "redirects",
      (_, response) => response.writeHead(307, { location: "/there" }).end(),
      "returned 307.",
    ],
    ["never answers", () => undefined, "did not respond (timeout)."],
    ["resets", ({ socket }) => socket.destroy(), "did not respond (connection_reset)."],
  ])("and %s is not verified", async (_what, listener, message) => {
    await serving(listener, async (url) => {
      const refused = await challenged(strict, url, {
        // Only a receiver that never responds may time out, even on a busy machine.
        timeoutMs: message.includes("timeout") ? 200 : 5_000,
      });
      expect(refused).toBe(`INVALID_REQUEST The endpoint ${message}`);
    });
  });

  it("is not reached at a private address in live mode", async () => {
    let calls = 0;
    const listener: RequestListener = (_, response) => {
      calls += 1;
      response.end();
    };
    await serving(listener, async () => {
      const resolve = async () => ["127.0.0.1"];
      const message = await challenged(live, "https://hooks.example.com/", {
        policy: "public",
        resolve,
      });
      expect(message).toBe("INVALID_REQUEST The endpoint did not respond (address_refused).");
    });
    expect(calls).toBe(0);
  });
});
