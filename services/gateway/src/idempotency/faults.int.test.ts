import { orThrow, publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import { type Collection, type Db, MongoNetworkError, MongoServerSelectionError } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withoutSecrets } from "../openapi/fields.ts";
import { routes } from "../resources/all.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";
import { lockMs } from "./rules/idempotency.ts";

/** Tests faults with two gateways on one database. The second gateway's key writes can fail. */
let first: TestGateway;
let second: TestGateway;
let key: string;
/** Operations that the owning services ran, in order, and their effects. */
let ran: string[] = [];
let effects = new Map<string, number>();
type Write = () => Promise<unknown>;
/** Fault of one kind of key write at the second gateway. */
let fault:
  | {
      readonly write: string | readonly string[];
      readonly how: (write: Write, name: string) => Promise<unknown>;
    }
  | undefined;
const away = () => Promise.reject(new MongoNetworkError("connection 7 to 10.0.0.7:27017 closed"));
const lostBefore = away;
const lostAfter = (write: Write) => write().then(away);

beforeAll(async () => {
  first = await startTestGateway();
  const clock = { now: () => new Date(first.time.nowMs) };
  second = await startTestGateway({ db: faulty(first.db), clock, place: "second:8080" });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});
beforeEach(async () => {
  key = (await first.merchant()).key;
  fault = undefined;
  ran = [];
  effects = new Map();
  owning((operationId) => effectOf(operationId));
});

/** The second gateway's view of the database. */
function faulty(db: Db): Db {
  return new Proxy(db, {
    get: (target, name) =>
      name === "collection"
        ? (collection: string) => faultyCollection(target.collection(collection))
        : bound(target, name),
  });
}

function faultyCollection(collection: Collection): Collection {
  if (collection.collectionName !== "idempotency_keys") return collection;
  return new Proxy(collection, {
    get: (target, name) => {
      const original = bound(target, name);
      if (typeof original !== "function") return original;
      return (...args: unknown[]) => {
        const isHit = fault !== undefined && [fault.write].flat().includes(String(name));
        return isHit ? fault?.how(() => original(...args), String(name)) : original(...args);
      };
    },
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Owning services run each operation once. A repeat returns the first result. */
function effectOf(operationId: string) {
  const effect = effects.get(operationId) ?? effects.size + 1;
  effects.set(operationId, effect);
  const id = `id_${effect}`;
  const amounts = { sourceAmount: "1", receivingAmount: "1", exchangeRate: "1", totalFees: "0" };
  return {
    payout: { id, ...amounts },
    ...{ payoutId: id, beneficiaryId: id, depositorId: id },
    ...{ quote: { id, ...amounts, convertedAmount: "1" }, delivery: { id } },
    ...{ endpoint: { id }, replay: { id }, secrets: { secret: id } },
    ...{ scheduledPayout: { id }, batch: { id, totalAmount: "0", approval: {} } },
    ...{ link: { id, fields: {} }, token: id },
    account: { id, available: "0", held: "0" },
    rules: { lastsSeconds: effect },
    proposal: { id, before: "{}", after: "{}", approvers: [], proposedBy: { id } },
    profile: { merchantId: id },
    ...{ beneficiary: { id, fields: { case: "fiat", value: {} } }, depositor: { id, fields: {} } },
  };
}

/** Replaces all changes at the owning services. */
function owning(answer: (operationId: string) => unknown): void {
  const change = ({ mutation }: { mutation?: { operationId: string } }) => {
    ran.push(mutation?.operationId ?? "");
    return answer(mutation?.operationId ?? "");
  };
  const created = ["createCryptoBeneficiary", "createFiatBeneficiary", "createDepositor"];
  const ofProfile = ["updateMerchantProfile", "setMerchantLogo"];
  const names = [...created, ...ofProfile, "createBeneficiaryLink"];
  const ofEndpoints = ["createEndpoint", "pauseEndpoint", "resumeEndpoint", "verifyEndpoint"];
  const ofSecrets = ["rotateSecret", "activateSecret", "sendTestEvent"];
  const ofNotifier = [...ofEndpoints, ...ofSecrets, "redeliver", "createReplay", "cancelReplay"];
  const ofPayouts = [
    "executePayout",
    "cancelPayout",
    "approvePayout",
    "rejectPayout",
    "reissuePayout",
    "updateAccount",
    "closeAccount",
    "setApprovalRules",
  ];
  const ofScheduled = [
    "schedulePayout",
    "cancelScheduledPayout",
    "approveScheduledPayout",
    "rejectScheduledPayout",
  ];
  const ofOrders = [...ofScheduled, "createBatch", "approveBatch", "rejectBatch", "cancelBatch"];
  for (const { fakes } of [first, second]) {
    fake(fakes.beneficiary, names, change);
    fake(fakes.quote, ["createQuote"], change);
    fake(fakes.payout, ofPayouts, change);
    fake(fakes.orders, ofOrders, change);
    const decisions = ["approveProposal", "rejectProposal", "withdrawProposal"];
    fake(fakes.approvals, decisions, change);
    fake(fakes.notifier, ofNotifier, change);
    fake(fakes.quoteSandbox, ["expireQuoteNow"], change);
    const ofRails = ["setPayoutOutcome", "endRailSilence", "setRailSilence", "setScenario"];
    const ofMoney = ["creditOwnAccount", "reopenOwnAccount", "setOwnPayoutControls"];
    fake(fakes.payoutSandbox, [...ofRails, ...ofMoney], change);
    const ofListings = ["setBeneficiaryListing", "setDepositorListing"];
    fake(fakes.beneficiarySandbox, ofListings, change);
    const ofWebhooks = ["retryDeliveryNow", "lapseDelivery", "sendSandboxEvent"];
    fake(fakes.notifierSandbox, ofWebhooks, change);
  }
}

function fake(service: object, names: readonly string[], change: unknown): void {
  Object.assign(service, Object.fromEntries(names.map((name) => [name, change])));
}

/** `resources/team.int.test.ts` tests the routes that the gateway itself owns. */
const isOwn = (path: string) => /^\/api\/v1\/(?:team|keys)\b/.test(path);
const posts = routes
  .filter(({ method, path, isBoundByService, isReadOnly }) => {
    return method === "POST" && !isOwn(path) && isBoundByService !== true && isReadOnly !== true;
  })
  .map(({ path, data }): [string, readonly string[]] => [
    path.replaceAll(/:\w+/g, "id_1"),
    "mediaType" in data ? [] : (data.shownOnce ?? []),
  ]);
const redeliver = "/api/v1/webhooks/deliveries/whd_1/redeliver";

function post(gateway: TestGateway, path = redeliver, body = '{"quote_id":"qt_1"}') {
  return gateway.ask({ path, key, body, headers: { "idempotency-key": "k" } });
}
const code = async (reply: ReturnType<typeof post>) => (await reply).json.code;

const refusing = () => {
  throw refusalError(publicRefusals, refused("QUOTE_EXPIRED"));
};
const failing = () => {
  throw new Error("a bug");
};

/** The fields that routes of the gateway require before they call a service. */
const required = JSON.stringify({ digest: "d", reason: "not agreed on", png: "AAAA" });

it.each(posts)(
  "%s: an answer that could not be stored is given again, by any gateway",
  async (path, shownOnce) => {
    fault = { write: "updateOne", how: lostBefore };
    const lost = await post(second, path, required);
    expect([lost.status, effects.size]).toEqual([200, 1]);
    expect(await code(post(first, path, required))).toBe("IDEMPOTENCY_IN_PROGRESS");
    first.time.nowMs += lockMs;
    const again = await post(first, path, required);
    expect([again.status, again.text]).toEqual([200, lost.text]);
    expect([ran.length, effects.size]).toEqual([2, 1]);
    fault = undefined;
    const replayed = await post(second, path, required);
    // Only a run of the operation returns secrets.
    const kept =
      shownOnce.length === 0
        ? lost.text
        : JSON.stringify({ data: withoutSecrets(JSON.parse(lost.text).data, shownOnce) });
    expect([replayed.headers["idempotent-replayed"], replayed.text]).toEqual(["true", kept]);
    expect(ran.length).toBe(2);
  },
);

it.each<[string, string, unknown]>([
  ["/api/v1/keys", '{"scopes":["payout:read"]}', undefined],
  ["/api/v1/beneficiary-links", "{}", { link: { id: "lnk_1", fields: {} }, token: "" }],
])(
  "%s: a repeat after a lost response names the fields that are shown once",
  async (path, body, again) => {
    fault = { write: "updateOne", how: lostBefore };
    const lost = await post(second, path, body);
    fault = undefined;
    first.time.nowMs += lockMs;
    owning(() => again);
    const repeated = await post(first, path, body);
    expect([repeated.status, repeated.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    expect((lost.json.data as object | undefined) ?? {}).not.toHaveProperty("shown_once");
    expect(repeated.json.data).toHaveProperty("shown_once");
  },
);

it("a gateway that starts again frees the keys that it held when it was killed, and no others", async () => {
  fault = { write: "updateOne", how: lostBefore };
  const lost = await post(second);
  fault = undefined;
  const held = async () => code(post(first));
  await first.gateway.freeEnded(new Date(first.time.nowMs + 1));
  expect(await held()).toBe("IDEMPOTENCY_IN_PROGRESS");
  await second.gateway.freeEnded(new Date(first.time.nowMs));
  expect(await held()).toBe("IDEMPOTENCY_IN_PROGRESS");
  await second.gateway.freeEnded(new Date(first.time.nowMs + 1));
  const again = await post(first);
  expect([again.status, again.text]).toEqual([200, lost.text]);
  expect([ran.length, effects.size]).toEqual([2, 1]);
});

it("an answer whose write was stored but not acknowledged is replayed", async () => {
  fault = { write: "updateOne", how: lostAfter };
  const { text } = await post(second);
  const again = await post(first);
  expect([again.headers["idempotent-replayed"], again.text]).toEqual(["true", text]);
  expect(ran.length).toBe(1);
});

it("without a database for the key nothing is done", async () => {
  fault = { write: "insertOne", how: lostBefore };
  const reply = await post(second);
  expect([reply.status, reply.json.code, ran]).toEqual([503, "SERVICE_UNAVAILABLE", []]);
  expect(reply.headers["retry-after"]).toBe("1");
  fault = undefined;
  expect((await post(second)).status).toBe(200);
  expect([ran.length, effects.size]).toEqual([1, 1]);
});

it("does not check for its lock if no server can be reached", async () => {
  const writes: string[] = [];
  const how = (_write: Write, name: string) => {
    writes.push(name);
    return Promise.reject(new MongoServerSelectionError("no primary", {} as never));
  };
  fault = { write: ["insertOne", "updateOne"], how };
  expect((await post(second)).status).toBe(503);
  expect(writes).toEqual(["insertOne"]);
});

it("continues if the insert of its lock was stored but not acknowledged", async () => {
  fault = { write: "insertOne", how: lostAfter };
  expect((await post(second)).status).toBe(200);
  expect([ran.length, effects.size]).toEqual([1, 1]);
});

it("continues if it took over a key but the write was not acknowledged", async () => {
  owning(failing);
  await post(first);
  owning(effectOf);
  let writes = 0;
  const how = (write: Write) => {
    writes += 1;
    return writes === 1 ? lostAfter(write) : write();
  };
  fault = { write: "updateOne", how };
  expect((await post(second)).status).toBe(200);
  expect([ran.length, effects.size]).toEqual([2, 1]);
});

describe("after an outage of the database", () => {
  let settling: ReturnType<TestGateway["gateway"]["startSettling"]>;
  beforeEach(() => {
    settling = second.gateway.startSettling();
  });
  afterEach(() => settling.stop());
  const stored = () => first.db.collection("idempotency_keys").find().toArray();

  it.each([
    ["an answer", "updateOne", effectOf, 200],
    ["a refusal", "deleteOne", refusing, 400],
    ["a failure", "updateOne", failing, 500],
  ])("settles the key of %s, long before its lock ends", async (_what, write, how, status) => {
    owning(how);
    fault = { write, how: lostBefore };
    const lost = await post(second);
    expect(lost.status).toBe(status);
    expect(await code(post(first))).toBe("IDEMPOTENCY_IN_PROGRESS");
    owning(effectOf);
    fault = undefined;
    await expect.poll(async () => (await post(first)).status).toBe(200);
    const replayed = await post(first);
    expect(replayed.headers["idempotent-replayed"]).toBe("true");
    if (status === 200) expect(replayed.text).toBe(lost.text);
    expect([ran.length, effects.size]).toEqual([status === 200 ? 1 : 2, 1]);
  });

  it.each([
    ["insert", lostAfter],
    ["insert that was not stored", lostBefore],
  ])("opens a key whose lock is unknown after an %s", async (_what, how) => {
    const write = ["insertOne", "updateOne"];
    fault = { write, how: (each, name) => (name === "insertOne" ? how(each) : away()) };
    expect((await post(second)).status).toBe(503);
    fault = undefined;
    await expect.poll(async () => (await post(first)).status).toBe(200);
    expect([ran.length, effects.size]).toEqual([1, 1]);
  });

  it("leaves a key as it is that another run has taken over", async () => {
    fault = { write: "updateOne", how: lostBefore };
    await post(second);
    first.time.nowMs += lockMs;
    owning(() => effectOf("other"));
    const taken = await post(first);
    const before = await stored();
    fault = undefined;
    // Stopping settles the remaining ends.
    await settling.stop();
    expect(await stored()).toEqual(before);
    expect((await post(second)).text).toBe(taken.text);
  });
});

it.each([
  [0, "1"],
  [9_999, "1"],
  [10_000, "20"],
  [10_001, "20"],
  [29_001, "1"],
])("a repeat after %i ms returns after %s s", async (afterMs, seconds) => {
  const held = Promise.withResolvers<void>();
  owning((operationId) => held.promise.then(() => effectOf(operationId)));
  const running = post(first);
  await expect.poll(() => ran.length).toBe(1);
  first.time.nowMs += afterMs;
  const reply = await post(second);
  expect([reply.status, reply.headers["retry-after"]]).toEqual([409, seconds]);
  held.resolve();
  await running;
});

it("a refusal whose key could not be freed is tried again under the same operation", async () => {
  owning(refusing);
  fault = { write: "deleteOne", how: lostBefore };
  expect(await code(post(second))).toBe("QUOTE_EXPIRED");
  owning(effectOf);
  expect(await code(post(first))).toBe("IDEMPOTENCY_IN_PROGRESS");
  first.time.nowMs += lockMs;
  expect((await post(first)).status).toBe(200);
  expect(new Set(ran).size).toBe(1);
});

it("of 32 at once at two gateways one runs; the others are refused as in progress", async () => {
  const done = Promise.withResolvers<void>();
  owning(async (operationId) => {
    await done.promise;
    return effectOf(operationId);
  });
  let refusals = 0;
  const runs = Array.from({ length: 32 }, async (_each, at) => {
    const reply = await post(at % 2 === 0 ? first : second);
    if (reply.json.code === "IDEMPOTENCY_IN_PROGRESS") refusals += 1;
    return reply;
  });
  await expect.poll(() => refusals).toBe(31);
  done.resolve();
  const replies = await Promise.all(runs);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(31);
  expect([ran.length, effects.size]).toEqual([1, 1]);
});

it("one that others take a key from three times is refused as in progress", async () => {
  owning(failing);
  await post(first);
  let tries = 0;
  const how = async () => {
    tries += 1;
    return { matchedCount: 0 };
  };
  fault = { write: "updateOne", how };
  expect(await code(post(second))).toBe("IDEMPOTENCY_IN_PROGRESS");
  expect([tries, ran.length]).toEqual([3, 1]);
});

describe("a run that stalled past its lock", () => {
  it.each([
    ["is answered", effectOf],
    ["is refused", refusing],
    ["fails", failing],
  ])("changes nothing when it %s at last", async (_how, atLast) => {
    const stalled = Promise.withResolvers<void>();
    owning(async (operationId) => {
      await stalled.promise;
      return atLast(operationId);
    });
    const stale = post(first);
    await expect.poll(() => ran.length).toBe(1);
    first.time.nowMs += lockMs;
    owning(effectOf);
    const taken = await post(second);
    expect(taken.status).toBe(200);
    const stored = () => first.db.collection("idempotency_keys").find().toArray();
    const before = await stored();
    stalled.resolve();
    await stale;
    expect(await stored()).toEqual(before);
    expect((await post(first)).text).toBe(taken.text);
    expect([ran.length, effects.size]).toEqual([2, 1]);
  });

  it("keeps its answer when it ends just before another takes over", async () => {
    const stalled = Promise.withResolvers<void>();
    owning((operationId) => stalled.promise.then(() => effectOf(operationId)));
    const stale = post(first);
    await expect.poll(() => ran.length).toBe(1);
    first.time.nowMs += lockMs;
    const how = async (write: Write) => {
      stalled.resolve();
      await stale;
      return write();
    };
    fault = { write: "updateOne", how };
    const late = await post(second);
    expect([late.headers["idempotent-replayed"], late.text]).toEqual(["true", (await stale).text]);
    expect(ran.length).toBe(1);
  });

  it("is taken over by one gateway alone", async () => {
    const stalled = Promise.withResolvers<void>();
    owning(() => stalled.promise.then(failing));
    const stale = post(first);
    await expect.poll(() => ran.length).toBe(1);
    first.time.nowMs += lockMs;
    const others = Array.from({ length: 8 }, (_each, at) => post(at % 2 ? first : second));
    let refusals = 0;
    for (const each of others) {
      void each.then(({ status }) => {
        if (status === 409) refusals += 1;
      });
    }
    await expect.poll(() => refusals).toBe(7);
    expect(ran.length).toBe(2);
    stalled.resolve();
    await Promise.all([stale, ...others]);
  });
});

describe("a key that a refusal freed", () => {
  it.each(['{"quote_id":"qt_1"}', '{"quote_id":"qt_2"}'])(
    "is the same operation with %s",
    async (body) => {
      owning(refusing);
      expect(await code(post(first))).toBe("QUOTE_EXPIRED");
      owning(effectOf);
      expect((await post(second, redeliver, body)).status).toBe(200);
      expect([ran.length, new Set(ran).size]).toEqual([2, 1]);
    },
  );

  it("that its service bound to another body all the same is reused", async () => {
    owning(() => orThrow(otherContent));
    expect(await code(post(first))).toBe("IDEMPOTENCY_KEY_REUSED");
  });
});
