import { execFile } from "node:child_process";
import { join } from "node:path";
import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { contracts } from "@disburse/sandbox/access-table.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Payer, payerOf } from "./payer.ts";
import { approvers } from "./second-person.ts";

/** Proves that operators can't pay for a merchant. One treasury person once did. */

let platform: TestPlatform;
let acme: Payer;
let second: ReturnType<typeof approvers>;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  second = approvers(platform, "payout");
});
afterAll(() => second.close());

const acmeId = () => platform.sandbox.merchants.acme.merchant_id;
const mutation = () => ({ operationId: crypto.randomUUID() });
/** Returns the error code in the RPC spelling: `permission_denied`. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) =>
      readApprovalRequired(error) === undefined
        ? /\[(\w+)\]/.exec(String(error))?.[1]
        : "APPROVAL_REQUIRED",
  );

describe("a person of every role", () => {
  it("neither prices nor pays for a merchant", async () => {
    const eve = platform.as("eve");
    const merchantId = acmeId();
    const { id: quoteId } = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const paid = eve.payout.executePayout({ mutation: mutation(), merchantId, quoteId });
    expect(await codeOf(paid)).toBe("permission_denied");
    const { beneficiary_id: beneficiaryId } = await acme.transfer("USD", "USD");
    const accountId = platform.accountId("acme", "USD");
    const priced = eve.quote.createQuote({
      mutation: mutation(),
      merchantId,
      accountId,
      beneficiaryId,
      sourceAmount: "10.00",
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "USD",
    });
    expect(await codeOf(priced)).toBe("permission_denied");
    // The merchant itself can still pay with it.
    await acme.data("POST", "/api/v1/transfer/execute", { quote_id: quoteId });
  });

  it("still cancels a scheduled payout, which stops money", async () => {
    const { rpc, close } = connectService(PayoutOrderService, platform.url("payout"), {
      identity: platform.trust.person("eve"),
    });
    const ordered = rpc.cancelScheduledPayout({
      mutation: mutation(),
      merchantId: acmeId(),
      scheduledPayoutId: "spo_none",
    });
    expect(await codeOf(ordered)).toBe("not_found");
    close();
  });

  const asMerchant = [
    ...["CreateQuote", "ExecutePayout", "ReissuePayout", "ApprovePayout", "SchedulePayout"],
    ...["CreateBatch", "ApproveBatch", "CreateCryptoBeneficiary", "CreateFiatBeneficiary"],
    ...["UpdateBeneficiary", "ArchiveBeneficiary", "CreateDepositor", "CreateBeneficiaryLink"],
    "RevokeBeneficiaryLink",
  ];
  it.each(asMerchant)("is refused %s", async (name) => {
    const found = contracts.flatMap(([service, { typeName, methods }]) =>
      methods.filter((each) => each.name === name).map(() => ({ service, typeName })),
    );
    expect(found).toHaveLength(1);
    for (const { service, typeName } of found) {
      const authorization = (await platform.trust.person("eve")(service)) ?? "";
      const answer = await fetch(`${platform.url(service)}/${typeName}/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization },
        body: "{}",
      });
      expect([answer.status, await answer.text()]).toEqual([
        ...[403, expect.stringContaining("permission_denied")],
      ]);
    }
  });
});

/** Runs `rpc.mjs` in a service's container and returns its output. */
async function called(service: "gateway" | "quote", quoteId = "qt_none", operationId = "op-none") {
  const script = join(import.meta.dirname, "../deploy/rpc.mjs");
  const order = JSON.stringify({ merchantId: acmeId(), quoteId });
  const environment = {
    SERVICE_KEY: platform.secrets.serviceKeys[service],
    PAYOUT_URL: platform.url("payout"),
  };
  const rpc = [
    ...["payout.PayoutService/ExecutePayout", order, "--operation", operationId],
    ...["--to", "payout", "--as", "ann", "--reason", "restore"],
  ];
  return new Promise<string>((resolve) => {
    const done = (_error: unknown, out: string, problem: string) => resolve(out + problem);
    execFile(process.execPath, [script, ...rpc], { env: environment }, done);
  });
}

async function trail() {
  const { rpc, close } = connectService(AuditService, platform.url("payout"), {
    identity: platform.trust.person("una", ["auditor"]),
  });
  let lines = "";
  for (let after = 0n; ; ) {
    const page = await rpc.exportAuditEntries({ after, limit: 1_000 });
    lines += page.jsonLines;
    if (page.lastSequence === after) break;
    after = page.lastSequence;
  }
  close();
  return lines;
}

describe("who has the gateway's container", () => {
  it("executes a claimed quote again after a restore, by the gateway's key", async () => {
    expect(await called("gateway")).toContain("RECORD_NOT_FOUND");
    expect(await called("quote")).toContain("permission_denied");
    const { id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const operationId = crypto.randomUUID();
    expect(await called("gateway", id, operationId)).toContain('"payoutId"');
    const entry = `"operation":"${operationId}","detail":"{\\"operator\\":\\"ann\\",\\"reason\\":\\"restore\\"}"`;
    expect(await trail()).toContain(entry);
  });
});

describe("limits on a merchant's payouts", () => {
  const merchantId = `mer_${crypto.randomUUID()}`;
  const amounts = (hour: string, day: string) => [{ currencyCode: "USD", hour, day }];
  const start = {
    merchant: { countHour: 10, countDay: 20, amounts: amounts("100.00", "500.00") },
    beneficiary: { countDay: 3 },
  };
  const set = (limits: object) =>
    platform
      .as("ada")
      .operations.setVelocityLimits({ mutation: mutation(), merchantId, ...limits });
  const inForce = async () =>
    (await platform.as("erin").operations.getVelocityLimits({ merchantId })).limits;

  it("are made, and tightened, by one person", async () => {
    expect(await codeOf(set(start))).toBe("OK");
    expect(await codeOf(set(start))).toBe("OK");
    const { merchant } = start;
    const tighter = [
      { merchant: { ...merchant, countHour: 5 } },
      { merchant: { countHour: 5, countDay: 5, amounts: amounts("0.01", "500.00") } },
      { beneficiary: { countHour: 1, countDay: 3 } },
    ];
    for (const limits of tighter) expect(await codeOf(set(limits))).toBe("OK");
  });

  it.each([
    ["removed", { merchant: {} }],
    ["removed beside the other", { beneficiary: { amounts: amounts("1.00", "1.00") } }],
    ["raised", { beneficiary: { countHour: 1, countDay: 4 } }],
    ["raised, while another falls", { beneficiary: { countHour: 0, countDay: 4 } }],
    [
      "raised in amount",
      { merchant: { countHour: 5, countDay: 5, amounts: amounts("0.02", "1.00") } },
    ],
    [
      "no more of an hour",
      { merchant: { countHour: 5, countDay: 5, amounts: amounts("", "500.00") } },
    ],
    [
      "of another currency",
      {
        merchant: { countHour: 5, countDay: 5, amounts: [{ currencyCode: "EUR", day: "1.00" }] },
      },
    ],
  ])("wait for a second person where one is %s", async (_what, limits) => {
    const before = await inForce();
    const refusedCall = set(limits);
    expect(await codeOf(refusedCall)).toBe("APPROVAL_REQUIRED");
    expect(await inForce()).toEqual(before);
  });

  it("are lifted once another person has approved that", async () => {
    const proposal = await second.approve("bob", set({ merchant: {}, beneficiary: {} }));
    expect(proposal).toMatchObject({ proposedBy: { id: "ada" }, decidedBy: { id: "bob" } });
    expect((await inForce())?.merchant?.countHour).toBeUndefined();
  });
});

describe("controls of a merchant's payouts", () => {
  const merchantId = `mer_${crypto.randomUUID()}`;
  const amounts = (minimum: string) => [{ currencyCode: "USD", minimum }];
  const rules = {
    amounts: amounts("100.00"),
    newBeneficiaryDays: 7,
    lastsSeconds: 3_600,
    batches: true,
  };
  const set = (controls: object) =>
    platform
      .as("ada")
      .operations.setPayoutControls({ mutation: mutation(), merchantId, ...controls });
  const inForce = async () =>
    (await platform.as("erin").operations.getPayoutControls({ merchantId })).controls;

  it("are made, and tightened, by one person", async () => {
    expect(await codeOf(set({ duplicateWindowSeconds: 60, approval: rules }))).toBe("OK");
    const tighter = [
      { duplicateWindowSeconds: 61 },
      { approval: { ...rules, amounts: amounts("50.00") } },
      {
        approval: {
          ...rules,
          amounts: [...amounts("50.00"), { currencyCode: "EUR", minimum: "1.00" }],
        },
      },
    ];
    for (const controls of tighter) expect(await codeOf(set(controls))).toBe("OK");
  });

  const eur = { currencyCode: "EUR", minimum: "1.00" };
  const now = { ...rules, amounts: [...amounts("50.00"), eur] };
  it.each([
    ["the guard is removed", { duplicateWindowSeconds: 0 }],
    ["its window is shortened", { duplicateWindowSeconds: 60 }],
    ["the rules are removed", { approval: {} }],
    ["an amount is raised", { approval: { ...now, amounts: [...amounts("50.01"), eur] } }],
    ["a currency is left out", { approval: { ...now, amounts: amounts("1.00") } }],
    ["fewer beneficiaries are new", { approval: { ...now, newBeneficiaryDays: 6 } }],
    ["batches need nobody else", { approval: { ...now, batches: false } }],
    ["an approval is waited for longer", { approval: { ...now, lastsSeconds: 3_601 } }],
    ["one part falls while the other rises", { duplicateWindowSeconds: 120, approval: {} }],
  ])("wait for a second person where %s", async (_what, controls) => {
    const before = await inForce();
    const refusedCall = set(controls);
    expect(await codeOf(refusedCall)).toBe("APPROVAL_REQUIRED");
    expect(await inForce()).toEqual(before);
  });

  it("are off once another person has approved that", async () => {
    await second.approve("bob", set({ duplicateWindowSeconds: 0, approval: {} }));
    expect((await inForce())?.duplicateWindowSeconds).toBe(0);
    expect((await inForce())?.approval).toBeUndefined();
  });
});
