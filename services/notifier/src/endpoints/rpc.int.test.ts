import { Code, ConnectError } from "@connectrpc/connect";
import { isId, newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networks } from "../sender/rules/address.ts";
import {
  hookUrl,
  notFound,
  operation,
  payoutMessage,
  refusal,
  register,
  startTestNotifier,
  type TestNotifier,
  used,
} from "../test-notifier.ts";

let notifier: TestNotifier;
let live: TestNotifier;

beforeAll(async () => {
  notifier = await startTestNotifier();
  const ownNetworks = networks(["8.8.8.0/24"]);
  live = await startTestNotifier({ policy: "public", ownNetworks });
});

afterAll(async () => {
  for (const each of [notifier, live]) {
    await each.drop();
  }
});

const url = hookUrl;

describe("endpoints", () => {
  it("are created, read, listed and deleted, each by its own merchant alone", async () => {
    const { rpc } = notifier;
    const first = await register(notifier);
    const { merchantId, endpointId } = first;
    notifier.advance(1);
    const second = await register(notifier, merchantId);
    expect(isId("endpoint", endpointId)).toBe(true);
    const { endpoint } = await rpc.getEndpoint({ merchantId, endpointId });
    expect(endpoint).toMatchObject({ id: endpointId, merchantId, url, description: "" });
    const listed = async () =>
      (await rpc.listEndpoints({ merchantId })).endpoints.map(({ id }) => id);
    expect(await listed()).toEqual([endpointId, second.endpointId]);

    const otherMerchants = { merchantId: newId("merchant"), endpointId, mutation: operation() };
    expect(await refusal(rpc.getEndpoint(otherMerchants))).toBe(notFound);
    expect(await refusal(rpc.deleteEndpoint(otherMerchants))).toBe(notFound);
    expect(await refusal(rpc.rotateSecret(otherMerchants))).toBe(notFound);
    expect(await refusal(rpc.activateSecret(otherMerchants))).toBe(notFound);
    expect(await refusal(rpc.sendTestEvent(otherMerchants))).toBe(notFound);
    expect(await rpc.listEndpoints(otherMerchants)).toMatchObject({
      endpoints: [],
      totalCount: 0n,
    });
    const page = await rpc.listEndpoints({ merchantId, limit: 1 });
    expect(page.endpoints.map(({ id }) => id)).toEqual([endpointId]);
    const { nextCursor: cursor } = page;
    const rest = await rpc.listEndpoints({ merchantId, limit: 1, cursor });
    expect(rest.endpoints.map(({ id }) => id)).toEqual([second.endpointId]);
    expect(rest).toMatchObject({ nextCursor: "", totalCount: 2n, totalCountCapped: false });
    for (const wrong of [{ limit: 101 }, { limit: -1 }, { cursor: "x" }]) {
      expect(await refusal(rpc.listEndpoints({ merchantId, ...wrong }))).toMatch("INVALID_REQUEST");
    }

    const deletion = { merchantId, endpointId, mutation: operation() };
    await rpc.deleteEndpoint(deletion);
    await rpc.deleteEndpoint(deletion);
    expect(await listed()).toEqual([second.endpointId]);
    const again = { ...deletion, mutation: operation() };
    expect(await refusal(rpc.deleteEndpoint(again))).toBe(notFound);
    expect(await refusal(rpc.rotateSecret(again))).toBe(notFound);
    expect(await refusal(rpc.sendTestEvent(again))).toBe(notFound);
  });

  it("end a long backlog when they are deleted", async () => {
    const { rpc, deliveries } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    await notifier.consume([payoutMessage({ merchantId })]);
    const [one] = await deliveries.collection.find({ endpoint_id: endpointId }).toArray();
    if (one === undefined) throw new Error("nothing waits");
    const more = Array.from({ length: 1_500 }, (_, at) => ({
      ...one,
      _id: `${one._id}_${at}`,
      event_id: `${one.event_id}_${at}`,
    }));
    await deliveries.collection.insertMany(more);
    await rpc.deleteEndpoint({ merchantId, endpointId, mutation: operation() });
    const states = await deliveries.collection.distinct("state", { endpoint_id: endpointId });
    expect(states).toEqual(["cancelled"]);
  });

  it("report all violations of a registration", async () => {
    const ask = (fields: object, by = notifier) =>
      refusal(by.rpc.createEndpoint({ mutation: operation(), merchantId: "mer_1", ...fields }));
    expect(await ask({ description: "d".repeat(256) })).toMatch(
      /^INVALID_REQUEST url: is required; description: must be at most 255 characters$/,
    );
    const unreadable = [{ field: "url", problem: "must be a string" }];
    expect(await ask({ unreadable })).toBe("INVALID_REQUEST url: must be a string");
    expect(await ask({ url: "http://u:p@127.0.0.1/" })).toBe(
      "INVALID_REQUEST url: must not contain a user name or password",
    );
    expect(await ask({ url }, live)).toBe("INVALID_REQUEST url: must be an https URL");
    expect(await ask({ url: "https://8.8.8.8/" }, live)).toBe(
      "INVALID_REQUEST url: must have a public address",
    );
    expect(await ask({ url: "https://10.0.0.1/" }, live)).toBe(
      "INVALID_REQUEST url: must have a public address",
    );
  });

  it("are at most 16 for a merchant", async () => {
    const merchantId = newId("merchant");
    for (let count = 0; count < 16; count += 1) await register(notifier, merchantId);
    expect(await refusal(register(notifier, merchantId))).toBe(
      "INVALID_REQUEST There can be at most 16 endpoints.",
    );
  });

  it("need an operation and an actor for every change", async () => {
    const request = { merchantId: "mer_1", endpointId: "whe_1", deliveryId: "whd_1", url };
    const { rpc } = notifier;
    const calls = [
      rpc.createEndpoint(request),
      rpc.deleteEndpoint(request),
      rpc.rotateSecret(request),
      rpc.activateSecret(request),
      rpc.sendTestEvent(request),
      rpc.redeliver(request),
      rpc.publishEvent({}),
    ].map((call) => call.then(() => undefined, ConnectError.from));
    for (const error of await Promise.all(calls)) expect(error?.code).toBe(Code.InvalidArgument);
  });
});

describe("an operation", () => {
  it("that repeats gets the first result, also concurrently", async () => {
    const { rpc } = notifier;
    const request = { mutation: operation(), merchantId: newId("merchant"), url };
    const created = await Promise.all([1, 2, 3, 4].map(() => rpc.createEndpoint(request)));
    for (const each of created) expect(each).toEqual(created[0]);
    const other = rpc.createEndpoint({ ...request, url: "http://127.0.0.1:9/other" });
    expect(await refusal(other)).toBe(used);
    const { endpoints } = await rpc.listEndpoints(request);
    expect(endpoints).toHaveLength(1);
    const { merchantId } = request;
    const endpointId = endpoints[0]!.id;

    const rotation = { mutation: operation(), merchantId, endpointId };
    const many = Array.from({ length: 12 }, () => rpc.rotateSecret(rotation));
    const rotated = await Promise.all(many);
    for (const each of rotated) expect(each).toEqual(rotated[0]);
    await rpc.rotateSecret({ ...rotation, mutation: operation(), overlapSeconds: 0 });
    expect(await rpc.rotateSecret(rotation)).toEqual(rotated[0]);
    expect(await rpc.createEndpoint(request)).toEqual(created[0]);
    await rpc.deleteEndpoint({ ...rotation, mutation: operation() });
    expect(await rpc.rotateSecret(rotation)).toEqual(rotated[0]);
  });

  it("stands for one intent of one merchant", async () => {
    const { rpc } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    const second = await register(notifier, merchantId);
    const mutation = operation();
    await rpc.rotateSecret({ mutation, merchantId, endpointId });
    const other = { mutation, merchantId, endpointId: second.endpointId };
    expect(await refusal(rpc.rotateSecret(other))).toBe(used);
    expect(await refusal(rpc.deleteEndpoint({ mutation, merchantId, endpointId }))).toBe(used);
    expect(await refusal(rpc.createEndpoint({ mutation, merchantId, url }))).toBe(used);
    const elsewhere = { mutation, merchantId: newId("merchant"), url };
    expect((await rpc.createEndpoint(elsewhere)).endpoint?.id).toMatch(/^whe_/);
  });
});

describe("secrets", () => {
  it("are shown once, sealed at rest, and another's cannot be put in their place", async () => {
    const { rpc, endpoints } = notifier;
    const { merchantId, endpointId, secrets } = await register(notifier);
    const request = { mutation: operation(), merchantId, endpointId };
    const rotated = await rpc.rotateSecret(request);
    const shown = [secrets, rotated.secrets!].flatMap((each) => [each.secret, each.standardSecret]);
    expect(new Set(shown).size).toBe(4);
    for (const each of shown)
      expect(Buffer.from(each.replace("whsec_", ""), "base64")).toHaveLength(32);
    const stored = await endpoints.collection.findOne({ _id: endpointId });
    const raw = JSON.stringify(stored);
    for (const each of shown) expect(raw).not.toContain(each.replace("whsec_", ""));
    expect(stored?.keys.every(({ secret }) => secret.startsWith("k1."))).toBe(true);
    expect(stored).toMatchObject({ schema_version: 1, operations: [{ kind: "create" }, {}] });
    expect(Object.keys((await rpc.getEndpoint(request)).endpoint ?? {})).not.toContain("secrets");

    const { endpointId: victim } = await register(notifier, merchantId);
    const [first] = stored?.keys ?? [];
    const signing = { current: first!.id, previous: null, staged: null };
    await endpoints.collection.updateOne({ _id: victim }, { $set: { keys: [first!], signing } });
    await rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId: victim });
    await notifier.dispatcher.round();
    await notifier.dispatcher.idle();
    expect(notifier.world.posted).toEqual([]);
    await rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId: victim });
  });

  it("rotate as requested", async () => {
    const { rpc } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    const ask = (fields: object) =>
      rpc.rotateSecret({ mutation: operation(), merchantId, endpointId, ...fields });
    const activate = () => rpc.activateSecret({ mutation: operation(), merchantId, endpointId });
    const bounds = "INVALID_REQUEST overlap_seconds: must be a whole number from 0 to 604800";
    expect(await refusal(ask({ overlapSeconds: -1 }))).toBe(bounds);
    expect(await refusal(ask({ overlapSeconds: 604_801 }))).toBe(bounds);
    await ask({ overlapSeconds: 604_800 });
    const none =
      "STATE_NOT_REACHABLE The endpoint has no staged secret. Stage one first: rotate the secret with `stage`.";
    expect(await refusal(activate())).toBe(none);
    await ask({ stage: true });
    expect((await activate()).endpoint?.id).toBe(endpointId);
    expect(await refusal(activate())).toBe(none);
  });
});
