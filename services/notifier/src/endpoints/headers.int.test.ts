import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { EndpointState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  acknowledged,
  encryptionKeys,
  hookUrl,
  operation,
  payoutMessage,
  refusal,
  startTestNotifier,
  type TestNotifier,
  testNotifierOfFile,
} from "../test-notifier.ts";
import { openHeaders } from "./headers.ts";
import { createResealing, openSealedKeyStore } from "./keys.ts";

const secret = "Bearer 3f9a0c7d55e1";
const headers = { "X-Shop": "eu", Authorization: secret };
const names = ["Authorization", "X-Shop"];

const notifier = await testNotifierOfFile();
beforeEach(() => {
  notifier.world.posted.length = 0;
});

async function registered(fields: object = { headers }, by = notifier) {
  const merchantId = newId("merchant");
  const mutation = operation();
  const created = await by.rpc.createEndpoint({ mutation, merchantId, url: hookUrl, ...fields });
  return { merchantId, endpointId: created.endpoint!.id, mutation, created };
}

type Hook = Awaited<ReturnType<typeof registered>>;
const update = ({ merchantId, endpointId }: Hook, fields: object) =>
  notifier.rpc.updateEndpoint({ mutation: operation(), merchantId, endpointId, ...fields });

/** Sends a test event. Returns the headers of the last attempt. */
async function sentHeaders({ merchantId, endpointId }: Hook, by = notifier) {
  await by.rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId });
  await by.work();
  return by.world.posted.at(-1)?.headers;
}
const stored = async () => {
  const { db } = notifier.database;
  const collections = await db.collections();
  return JSON.stringify(await Promise.all(collections.map((each) => each.find().toArray())));
};

describe("headers of an endpoint", () => {
  it("go with each attempt beside ours, and are neither shown nor stored in the clear", async () => {
    const hook = await registered();
    expect(hook.created.endpoint?.headerNames).toEqual(names);
    await notifier.consume([payoutMessage(hook)]);
    await notifier.work();
    expect(notifier.world.posted[0]?.headers).toMatchObject({
      ...headers,
      "X-SERVICE-Signature": expect.any(String),
      "webhook-id": expect.any(String),
    });
    expect(await sentHeaders(hook)).toMatchObject(headers);
    const { endpoint } = await notifier.rpc.getEndpoint(hook);
    expect(endpoint?.headerNames).toEqual(names);
    expect(await stored()).not.toContain(secret);
  });

  it("are replaced as a whole, kept if absent, and removed by an empty struct", async () => {
    const hook = await registered();
    const operations = async () =>
      (await notifier.endpoints.find(hook.merchantId, hook.endpointId))?.operations.length;
    await update(hook, { description: "shop" });
    expect(await sentHeaders(hook)).toMatchObject(headers);
    // An equal set changes nothing and isn't stored.
    await update(hook, { headers: { Authorization: secret, "X-Shop": "eu" } });
    expect(await operations()).toBe(2);
    const other = { ...headers, Authorization: "Bearer other" };
    const { endpoint } = await update(hook, { headers: other });
    expect(endpoint?.headerNames).toEqual(names);
    expect(await sentHeaders(hook)).toMatchObject(other);
    expect((await update(hook, { headers: { "X-Key": "1" } })).endpoint?.headerNames).toEqual([
      "X-Key",
    ]);
    expect(await sentHeaders(hook)).not.toHaveProperty("Authorization");
    expect((await update(hook, { headers: {} })).endpoint?.headerNames).toEqual([]);
    expect(await sentHeaders(hook)).not.toHaveProperty("X-Key");
    expect(await operations()).toBe(5);
  });

  it("give a repeat its first answer, and refuse one with another value", async () => {
    const hook = await registered();
    await update(hook, { headers: {} });
    const { merchantId, mutation } = hook;
    const again = (value: string) =>
      notifier.rpc.createEndpoint({
        ...{ mutation, merchantId, url: hookUrl },
        headers: { ...headers, Authorization: value },
      });
    expect(await again(secret)).toEqual(hook.created);
    expect(await refusal(again("Bearer guess"))).toContain("was used with other content");
    const bound = await notifier.database.db
      .collection<{ _id: string; operation_content: string }>("operations")
      .findOne({ _id: `CreateEndpoint ${merchantId} ${mutation.operationId}` });
    expect(bound?.operation_content).toMatch(/^k1\./);
  });

  it.each([
    ["a header of ours", { "Webhook-Id": "1" }, /must not contain Webhook-Id/],
    ["the signature's header", { "x-service-signature": "1" }, /x-service-signature/],
    ["a header that frames HTTP", { "Transfer-Encoding": "chunked" }, /Transfer-Encoding/],
    ["names that differ in case alone", { "X-A": "1", "x-a": "2" }, /differ in more than case/],
    ["a value with a line break", { "X-A": "1\r\nHost: x" }, /visible ASCII/],
    ["the mask", { "X-A": "********" }, /not masked/],
  ])("refuse %s", async (_name, sent, message) => {
    const hook = await registered();
    expect(await refusal(registered({ headers: sent }))).toMatch(message);
    expect(await refusal(update(hook, { headers: sent }))).toMatch(message);
    expect(await sentHeaders(hook)).toMatchObject(headers);
  });

  it("are masked where a receiver returns them", async () => {
    const hook = await registered();
    const body = `you sent ${secret} ${secret}, thanks`;
    notifier.world.answer = () => ({ kind: "answered", statusCode: 500, body });
    await sentHeaders(hook);
    const { merchantId } = hook;
    const [{ id: deliveryId } = { id: "" }] = (await notifier.rpc.listDeliveries({ merchantId }))
      .deliveries;
    const { delivery } = await notifier.rpc.getDelivery({ merchantId, deliveryId });
    expect(delivery?.attempts[0]?.responseBody).toBe("you sent ******** ********, thanks");
    notifier.world.answer = () => acknowledged;
  });

  it("end with the endpoint", async () => {
    const { merchantId, endpointId } = await registered();
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    const found = await notifier.endpoints.collection.findOne({ _id: endpointId });
    expect(found).not.toHaveProperty("headers");
  });

  it("are resealed when the encryption key is rotated", async () => {
    const newer = `k2:${Buffer.alloc(32, 8).toString("base64")}`;
    const { merchantId, endpointId } = await registered();
    const sealedKeys = openSealedKeyStore(notifier.endpoints);
    const sealer = createSealer(`${newer},${encryptionKeys}`);
    const metrics = createMetrics("notifier");
    const round = createResealing({ sealedKeys, sealer, metrics, log: silentLog });
    expect(await round()).toMatchObject({ resealed: expect.toSatisfy(Boolean), left: 0 });
    expect(await round()).toEqual({ resealed: 0, left: 0 });
    const endpoint = await notifier.endpoints.find(merchantId, endpointId);
    expect(openHeaders(createSealer(newer), endpoint!)).toEqual(headers);
  });
});

describe("a new URL of an endpoint with headers", () => {
  const elsewhere = "http://127.0.0.2:9/hook";
  const kept =
    "INVALID_REQUEST headers: must be sent again with a url of another origin, because their values were set for the old one";

  it("of the same origin keeps them", async () => {
    const hook = await registered();
    await update(hook, { url: `${hookUrl}/2` });
    expect(await sentHeaders(hook)).toMatchObject(headers);
  });

  it("of another origin needs them again, or none", async () => {
    const hook = await registered();
    expect(await refusal(update(hook, { url: elsewhere }))).toBe(kept);
    expect(notifier.world.posted).toEqual([]);
    await update(hook, { url: elsewhere, headers: { "X-New": "1" } });
    const sent = await sentHeaders(hook);
    expect(notifier.world.posted.at(-1)?.url).toBe(elsewhere);
    expect(sent).toMatchObject({ "X-New": "1" });
    expect(sent).not.toHaveProperty("Authorization");
    await update(hook, { url: hookUrl, headers: {} });
    expect(await sentHeaders(hook)).not.toHaveProperty("X-New");
  });

  describe("that is not verified", () => {
    let strict: TestNotifier;
    beforeEach(async () => {
      strict = await startTestNotifier({ verifyUrls: true });
    });
    afterEach(() => strict.drop());

    it("gets a challenge without them", async () => {
      const hook = await registered({ headers }, strict);
      const { merchantId, endpointId } = hook;
      const verify = () =>
        strict.rpc.verifyEndpoint({ mutation: operation(), merchantId, endpointId });
      await verify();
      expect(strict.world.posted).toHaveLength(1);
      expect(strict.world.posted[0]?.headers).not.toHaveProperty("Authorization");
      expect(await sentHeaders(hook, strict)).toMatchObject(headers);

      const moved = { merchantId, endpointId, url: elsewhere, headers: { "X-New": "1" } };
      await strict.rpc.updateEndpoint({ mutation: operation(), ...moved });
      await sentHeaders(hook, strict);
      expect(strict.world.posted.at(-1)?.url).toBe(hookUrl);
      strict.advance(5_000);
      await verify();
      expect(strict.world.posted.at(-1)).toMatchObject({ url: elsewhere });
      expect(strict.world.posted.at(-1)?.headers).not.toHaveProperty("X-New");
      expect(await sentHeaders(hook, strict)).toMatchObject({ "X-New": "1" });
    });

    it("takes no headers that were sent for the present one", async () => {
      const { merchantId, endpointId } = await registered({ headers: {} }, strict);
      const change = (fields: object) =>
        strict.rpc.updateEndpoint({ mutation: operation(), merchantId, endpointId, ...fields });
      await strict.rpc.verifyEndpoint({ mutation: operation(), merchantId, endpointId });
      await change({ url: elsewhere });
      expect(await refusal(change({ headers }))).toBe(
        "INVALID_REQUEST headers: must be sent with url while a pending_url waits for its verification",
      );
      await change({ headers, url: hookUrl });
      const { endpoint } = await strict.rpc.getEndpoint({ merchantId, endpointId });
      expect(endpoint).toMatchObject({ url: hookUrl, pendingUrl: "" });
    });
  });
});

describe("an endpoint that is created paused", () => {
  it("waits until it is resumed", async () => {
    const hook = await registered({ paused: true });
    expect(hook.created.endpoint).toMatchObject({
      state: EndpointState.PAUSED,
      pauseReason: "requested",
    });
    await notifier.consume([payoutMessage(hook)]);
    await notifier.work();
    expect(notifier.world.posted).toEqual([]);
    const { merchantId, endpointId } = hook;
    await notifier.rpc.resumeEndpoint({ mutation: operation(), merchantId, endpointId });
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(1);
  });
});
