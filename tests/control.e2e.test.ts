import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { startReceiver } from "@disburse/testkit/receiver.ts";
import { readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, paths, wallets } from "./bodies.ts";
import { type Controls, setControls as setControlsOf } from "./operators-controls.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Tests a merchant's controls between execute and payment, over HTTP. */

const described = readReference();
let platform: TestPlatform;
let acme: Payer;
const closing: (() => void)[] = [];
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});
afterAll(async () => {
  await setControls({});
  for (const close of closing) close();
});

const acmeId = () => platform.sandbox.merchants.acme.merchant_id;
const mutation = () => ({ operationId: crypto.randomUUID() });

const setControls = (controls: Controls) => setControlsOf(platform, acmeId(), controls);

async function keyWith(scope: string): Promise<Merchant> {
  const wish = { mutation: mutation(), merchantId: acmeId(), scopes: [scope], description: scope };
  const { secret } = await platform.clients.keys.createKey(wish);
  return merchantOf(platform.baseUrl, secret);
}

const quoted = async () => (await acme.quote("USD", "USD", { source_amount: "10.00" })).id;

describe("a guard against duplicates", () => {
  it("refuses a payout that repeats another one, until it is allowed", async () => {
    await setControls({ duplicateWindowSeconds: 3_600 });
    const first = await acme.pay("invoice-1");
    const key = { "idempotency-key": crypto.randomUUID() };
    const body = { quote_id: await quoted(), reference_id: "invoice-1" };
    const { status, json } = await acme.post(paths.execute, body, key);
    expect([status, json]).toMatchObject([409, { code: "POSSIBLE_DUPLICATE", payout_id: first }]);
    // A refused request releases its key.
    const allowed = await acme.post(paths.execute, { ...body, allow_duplicate: true }, key);
    expect(allowed.status).toBe(200);
    await setControls({});
    expect(await acme.pay("invoice-1")).not.toBe(first);
  });
});

/** The same account or wallet details, entered differently by a program. */
const retyped: readonly [what: string, path: string, first: BodyValues, again: BodyValues][] = [
  ["a bank account", paths.fiat, bankBody("ACH"), bankBody("ACH")],
  [
    "a bank account of another holder",
    paths.fiat,
    bankBody("ACH"),
    { ...bankBody("ACH", "Corporate"), beneficiary_alias: "other" },
  ],
  [
    "a bank account with a branch's BIC",
    paths.fiat,
    { ...bankBody("SWIFT"), routing_code_value_1: "CHASUS33" },
    bankBody("SWIFT"),
  ],
  [
    "a bank account with zeros before its number",
    paths.fiat,
    { ...bankBody("ACH"), beneficiary_account_number: "7654321" },
    { ...bankBody("ACH"), beneficiary_account_number: "0007654321" },
  ],
  [
    "an IBAN with another BIC",
    paths.fiat,
    bankBody("SWIFT to an IBAN"),
    { ...bankBody("SWIFT to an IBAN"), routing_code_value_1: "DEUTDEFFXXX" },
  ],
  [
    "a wallet",
    paths.crypto,
    cryptoBody(),
    { ...cryptoBody(), beneficiary_account_number: wallets.ETHEREUM.toLowerCase() },
  ],
];

/** Lookalike spellings of `invoice-7 …`. */
const spellings: readonly [what: string, spelled: (reference: string) => string][] = [
  ["as it is", (reference) => reference],
  ["in capitals", (reference) => reference.toUpperCase()],
  ["with a no-break space", (reference) => reference.replace(" ", "\u00a0\u00a0")],
  ["with a zero-width space", (reference) => reference.replace("invoice", "inv\u200boice")],
  ["in full-width letters", (reference) => reference.replace("invoice", "ｉｎｖｏｉｃｅ")],
  ["with Cyrillic letters", (reference) => reference.replace("invoice", "invоiсе")],
  ["with a Greek letter", (reference) => reference.replace("invoice", "invοice")],
];

describe("a retry that creates its beneficiary again", () => {
  const attempts = retyped.flatMap(([what, path, first, again]) =>
    spellings
      .filter((_each, at) => at === 0 || what === "a bank account")
      .map(([how, spelled]) => ({ what, how, path, first, again, spelled })),
  );

  it.each(attempts)("of $what, its reference $how, is refused", async (attempt) => {
    await setControls({ duplicateWindowSeconds: 3_600 });
    const reference = `invoice-7 ${crypto.randomUUID()}`;
    const execute = async (path: string, body: BodyValues, reference_id: string) => {
      const { beneficiary_id } = await acme.data("POST", path, body);
      const currency = String(body.destination_currency);
      const terms = { ...(await acme.transfer("USD", currency)), beneficiary_id };
      const quote = await acme.data("POST", paths.rfq, { ...terms, source_amount: "12.00" });
      const key = { "idempotency-key": crypto.randomUUID() };
      return acme.post(paths.execute, { quote_id: quote.id, reference_id }, key);
    };
    const first = await execute(attempt.path, attempt.first, reference);
    expect(first.status).toBe(200);
    const spelled = attempt.spelled(reference);
    const { status, json } = await execute(attempt.path, attempt.again, spelled);
    const payout_id = first.json.data.id;
    expect([status, json]).toMatchObject([409, { code: "POSSIBLE_DUPLICATE", payout_id }]);
    const elsewhere = { ...bankBody("ACH"), beneficiary_account_number: "5550001" };
    expect((await execute(paths.fiat, elsewhere, reference)).status).toBe(200);
    await setControls({});
  });
});

describe("approval rules", () => {
  const decide = (who: Merchant, id: string, what: string, body: object = {}) =>
    who.post(`${paths.payouts}/${id}/${what}`, body, { "idempotency-key": crypto.randomUUID() });
  const read = (id: string) => acme.data("GET", `${paths.payouts}/${id}`);

  it("have a payout wait for another key, which approves or rejects it", async () => {
    await setControls({ approval: { amounts: [{ currencyCode: "USD", minimum: "10.00" }] } });
    const approver = await keyWith("payout:approve");
    const chosen = await startReceiver();
    closing.push(() => void chosen.close());
    const eventTypes = { event_types: ["*", "payout.approval_required"] };
    await acme.data("POST", paths.endpoints, { url: chosen.url, ...eventTypes });
    const [paid, refused] = [await acme.pay("approve-1"), await acme.pay("reject-1")];
    const waiting = await read(paid);
    expect(waiting).toMatchObject({
      ...{ status: "initiated", sub_status: "awaiting_approval" },
      approval: { state: "waiting", reasons: ["amount"], decided_at: "" },
    });
    const list = `${paths.payouts}?sub_status=awaiting_approval`;
    const { transactions } = await acme.data("GET", list);
    expect(transactions.map(({ id }: { id: string }) => id)).toEqual([refused, paid]);

    const required = await vi.waitFor(() => {
      const sentEvents = chosen.calls.map(({ body }) => JSON.parse(body.toString()));
      expect(sentEvents.flatMap((each) => described.webhookProblems(each))).toEqual([]);
      const of = sentEvents.filter((each) => each.transaction_type === "payout.approval_required");
      expect(of).toHaveLength(2);
      return of;
    }, 10_000);
    expect(required.map((each) => each.transaction_id).toSorted()).toEqual(
      [paid, refused].toSorted(),
    );
    expect(required[0].data).toMatchObject({ status: "awaiting_approval", reasons: ["amount"] });

    const own = await decide(acme, paid, "approve");
    expect([own.status, own.json]).toMatchObject([403, { reason: "same_actor" }]);
    const maker = await decide(await keyWith("payout:write"), paid, "approve");
    expect([maker.status, maker.json]).toMatchObject([403, { reason: "scope_missing" }]);
    const { digest } = waiting.approval;
    const other = await decide(approver, paid, "approve", { digest: "0".repeat(64) });
    expect([other.status, other.json]).toEqual([
      409,
      {
        code: "STATE_NOT_REACHABLE",
        message: `The payout's digest is ${digest}, but you approve ${"0".repeat(64)}. Review the payout again.`,
      },
    ]);
    const approved = await decide(approver, paid, "approve", { digest });
    expect(approved.json.data).toMatchObject({ id: paid, approval: { state: "approved" } });
    const unreasoned = await decide(approver, refused, "reject");
    expect(unreasoned.json.violations).toMatchObject([{ field: "reason", rule: "required" }]);
    const rejected = await decide(approver, refused, "reject", { reason: "disputed" });
    expect(rejected.json.data).toMatchObject({
      ...{ id: refused, status: "failed", sub_status: "cancelled" },
      ...{ failure_code: "APPROVAL_REJECTED", approval: { state: "rejected", reason: "disputed" } },
    });
    const decided_by = { type: "api_key", name: "payout:approve" };
    expect([approved.json.data, rejected.json.data]).toMatchObject([
      ...[{ approval: { decided_by } }, { approval: { decided_by } }],
    ]);
    const late = await decide(approver, refused, "approve");
    expect([late.status, late.json.code]).toEqual([409, "NOT_AWAITING_APPROVAL"]);
    await vi.waitFor(async () => expect((await read(paid)).status).toBe("succeeded"), 5_000);
    const { events } = await acme.data("GET", `${paths.payouts}/${paid}/events`);
    expect(events.map(({ cause }: { cause: string }) => cause).slice(0, 2)).toEqual([
      ...["executed", "approved"],
    ]);
  });

  it("have a batch wait for another key, whose approval its lines have too", async () => {
    const amounts = [{ currencyCode: "USD", minimum: "10.00" }];
    await setControls({ approval: { amounts, batches: true } });
    const approver = await keyWith("payout:approve");
    const chosen = await startReceiver();
    closing.push(() => void chosen.close());
    const event_types = ["batch.approval_required"];
    await acme.data("POST", paths.endpoints, { url: chosen.url, event_types });
    const line = { ...(await acme.transfer("USD", "USD")), source_amount: "11.00" };
    const created = () => acme.data("POST", paths.batches, { lines: [line] });
    const [batch, other] = [await created(), await created()];
    await chosen.waitFor(2);
    const sentEvents = chosen.calls.map(({ body }) => JSON.parse(body.toString()));
    expect(sentEvents.flatMap((each) => described.webhookProblems(each))).toEqual([]);
    const ofBatch = (who: Merchant, id: string, what: string, body: object) =>
      who.post(`${paths.batches}/${id}/${what}`, body, {
        "idempotency-key": crypto.randomUUID(),
      });
    const body = { max_total_amount: "20.00", digest: batch.approval.digest };
    const own = await ofBatch(acme, batch.id, "approve", body);
    expect([own.status, own.json]).toMatchObject([403, { reason: "same_actor" }]);
    const maker = await ofBatch(await keyWith("payout:write"), batch.id, "approve", body);
    expect([maker.status, maker.json]).toMatchObject([403, { reason: "scope_missing" }]);
    const read = () => acme.data("GET", `${paths.batches}/${batch.id}/lines`);
    await ofBatch(approver, batch.id, "approve", body);
    await vi.waitFor(async () => {
      expect((await read()).lines).toMatchObject([{ status: "succeeded" }]);
    }, 10_000);
    const rejected = await ofBatch(approver, other.id, "reject", { reason: "paid already" });
    expect(rejected.json.data).toMatchObject({
      ...{ state: "cancelled", cancelled_count: 1 },
      approval: { state: "rejected", reason: "paid already" },
    });
    const late = await ofBatch(approver, other.id, "approve", { max_total_amount: "20.00" });
    expect([late.status, late.json.code]).toEqual([409, "NOT_AWAITING_APPROVAL"]);
  });

  it("cancel a payout that no one approves in time", async () => {
    await setControls({ approval: { amounts: [{ currencyCode: "USD", minimum: "10.00" }] } });
    const id = await acme.pay("expires");
    const { db, close } = await platform.openDatabase("payout");
    const ended = new Date(Date.now() - 1_000);
    const end = { "approval.expires_at": ended, work_due_at: ended };
    await db.collection<{ _id: string }>("payouts").updateOne({ _id: id }, { $set: end });
    await close();
    await vi.waitFor(async () => expect((await read(id)).status).toBe("failed"), 5_000);
    expect(await read(id)).toMatchObject({
      failure_code: "APPROVAL_EXPIRED",
      approval: { state: "expired" },
    });
  });
});
