import { fromBinary, toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { formatTraceparent } from "@disburse/chassis/traceparent.ts";
import { testTracing } from "@disburse/chassis/tracing/test-tracing.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutSchema, RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
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
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

async function execute(referenceId: string, texts: object = {}): Promise<string> {
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  const order = { mutation, merchantId, quoteId, referenceId, ...texts };
  return (await platform.rpc.executePayout(order)).payoutId;
}

async function observe(payoutId: string) {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  const json = payout && toJson(PayoutSchema, payout);
  return {
    status: json?.status?.replace("PAYOUT_STATUS_", "").toLowerCase(),
    subStatus: json?.subStatus?.replace("PAYOUT_SUB_STATUS_", "").toLowerCase(),
    version: payout?.version,
    balance: `${account?.available} + ${account?.held}`,
    reference: payout?.uniqueTransactionReference !== "",
  };
}

async function after(ms: number) {
  platform.world.offsetMs += ms;
  await platform.work();
}

function report(payoutId: string, outcome: RailOutcome, transactionReference = "") {
  const mutation = platform.operation();
  return platform.rpc.reportRailOutcome({ mutation, payoutId, outcome, transactionReference });
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

const initiated = (subStatus: string) => ({
  status: "initiated",
  subStatus,
  version: 1,
  balance: "90.00 + 10.00",
  reference: false,
});
const settled = {
  status: "succeeded",
  subStatus: "settled",
  version: 2,
  balance: "90.00 + 0.00",
  reference: true,
};
const rejected = {
  status: "failed",
  subStatus: "rejected",
  version: 2,
  balance: "100.00 + 0.00",
  reference: false,
};

describe("a payout on the sandbox's rail", () => {
  it("settles after its time", async () => {
    const id = await execute("order-1");
    expect(await observe(id)).toEqual(initiated("queued"));
    await platform.work();
    expect(await observe(id)).toEqual(initiated("processing"));
    await after(400);
    expect(await observe(id)).toEqual(initiated("processing"));
    await after(700);
    expect(await observe(id)).toEqual(settled);
    await after(86_400_000);
    expect(await observe(id)).toEqual(settled);
  });

  it("fails, and the money is free again", async () => {
    const id = await execute("sandbox-fail-1");
    await after(0);
    await after(1_100);
    expect(await observe(id)).toEqual(rejected);
  });

  it("is returned after it succeeded", async () => {
    const id = await execute("sandbox-return-1");
    await after(0);
    await after(1_100);
    expect(await observe(id)).toEqual(settled);
    await after(1_000);
    expect(await observe(id)).toEqual({ ...rejected, subStatus: "returned", version: 3 });
  });

  it("stays unknown, its money held, until the second poll", async () => {
    const id = await execute("sandbox-unknown-1");
    await after(0);
    expect(await observe(id)).toEqual(initiated("unknown"));
    await after(1_100);
    expect(await observe(id)).toEqual(initiated("unknown"));
    await after(2_100);
    expect(await observe(id)).toEqual(settled);
  });
});

it("retries a failed step long before the lease expires", async () => {
  const id = await execute("order-1");
  const { updateOne } = platform.payouts;
  vi.spyOn(platform.payouts, "updateOne")
    // The lease.
    .mockImplementationOnce(updateOne)
    .mockRejectedValueOnce(new Error("database away"));
  await after(0);
  expect(await observe(id)).toEqual(initiated("queued"));
  await after(2_100);
  expect(await observe(id)).toEqual(initiated("processing"));
});

it("publishes an outcome only after its money moved", async () => {
  const id = await execute("order-1");
  await after(0);
  vi.spyOn(platform.ledger, "apply").mockRejectedValue(new Error("database away"));
  await after(1_100);
  expect(await observe(id)).toEqual(initiated("processing"));
  vi.restoreAllMocks();
  await after(3_000);
  expect(await observe(id)).toEqual(settled);
});

it("moves the money of an outcome once, also when it was moved before a crash", async () => {
  const id = await execute("sandbox-fail-1");
  await after(0);
  const { updateOne } = platform.payouts;
  vi.spyOn(platform.payouts, "updateOne")
    // The lease and the decision.
    .mockImplementationOnce(updateOne)
    .mockImplementationOnce(updateOne)
    .mockRejectedValueOnce(new Error("crash"));
  await after(1_100);
  expect(await observe(id)).toMatchObject({ status: "initiated", balance: "100.00 + 0.00" });
  vi.restoreAllMocks();
  await platform.tidy();
  const accounts = platform.database.db.collection("accounts");
  await accounts.updateOne({ _id: accountId as never }, { $set: { applied: [] } });
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  await platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId: "other" });
  await after(3_000);
  expect(await observe(id)).toMatchObject({ status: "failed", balance: "90.00 + 10.00" });
});

/** Creates a rail that replies from a script and records the calls. */
function scripted(answers: (RailReply["status"] | Error)[]) {
  const calls: string[] = [];
  const next = async (call: string): Promise<RailReply> => {
    calls.push(call);
    const status = answers.shift() ?? { kind: "accepted" };
    if (status instanceof Error) throw status;
    return { status, pollAfterMs: 1_000 };
  };
  platform.rails.current = testRail({
    submit: (key) => next(`submit ${key}`),
    query: (key) => next(`query ${key}`),
  });
  return calls;
}

describe("a rail", () => {
  it("whose response was lost is polled by the key, never submitted again", async () => {
    const calls = scripted([new Error("cut"), { kind: "settled", reference: "R1" }]);
    const id = await execute("order");
    await after(0);
    expect(await observe(id)).toEqual(initiated("unknown"));
    await after(60_000);
    expect(await observe(id)).toEqual(settled);
    expect(calls.slice(0, 2)).toEqual([`submit ${id}`, `query ${id}`]);
    expect(calls.filter((call) => call.startsWith("submit"))).toHaveLength(1);
  });

  it("that never saw the key is sent the same key again", async () => {
    const settledAnswer = { kind: "settled", reference: "R1" } as const;
    const calls = scripted([new Error("cut"), { kind: "not_received" }, settledAnswer]);
    const id = await execute("order");
    await after(0);
    await after(60_000);
    expect(await observe(id)).toEqual(settled);
    expect(calls.slice(0, 3)).toEqual([`submit ${id}`, `query ${id}`, `submit ${id}`]);
  });

  it("that announces a callback and does not send it is polled", async () => {
    const answers: RailReply[] = [
      { status: { kind: "accepted" } },
      { status: { kind: "accepted" } },
    ];
    const next = async (): Promise<RailReply> =>
      answers.shift() ?? { status: { kind: "settled", reference: "R" } };
    platform.rails.current = testRail({ submit: next, query: next });
    const id = await execute("order");
    await after(0);
    await after(2_100);
    expect(await observe(id)).toEqual(initiated("processing"));
    await after(59_000);
    expect(await observe(id)).toEqual(initiated("processing"));
    await after(1_100);
    expect(await observe(id)).toEqual(settled);
  });

  it("that is down lets payouts queue", async () => {
    platform.rails.current = undefined;
    const id = await execute("order");
    await after(0);
    await after(3_600_000);
    expect(await observe(id)).toEqual(initiated("queued"));
    platform.rails.current = platform.sandboxRail;
    await after(30_000);
    await after(1_100);
    expect(await observe(id)).toEqual(settled);
  });

  it("that contradicts itself moves nothing", async () => {
    scripted([{ kind: "settled", reference: "R" }, { kind: "rejected" }, { kind: "returned" }]);
    const id = await execute("order");
    await after(0);
    expect(await observe(id)).toEqual(settled);
    await after(1_100);
    await after(61_000);
    expect(await observe(id)).toEqual(settled);
  });
});

describe("a callback", () => {
  it("is believed once, and repeats are no-ops", async () => {
    scripted([{ kind: "accepted" }]);
    const id = await execute("order");
    await after(0);
    await Promise.all([
      report(id, RailOutcome.SETTLED, "R9"),
      report(id, RailOutcome.SETTLED, "R9"),
    ]);
    await after(0);
    expect(await observe(id)).toEqual(settled);
    await report(id, RailOutcome.SETTLED, "R9");
    await after(0);
    expect(await observe(id)).toEqual(settled);
    await report(id, RailOutcome.RETURNED);
    await after(0);
    await report(id, RailOutcome.RETURNED);
    await after(0);
    expect(await observe(id)).toEqual({ ...rejected, subStatus: "returned", version: 3 });
  });

  it("that contradicts what is known is refused", async () => {
    const id = await execute("order");
    const settledReport = () => codeOf(report(id, RailOutcome.SETTLED, "R"));
    expect(await settledReport()).toBe("INVALID_REQUEST");
    scripted([{ kind: "rejected" }]);
    await after(0);
    expect(await observe(id)).toEqual(rejected);
    expect(await settledReport()).toBe("INVALID_REQUEST");
    expect(await codeOf(report(id, RailOutcome.RETURNED))).toBe("INVALID_REQUEST");
    expect(await codeOf(report(id, RailOutcome.SETTLED))).toBe("INVALID_REQUEST");
    expect(await codeOf(report(id, RailOutcome.UNSPECIFIED))).toBe("INVALID_REQUEST");
    expect(await codeOf(report("po_x", RailOutcome.REJECTED))).toBe("RECORD_NOT_FOUND");
    expect(await observe(id)).toEqual(rejected);
  });

  it("before the submit's answer wins, and the answer changes nothing", async () => {
    const id = await execute("order");
    const calls: string[] = [];
    platform.rails.current = testRail({
      submit: async (key) => {
        calls.push(key);
        await report(key, RailOutcome.SETTLED, "R1");
        return { status: { kind: "accepted" }, pollAfterMs: 10 };
      },
      query: async () => ({ status: { kind: "settled", reference: "R1" } }),
    });
    await after(0);
    await after(100);
    expect(calls).toEqual([id]);
    expect(await observe(id)).toEqual(settled);
  });
});

it("sends the beneficiary service's data of the merchant's own beneficiary", async () => {
  const asked: unknown[] = [];
  const sent: unknown[] = [];
  const paid = {
    ...{ transferMethod: "CRYPTO", network: "SOLANA", beneficiaryName: "Ada Lovelace" },
    ...{ accountNumber: "7xKX", destinationCountry: "IN" },
    ...{ accountType: "Corporate", bankAccountType: "" },
    address: { street: "1 Main", city: "Pune", state: "", postcode: "411001", countryCode: "IN" },
  };
  const beneficiary = {
    getPaymentInstruction: async (request: object) => {
      asked.push(request);
      const routing = { routingCodeType1: "IFSC", routingCodeValue1: "HDFC0000001" };
      return { ...paid, ...routing, screeningStatus: ScreeningStatus.CLEARED };
    },
  } as unknown as typeof platform.parts.beneficiary;
  platform.rails.current = testRail({
    submit: async (...given) => {
      sent.push(given);
      return { status: { kind: "rejected" } };
    },
  });
  const texts = {
    ...{ referenceId: "order-9", remittanceInformation: "Invoice 9", purposeCode: "SUPP" },
  };
  const id = await execute("order-9", texts);
  // Rails get the texts of the rail contract alone, whatever else the merchant sent.
  const more = { $set: { "order.details.invoice_number": "INV-9" } };
  await platform.payouts.updateOne({ _id: id }, more);
  while (await workOnDuePayout({ ...platform.parts, beneficiary }));
  expect(asked).toEqual([{ merchantId, beneficiaryId: "ben_1" }]);
  const routing = { routingCodeType: "IFSC", routingCodeValue: "HDFC0000001" };
  const transfer = { ...texts, merchantId, currency: "USD", amount: 1_000n };
  expect(sent).toEqual([[id, { ...transfer, ...paid, ...routing }]]);
});

it("stores the rail's expected time in the write of the submission", async () => {
  const id = await execute("order-10");
  const expected = async () => {
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: id });
    return payout?.expectedSettlementAt && timestampDate(payout.expectedSettlementAt);
  };
  expect(await expected()).toBeUndefined();
  const asked: unknown[] = [];
  const expectedAt = (transfer: object, now: Date) => {
    asked.push(transfer);
    return new Date(now.getTime() + 60_000);
  };
  platform.rails.current = testRail({ expectedAt });
  const { updateOne } = platform.payouts;
  const writes = vi.spyOn(platform.payouts, "updateOne").mockImplementation(updateOne);
  await platform.work();
  expect(asked).toEqual([{ currency: "USD", amount: 1_000n, transferMethod: "ACH", network: "" }]);
  // The lease, the submission, the response: none for the wait. Other payouts may be due as well.
  const own = writes.mock.calls.filter(([filter]) => filter._id === id);
  expect(own).toHaveLength(3);
  const stored = await platform.payouts.findOne({ _id: id });
  const submittedAt = stored?.submitted_at?.getTime() ?? 0;
  expect(await expected()).toEqual(new Date(submittedAt + 60_000));
  await report(id, RailOutcome.REJECTED);
  await after(0);
  expect(await expected()).toBeUndefined();
});

it("goes on under the request that made the payout, and hands its event on", async () => {
  const { tracing, spans } = testTracing();
  const { context: span } = tracing.startRequest({ kind: "server", name: "POST" }, undefined);
  platform.rails.current = testRail({
    submit: async () => ({ status: { kind: "settled", reference: "R" } }),
  });
  const id = await withCallContext({ requestId: "req_1", span }, () => execute("order"));
  const onChanged = vi.fn();
  while (await workOnDuePayout({ ...platform.parts, tracing, onChanged }));
  const [advanced] = spans().filter(({ attributes }) => attributes["disburse.payout_id"] === id);
  if (advanced === undefined) return expect.unreachable("no span");
  expect([advanced.name, advanced.parentSpanContext]).toMatchObject([
    ...["advance payout", { spanId: span.spanId, traceId: span.traceId }],
  ]);
  const stored = await platform.payouts.findOne({ _id: id });
  const traceparent = formatTraceparent(advanced.spanContext());
  expect(onChanged.mock.calls).toEqual([
    [
      {
        ...{ payoutId: id, origin: { request_id: "req_1", traceparent } },
        event: stored?.outbox.at(-1),
      },
    ],
  ]);
});

it("works on one payout once, however many workers there are", async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, (_each, at) => execute(`order-${at}`)));
  await Promise.all(Array.from({ length: 6 }, () => platform.work()));
  platform.world.offsetMs += 1_100;
  await Promise.all(Array.from({ length: 6 }, () => platform.work()));
  for (const id of ids) expect(await observe(id)).toMatchObject({ status: "succeeded" });
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  expect(account).toMatchObject({ available: "20.00", held: "0.00" });
});

it("owes an event for each change of status, in order, until the bus has it", async () => {
  const id = await execute("sandbox-return-2");
  await after(0);
  await after(1_100);
  await after(1_000);
  const messages = (await platform.outbox.due(1_000)).filter(({ id: event }) =>
    event.startsWith(`evt_${id.slice(3)}_`),
  );
  const shown = messages.map(({ id: event, key, body }) => {
    const { payout, eventId } = fromBinary(PayoutStatusChangedSchema, body);
    expect(eventId).toBe(event);
    expect(payout).toMatchObject({ id, beneficiaryName: "", beneficiaryAccountNumberMasked: "" });
    return `${key} ${payout?.version}`;
  });
  expect(shown).toEqual(["payout.initiated 1", "payout.succeeded 2", "payout.failed 3"]);
  await platform.outbox.published(messages);
  const left = await platform.outbox.due(1_000);
  expect(left.some(({ id: event }) => event.startsWith(`evt_${id.slice(3)}_`))).toBe(false);
});
