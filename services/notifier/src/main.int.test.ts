import { hostname } from "node:os";
import { ReplayState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type ReceivedCall, verifyCall } from "@disburse/testkit/receiver.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { processPlace } from "./deliveries/cluster/ownership.ts";
import { encryptionKeys, operation, payoutMessage } from "./test-notifier.ts";
import { startTestService, type TestService } from "./test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  return service.close;
});

const statusOf = ({ body }: ReceivedCall): string => JSON.parse(body.toString()).data.status;

describe("a payout's events", () => {
  it("arrive once each, in order, signed, regardless of how they are published", async () => {
    const { merchantId, secrets } = await service.hook();
    const first = payoutMessage({ merchantId });
    const { payoutId } = first;
    const second = payoutMessage({ merchantId, payoutId, status: "succeeded", version: 2 });
    const third = payoutMessage({ merchantId, payoutId, status: "failed", version: 3 });
    for (const message of [third, second, first, second, first, third])
      await service.publish([message]);
    await service.publish(Array.from({ length: 4 }, () => [first, second, third]).flat());
    await service.receiver.waitFor(3);
    const last = payoutMessage({ merchantId });
    await service.publish([last]);
    await service.receiver.waitFor(1, {
      filter: ({ headers }) => headers["webhook-id"] === last.id,
    });
    expect(service.receiver.calls.map(statusOf)).toEqual([
      ...["initiated", "succeeded", "failed", "initiated"],
    ]);
    for (const call of service.receiver.calls) {
      expect(verifyCall(call, secrets)).toEqual({
        interface: true,
        interfacePrevious: false,
        standard: true,
      });
    }
    expect(service.receiver.calls[0]?.body.toString()).toContain('"exchange_rate":83.1234567891,');
  });

  it("arrive at each endpoint of their merchant only", async () => {
    const { merchantId } = await service.hook("/one");
    await service.hook("/two", merchantId);
    await service.hook("/other");
    await service.publish([payoutMessage({ merchantId })]);
    await service.receiver.waitFor(2);
    const last = await service.hook("/last");
    await service.publish([payoutMessage(last)]);
    await service.receiver.waitFor(3);
    const paths = service.receiver.calls.map(({ path }) => path);
    expect(paths.slice(0, 2).sort().concat(paths.slice(2))).toEqual(["/one", "/two", "/last"]);
  });

  it("are not delayed by an endpoint that hangs", async () => {
    const slow = await service.hook("/slow");
    const quick = await service.hook("/quick");
    service.receiver.answer({ each: ({ path }) => (path === "/slow" ? "hang" : 200) });
    const flood = Array.from({ length: 40 }, () => payoutMessage(slow));
    await service.publish([...flood, ...Array.from({ length: 10 }, () => payoutMessage(quick))]);
    const filter = ({ path }: { path: string }): boolean => path === "/quick";
    // Far less than the 15 s that each attempt at the slow endpoint takes.
    await service.receiver.waitFor(10, { filter, timeoutMs: 5_000 });
    expect(service.receiver.calls.filter((call) => !filter(call)).length).toBeLessThanOrEqual(8);
    service.receiver.answer(200);
    await service.rpc().deleteEndpoint({ ...slow, mutation: operation() });
    await service.receiver.close();
  });
});

it("touches nothing of the process that has its port", async () => {
  const port = Number(new URL(service.url()).port);
  const database = await service.connect();
  const workers = database.db.collection<{ _id: string; place: string; beat: number }>("workers");
  await workers.insertOne({ _id: "other", place: processPlace(hostname(), port), beat: 0 });
  await expect(service.startAt(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(await workers.countDocuments({ _id: "other" })).toBe(1);
  await database.close();
});

describe("a delivery", () => {
  it("resumes after a restart, and can be redelivered", async () => {
    const { merchantId } = await service.hook();
    service.receiver.answer({ each: (_call, index) => (index === 0 ? 503 : 200) });
    await service.publish([payoutMessage({ merchantId })]);
    await service.receiver.waitFor(1);
    await service.stop();
    await service.start();
    const [first, second] = await service.receiver.waitFor(2);
    const waitedMs = second!.receivedAt.getTime() - first!.receivedAt.getTime();
    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body.equals(first!.body)).toBe(true);
    await expect.poll(async () => (await service.delivered(merchantId)).length).toBe(1);
    const [delivery] = await service.delivered(merchantId);
    const request = { merchantId, deliveryId: delivery!.id };
    await service.rpc().redeliver({ ...request, mutation: operation() });
    const [, , third] = await service.receiver.waitFor(3);
    expect(third?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const read = (await service.rpc().getDelivery(request)).delivery;
    expect(read?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 200]);
  });
});

describe("a replay", () => {
  it("resumes after a restart", async () => {
    const { merchantId, endpointId } = await service.hook();
    const messages = [payoutMessage({ merchantId }), payoutMessage({ merchantId })];
    await service.publish(messages);
    await expect.poll(async () => (await service.delivered(merchantId)).length).toBe(2);
    const since = new Date(Date.now() - 60_000).toISOString();
    const terms = { since, states: ["delivered"], ratePerSecond: 1 };
    const created = await service
      .rpc()
      .createReplay({ mutation: operation(), merchantId, endpointId, ...terms });
    const replayId = created.replay?.id ?? "";
    const readReplay = async () => (await service.rpc().getReplay({ merchantId, replayId })).replay;
    await expect.poll(async () => (await readReplay())?.queuedCount).toBe(1n);
    await service.stop();
    await service.start();
    await expect
      .poll(readReplay, { timeout: 10_000 })
      .toMatchObject({ state: ReplayState.DONE, queuedCount: 2n });
    const calls = await service.receiver.waitFor(4);
    const ids = messages.flatMap(({ id }) => [id, id]);
    expect(calls.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual(ids.toSorted());
  });
});

describe("the key that seals secrets", () => {
  it("can be retired after a start with a newer one, and receivers notice nothing", async () => {
    const { merchantId, endpointId, secrets } = await service.hook();
    const newer = `k2:${Buffer.alloc(32, 8).toString("base64")}`;
    const { db, close } = await service.connect();
    const wrapped = () => db.collection("data_keys").distinct("wrapped_by");
    const next = async () => {
      const mutation = operation();
      const { delivery } = await service.rpc().sendTestEvent({ mutation, merchantId, endpointId });
      const filter = ({ headers }: ReceivedCall) => headers["webhook-id"] === delivery?.eventId;
      const [call] = await service.receiver.waitFor(1, { filter });
      return verifyCall(call!, secrets);
    };
    const genuine = { interface: true, interfacePrevious: false, standard: true };
    await service.stop();
    await service.start(`${newer},${encryptionKeys}`);
    await expect.poll(wrapped).toEqual(["k2"]);
    expect(await next()).toEqual(genuine);
    await service.stop();
    await service.start(newer);
    expect(await next()).toEqual(genuine);
    await close();
  });
});
