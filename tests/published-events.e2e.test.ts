import { connectService } from "@disburse/chassis/rpc/client.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { approvers } from "./second-person.ts";

/**
 * Tests events published by persons. One admin once sent a merchant a signed "payment succeeded".
 */

let platform: TestPlatform;
let acme: Payer;
let receiver: Receiver;
let endpointId = "";
let second: ReturnType<typeof approvers>;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  receiver = await startReceiver();
  endpointId = (await acme.data("POST", paths.endpoints, { url: receiver.url })).id;
  second = approvers(platform, "notifier");
});
afterAll(async () => {
  await acme.call("DELETE", `${paths.endpoints}/${endpointId}`);
  second.close();
  await receiver.close();
});

const acmeId = () => platform.sandbox.merchants.acme.merchant_id;
const refundOf = (change: object = {}) => ({
  eventId: crypto.randomUUID(),
  merchantId: acmeId(),
  transactionType: "refund",
  transactionId: `rf_${crypto.randomUUID()}`,
  status: "succeeded",
  sequence: 1n,
  dataJson: "{}",
  ...change,
});
const publish = (event: ReturnType<typeof refundOf>, operationId: string = crypto.randomUUID()) =>
  platform.as("frank").notifier.publishEvent({ mutation: { operationId }, event });
const received = (transactionId: string) =>
  receiver.calls.filter(({ body }) => body.includes(transactionId));

async function auditLines(): Promise<Record<string, unknown>[]> {
  const { rpc, close } = connectService(AuditService, platform.url("notifier"), {
    identity: platform.trust.person("erin"),
  });
  try {
    const lines: Record<string, unknown>[] = [];
    for (let after = 0n; ; ) {
      const page = await rpc.exportAuditEntries({ after, limit: 1_000 });
      if (page.jsonLines === "") return lines;
      lines.push(
        ...page.jsonLines
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
      after = page.lastSequence;
    }
  } finally {
    close();
  }
}

describe("an event that a person publishes", () => {
  it("goes out when another person has approved it, and is in the audit trail", async () => {
    const event = refundOf();
    const operationId = crypto.randomUUID();
    const alone = publish(event, operationId);
    const proposal = await second.approve("grace", alone);
    expect(proposal).toMatchObject({
      merchantId: acmeId(),
      proposedBy: { id: "frank" },
      decidedBy: { id: "grace" },
      after: expect.stringContaining(event.transactionId),
    });
    await receiver.waitFor(1, { filter: ({ body }) => body.includes(event.transactionId) });
    await publish(event, operationId);
    const lines = await auditLines();
    const [published, ...more] = lines.filter(({ action, subject }) => {
      return action === "event.published" && subject === event.transactionId;
    });
    expect(more).toEqual([]);
    expect(published).toMatchObject({ person: "frank" });
    expect(JSON.parse(String(published?.detail))).toEqual({
      merchant_id: acmeId(),
      transaction_type: "refund",
      transaction_id: event.transactionId,
      status: "succeeded",
    });
    const calls = lines.filter(({ action }) => action === "PublishEvent");
    expect(JSON.stringify(calls)).toContain(acmeId());
  });

  it("is stored nowhere before, and cannot be approved by who proposed it", async () => {
    const event = refundOf();
    const call = publish(event);
    await expect(second.approve("frank", call)).rejects.toThrow("is your own proposal");
    const { events } = await platform
      .as("erin")
      .notifier.listEvents({ merchantId: acmeId(), limit: 100 });
    expect(events.filter(({ transactionId }) => transactionId === event.transactionId)).toEqual([]);
    expect(received(event.transactionId)).toEqual([]);
  });

  it.each([
    ["a comma in the id", { transactionId: "rf_1,succeeded" }, "transaction_id"],
    ["a comma in the status", { status: "succeeded,done" }, "status"],
    ["a line break in the id", { transactionId: "rf_1\n" }, "transaction_id"],
    ["a control character in the status", { status: "done\u0085" }, "status"],
    ["the id of a payout", { transactionId: "po_01k0000000000000000000000" }, "transaction_id"],
    ["the id of a batch", { transactionId: "bat_1" }, "transaction_id"],
    ["the id of an account", { transactionId: "acc_1" }, "transaction_id"],
    ["an empty id", { transactionId: "" }, "transaction_id"],
  ])("is refused with %s", async (_what, change, field) => {
    const refusal = await publish(refundOf(change)).then(() => undefined, readRefusal);
    expect(refusal).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(`${field}: `),
    });
  });
});
