import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MerchantName } from "@disburse/sandbox/sandbox-data.ts";
import type { DownloadedFile } from "@disburse/sdk/caller.ts";
import { Disburse } from "@disburse/sdk/disburse.ts";
import type { DisburseError } from "@disburse/sdk/disburse-error.ts";
import { eventFeed, type FeedEvent } from "@disburse/sdk/event-feed.ts";
import { onceInOrder } from "@disburse/sdk/event-order.ts";
import type {
  CreateDepositorRequest,
  CreateFiatBeneficiaryRequest,
  PayoutWebhook,
} from "@disburse/sdk/gen/types.ts";
import { installPackage, oldestNode } from "@disburse/sdk/test-package.ts";
import { verifyWebhook, WebhookVerificationError } from "@disburse/sdk/verify-webhook.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type ReceivedCall, type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { readDocument } from "@disburse/testkit/reference.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, depositorBody } from "./bodies.ts";
import { sdkClient } from "./sdk-client.ts";
import { id, time, times } from "./wire.ts";

/** Tests the SDK as a merchant's program uses it, against the whole platform. */

let platform: TestPlatform;
let acme: ReturnType<typeof sdkClient>;
let client: Disburse;
let beneficiary_id = "";

const optionsOf = (name: MerchantName) => ({
  apiKey: platform.apiKey(name),
  baseUrl: platform.baseUrl,
});

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200", RATE_LIMIT_BURST: "5000" });
  acme = sdkClient(optionsOf("acme"));
  client = acme.client;
  const bank = bankBody() as unknown as CreateFiatBeneficiaryRequest;
  ({ beneficiary_id } = await client.beneficiaries.createFiat(bank));
});
afterAll(() => platform?.stop());
afterEach(() => expect(acme.problems).toEqual([]));

const quoted = (source_amount = "12.30") =>
  client.quotes.request({
    source_amount,
    source_currency_code: "USD",
    destination_currency_code: "USD",
    beneficiary_id,
    account_id: platform.accountId("acme", "USD"),
  });

async function pay(reference_id: string): Promise<string> {
  const { id: quote_id } = await quoted();
  return (await client.payouts.execute({ quote_id, reference_id })).id;
}

/** A PNG of one pixel in base64. */
const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC";

const textOf = ({ bytes }: DownloadedFile) => new TextDecoder().decode(bytes);

async function failureOf(call: Promise<unknown>): Promise<DisburseError> {
  const failure = await call.catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "DisburseError" });
  return failure as DisburseError;
}

describe("every operation", () => {
  it("has a method whose answer is as its type says", async () => {
    await useBeneficiaries();
    await useDepositors();
    await useAccounts(await usePayouts());
    await useOrders();
    await useTeam();
    await useSettings();
    await useRequests();
    await useWebhooks();
    await useSandbox();

    const paths = Object.entries(readDocument().paths as Record<string, object>);
    const described = paths.flatMap(([path, methods]) =>
      path.startsWith("/api/") || path.includes("disburse-keys")
        ? Object.keys(methods).map(
            (each) => `${each.toUpperCase()} ${path.replace(/\{\w+\}/, "{id}")}`,
          )
        : [],
    );
    expect([...acme.called].sort()).toEqual(described.sort());
  });
});

async function useBeneficiaries(): Promise<void> {
  const { beneficiaries } = client;
  const { forms } = await beneficiaries.listForms({
    destination_currency: "USDC_ETH",
    account_type: "Individual",
  });
  expect(forms.map(({ name }) => name)).toEqual(["crypto_beneficiary_individual"]);
  const wallet = cryptoBody() as unknown as Parameters<typeof beneficiaries.createCrypto>[0];
  expect(await beneficiaries.validateCrypto(wallet)).toEqual({ valid: true });
  const bank = bankBody() as unknown as CreateFiatBeneficiaryRequest;
  expect(await beneficiaries.validateFiat(bank)).toEqual({ valid: true });
  const created = await beneficiaries.createCrypto(wallet);
  expect(created).toEqual({ beneficiary_id: id("ben") });
  const stored = await beneficiaries.get(created.beneficiary_id);
  expect(stored).toMatchObject({ ...created, screening_status: "cleared", archived: false });
  const { records, meta_data } = await beneficiaries.list({ beneficiary_type: "crypto" });
  expect(records).toEqual([stored]);
  expect(meta_data).toEqual({ total_count: 1, next_cursor: "" });
  const change = { beneficiary_alias: "night shift", metadata: { team: "a" } };
  const updated = await beneficiaries.update(created.beneficiary_id, change);
  expect(updated).toEqual({
    ...stored,
    ...change,
    metadata: { ...stored.metadata, ...change.metadata },
    updated_at: updated.updated_at,
  });
  const found = await beneficiaries.list({ beneficiary_name: "NIGHT", metadata: ["team=a"] });
  expect(found.records).toEqual([updated]);
  const { url, ...link } = await beneficiaries.createLink({ destination_currency: "USD" });
  expect(url).toMatch(/\/b\/\S{43}$/);
  expect(await beneficiaries.getLink(link.id)).toEqual(link);
  expect((await beneficiaries.listLinks()).records).toEqual([link]);
  expect(await beneficiaries.revokeLink(link.id)).toMatchObject({ id: link.id, state: "revoked" });
  const archived = await beneficiaries.archive(created.beneficiary_id);
  expect(archived).toMatchObject({ ...created, archived: true });
}

async function useDepositors(): Promise<void> {
  const body = depositorBody("individual") as unknown as CreateDepositorRequest;
  const created = await client.depositors.create(body);
  expect(created).toEqual({ id: id("dep") });
  const stored = await client.depositors.get(created.id);
  expect(stored).toMatchObject({ ...created, depositor_type: "Individual", status: "whitelisted" });
  expect((await client.depositors.list()).records).toEqual([stored]);
}

async function usePayouts(): Promise<string> {
  const corridors = await client.corridors.list({ limit: 100 });
  expect(corridors.records).toContainEqual(
    expect.objectContaining({
      source_currency_code: "USD",
      destination_currency_code: "USD",
      active: true,
      limits: expect.objectContaining({ source_amount_min: "1.00" }),
    }),
  );
  const quote = await quoted("123.45");
  expect(quote).toMatchObject({
    source_amount: "123.45",
    total_fees: "0.63",
    converted_amount: "122.82",
    receiving_amount: "122.82",
  });
  expect(await client.quotes.get(quote.id)).toEqual(quote);
  const executed = await client.payouts.execute({ quote_id: quote.id, reference_id: "order-1" });
  expect(executed).toEqual({ id: id("po"), message: "Transaction Queued" });
  const payout = await vi.waitFor(async () => {
    const read = await client.payouts.get(executed.id);
    expect(read.status).toBe("succeeded");
    return read;
  }, 20_000);
  expect(payout).toMatchObject({ source_amount: "123.45", quote_id: quote.id, ...times });
  const waiting = await pay("sandbox-batch");
  const cancelled = await client.payouts.cancel(waiting);
  expect(cancelled).toMatchObject({ id: waiting, status: "failed", sub_status: "cancelled" });
  const tooLate = await failureOf(client.payouts.cancel(executed.id));
  expect(tooLate).toMatchObject({ code: "NOT_CANCELLABLE", status: 409 });
  const notBack = await failureOf(client.payouts.reissue(waiting));
  expect(notBack).toMatchObject({ code: "STATE_NOT_REACHABLE", status: 409 });
  const decisions = [
    failureOf(client.payouts.approve(executed.id)),
    failureOf(client.payouts.reject(executed.id, { reason: "not ours" })),
  ];
  const notWaiting = { code: "NOT_AWAITING_APPROVAL", status: 409 };
  expect(await Promise.all(decisions)).toMatchObject([notWaiting, notWaiting]);
  const { receipt } = await client.payouts.getReceipt(executed.id);
  expect(receipt).toMatchObject({ payout_id: executed.id, status: "succeeded" });
  const { keys } = await client.receipts.getKeys();
  expect(keys).toContainEqual(expect.objectContaining({ kty: "OKP", crv: "Ed25519" }));
  const pdf = await client.payouts.getReceiptPdf(executed.id);
  expect(pdf).toMatchObject({ type: "application/pdf", name: expect.stringMatching(/\.pdf$/) });
  expect(textOf(pdf)).toMatch(/^%PDF-/);
  const { records: events } = await client.payouts.listEvents(executed.id);
  expect([events.at(0), events.at(-1)]).toMatchObject([
    { status: "initiated", cause: "executed", version: 1 },
    { status: "succeeded", cause: "settled" },
  ]);
  const file = await client.payouts.export({ quote_id: quote.id });
  expect(textOf(file)).toContain(executed.id);
  const [item] = (await client.payouts.list({ quote_id: quote.id })).records;
  expect(item).toMatchObject({
    id: executed.id,
    total_cost: "123.45",
    amount: { source_amount: "123.45", receiving_amount: "122.82" },
  });
  return executed.id;
}

async function useOrders(): Promise<void> {
  const { scheduledPayouts, batches } = client;
  const line = {
    source_amount: "12.30",
    source_currency_code: "USD",
    destination_currency_code: "USD",
    beneficiary_id,
    account_id: platform.accountId("acme", "USD"),
  };
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await scheduledPayouts.create({ ...line, scheduled_at });
  expect(scheduled).toMatchObject({ sub_status: "scheduled", scheduled_at });
  expect(await scheduledPayouts.get(scheduled.id)).toEqual(scheduled);
  expect((await scheduledPayouts.list()).records).toEqual([scheduled]);
  const cancelled = await scheduledPayouts.cancel(scheduled.id);
  expect(cancelled).toMatchObject({ id: scheduled.id, sub_status: "cancelled" });
  await useHeldOrders({ ...line, scheduled_at });

  expect(textOf(await batches.getTemplate())).toContain("beneficiary_id,");
  expect(await batches.validate({ lines: [line] })).toMatchObject({ payable_count: 1 });
  const batch = await batches.create({ lines: [line] });
  expect((await batches.listLines(batch.id)).records).toMatchObject([{ number: 1 }]);
  await batches.approve(batch.id, { max_total_amount: "100.00" });
  await vi.waitFor(async () => {
    expect(await batches.get(batch.id)).toMatchObject({ state: "finished" });
  }, 20_000);
  const other = await batches.create({ lines: [line], reference_id: "not this one" });
  expect(await batches.cancel(other.id)).toMatchObject({ id: other.id });
  const third = await batches.create({ lines: [line], reference_id: "rejected" });
  const rejected = await batches.reject(third.id, { reason: "not this one either" });
  expect(rejected.approval).toMatchObject({ state: "rejected", by_another: false });
  const header = "beneficiary_id,source_amount,source_currency_code,destination_currency_code";
  const row = [line.beneficiary_id, "12.30", "USD", "USD", line.account_id].join();
  const fromFile = await batches.create(`${header},account_id\r\n${row}\r\n`);
  expect(await batches.cancel(fromFile.id)).toMatchObject({ id: fromFile.id });
  const report = await batches.exportReport(batch.id);
  expect(report).toMatchObject({
    type: expect.stringMatching(/^text\/csv/),
    name: expect.stringMatching(/\.csv$/),
  });
  expect(textOf(report)).toContain("12.30");
  expect(await batches.exportReportJson(batch.id)).toMatchObject({
    ...{ batch: { id: batch.id }, lines: [{ number: 1, source_amount: "12.30" }] },
  });
  expect(textOf(await batches.exportFailedLines(batch.id))).toContain("failure_code");
  const { records } = await batches.list();
  expect(records.map((each) => each.id)).toEqual([fromFile.id, third.id, other.id, batch.id]);
}

/** Creates a revoked key's orders, on which another actor decides. */
async function useHeldOrders(order: Parameters<typeof client.scheduledPayouts.create>[0]) {
  const { scheduledPayouts, keys } = client;
  const { key, secret } = await platform.clients.keys.createKey({
    mutation: { operationId: crypto.randomUUID() },
    merchantId: platform.sandbox.merchants.acme.merchant_id,
    scopes: ["payout:write"],
  });
  const maker = new Disburse({ ...optionsOf("acme"), apiKey: secret }).scheduledPayouts;
  const ids = [(await maker.create(order)).id, (await maker.create(order)).id] as const;
  const { revocation } = await keys.revoke(key?.id ?? "", { orders: "hold" });
  expect(revocation.scheduled_payouts).toEqual({ count: 2, ids: [...ids] });
  const approved = await scheduledPayouts.approve(ids[0]);
  expect(approved).toMatchObject({ sub_status: "scheduled", approval: { state: "approved" } });
  const rejected = await scheduledPayouts.reject(ids[1], { reason: "not ours" });
  expect(rejected).toMatchObject({ failure_code: "APPROVAL_REJECTED" });
  await scheduledPayouts.cancel(ids[0]);
}

async function useRequests(): Promise<void> {
  await vi.waitFor(async () => {
    const { records } = await client.requests.list({ limit: 1 });
    expect(records[0]).toMatchObject({ status: "succeeded", http_status: 200 });
  });
}

async function useTeam(): Promise<void> {
  const { teamMembers, keys } = client;
  const email = "nora@acme.example";
  const member = await teamMembers.add({ email, name: "Nora", role: "viewer" });
  expect(await teamMembers.update(member.id, { role: "approver" })).toMatchObject({
    ...{ id: member.id, role: "approver" },
  });
  expect((await teamMembers.list()).records).toContainEqual(expect.objectContaining({ email }));
  expect(await teamMembers.remove(member.id)).toMatchObject({ id: member.id });

  const key = await keys.create({ scopes: ["payout:read"] });
  expect(JSON.stringify(await keys.list())).toContain(key.id);
  expect(await keys.revoke(key.id)).toMatchObject({ id: key.id });
}

async function useSettings(): Promise<void> {
  const { approvalRules, companyProfile } = client;
  const rules = await approvalRules.get();
  const amounts = [{ currency_code: "EUR", minimum: "1000000.00" }];
  const tight = await approvalRules.set({ ...rules, amounts });
  expect(tight.rules).toMatchObject({ amounts });
  const { proposal } = await approvalRules.set(rules);
  const { id: proposalId = "", digest = "" } = proposal ?? {};
  expect(await approvalRules.getProposal(proposalId)).toMatchObject({ state: "open", digest });
  const { records } = await approvalRules.listProposals({ waiting_for_caller: true });
  expect(records).toEqual([]);
  const own = [
    failureOf(approvalRules.approveProposal(proposalId, { digest })),
    failureOf(approvalRules.rejectProposal(proposalId, { reason: "not agreed on" })),
  ];
  const forbidden = { code: "ACCESS_FORBIDDEN", status: 403 };
  expect(await Promise.all(own)).toMatchObject([forbidden, forbidden]);
  expect(await approvalRules.withdrawProposal(proposalId)).toMatchObject({ state: "withdrawn" });

  expect(await companyProfile.updateMerchant({ color: "#0a5c36" })).toMatchObject({ name: "acme" });
  const { logo } = await companyProfile.setMerchantLogo({ png: onePixel });
  expect(logo).toMatchObject({ width: 1, height: 1 });
  expect(await companyProfile.getMerchantLogo()).toMatchObject({ type: "image/png" });
  await companyProfile.removeMerchantLogo();
  expect(await companyProfile.getMerchant()).toMatchObject({ color: "#0a5c36" });
}

async function useAccounts(payoutId: string): Promise<void> {
  const accountId = platform.accountId("acme", "USD");
  const account = await client.accounts.get(accountId);
  expect(account).toMatchObject({ id: accountId, currency_code: "USD", held: "0.00" });
  expect(account.available).toMatch(/^\d{6}\.\d\d$/);
  expect((await client.accounts.list({ limit: 100 })).records).toContainEqual(account);
  const { available, held } = account;
  const now = await client.accounts.get(accountId, { as_of: new Date().toISOString() });
  expect(now).toMatchObject({ id: accountId, available, held });
  const named = await client.accounts.update(accountId, { name: "Payroll" });
  expect(named).toMatchObject({ id: accountId, name: "Payroll" });
  // An account that is used can't be closed, and one that is open can't be opened again.
  expect(await failureOf(client.accounts.close(accountId))).toMatchObject({ status: 409 });
  expect(await client.sandbox.reopenAccount(accountId)).toMatchObject({ closed_at: "" });
  const entries = await client.accounts.exportEntries(accountId, { payout_id: payoutId });
  const statement = await client.accounts.exportStatement(accountId, { format: "camt053" });
  expect([entries.type, statement.type]).toEqual([
    ...[expect.stringMatching(/^text\/csv/), expect.stringMatching(/^application\/xml/)],
  ]);
  expect(textOf(statement)).toContain("camt.053.001.08");
  const { days } = await client.accounts.getActivity(accountId);
  expect(days).toHaveLength(30);
  expect(days[0]).toMatchObject({ available: "0.00", held: "0.00", movements: [] });
  const from = new Date(Date.now() - 86_400_000).toISOString();
  const accounting = await client.payouts.exportAccounting({ from });
  expect(textOf(accounting).split("\n").length).toBeGreaterThan(1);
  // The statement is written shortly after the money moves.
  await vi.waitFor(async () => {
    const steps: [string, string, number][] = [];
    for await (const entry of client.accounts.listEntries(accountId, { limit: 2 })) {
      if (entry.payout_id === payoutId) steps.push([entry.step, entry.amount, entry.sequence]);
    }
    const wanted = ["123.45", expect.any(Number)];
    expect(steps.toSorted()).toEqual([
      ["hold", ...wanted],
      ["post", ...wanted],
    ]);
  }, 20_000);
}

async function useWebhooks(): Promise<void> {
  const { webhookEndpoints, webhookDeliveries } = client;
  const since = new Date(Date.now() - 60_000).toISOString();
  expect((await webhookDeliveries.getActivity()).days.length).toBeGreaterThan(0);
  const receiver = await startReceiver();
  const created = await webhookEndpoints.create({ url: receiver.url, description: "every one" });
  const { secret, standard_secret, ...shown } = created;
  expect(secret).toMatch(/^.{43}=$/);
  expect(standard_secret).toMatch(/^whsec_/);
  const stored = await webhookEndpoints.get(created.id);
  expect(stored).toMatchObject({ id: shown.id, url: receiver.url, description: "every one" });
  expect((await webhookEndpoints.list()).records).toEqual([stored]);
  expect(stored.health).toMatchObject({ circuit: "closed", pending_count: 0 });
  const settings = { order: "strict" as const, event_types: ["payout_session.failed"] };
  expect(await webhookEndpoints.update(created.id, settings)).toMatchObject(settings);
  expect(await webhookEndpoints.pause(created.id)).toMatchObject({ state: "paused" });
  expect(await webhookEndpoints.resume(created.id)).toMatchObject({ state: "active" });
  expect(await webhookEndpoints.verify(created.id)).toMatchObject({ ...settings, pending_url: "" });
  const staged = await webhookEndpoints.rotateSecret(created.id, { stage: true });
  expect(staged.secret).not.toBe(secret);
  expect(await webhookEndpoints.activateSecret(created.id)).toMatchObject({ id: created.id });

  const { id: deliveryId } = await webhookEndpoints.sendTest(created.id);
  await receiver.waitFor(1);
  const delivered = await vi.waitFor(async () => {
    const read = await webhookDeliveries.get(deliveryId);
    expect(read).toMatchObject({ state: "delivered", attempts_count: 1, sequence: 1 });
    return read;
  }, 20_000);
  expect(delivered.attempts).toEqual([expect.objectContaining({ status_code: 200 })]);
  const listed = await webhookDeliveries.list({ endpoint_id: created.id, state: "delivered" });
  expect(listed.records.map((each) => each.id)).toEqual([deliveryId]);
  expect(await webhookDeliveries.redeliver(deliveryId)).toMatchObject({ replay: 1 });
  await receiver.waitFor(2);

  const replay = await webhookDeliveries.createReplay({
    endpoint_id: created.id,
    since,
    states: ["delivered"],
    rate: 1,
  });
  expect(replay).toMatchObject({ endpoint_id: created.id, rate: 1, states: ["delivered"] });
  expect(await webhookDeliveries.getReplay(replay.id)).toMatchObject({ id: replay.id });
  expect((await webhookDeliveries.listReplays()).records).toMatchObject([{ id: replay.id }]);
  const { state } = await webhookDeliveries.cancelReplay(replay.id);
  expect(["cancelled", "done"]).toContain(state);
  await useFeed();
  expect(await webhookEndpoints.delete(created.id)).toEqual({ id: created.id, deleted: true });
  await receiver.close();
}

async function useSandbox(): Promise<void> {
  const { sandbox } = client;
  const { id: quoteId, expired_at } = await quoted();
  const { expired_at: ended } = await sandbox.expireQuote(quoteId);
  expect(Date.parse(ended)).toBeLessThan(Date.parse(expired_at));
  const payoutId = await pay("sandbox-batch");
  expect(await sandbox.leavePayoutInDoubt(payoutId)).toMatchObject({ sub_status: "unknown" });
  expect(await sandbox.settlePayout(payoutId)).toMatchObject({ sub_status: "settled" });
  const why = { failure_code: "ACCOUNT_CLOSED", rail_code: "R02" } as const;
  expect(await sandbox.returnPayout(payoutId, why)).toMatchObject({
    ...{ sub_status: "returned", ...why },
  });
  const failing = await pay("sandbox-batch");
  expect(await sandbox.failPayout(failing)).toMatchObject({ sub_status: "rejected" });
  expect(await failureOf(sandbox.settlePayout(failing))).toMatchObject({
    ...{ code: "STATE_NOT_REACHABLE", status: 409 },
  });
  const empty = platform.accountId("acme", "USD", false);
  expect(await sandbox.creditAccount(empty, { amount: "12.50" })).toMatchObject({ id: empty });

  const listing = { result: "review" } as const;
  const { beneficiary_id: listed } = await client.beneficiaries.createFiat(
    bankBody() as unknown as CreateFiatBeneficiaryRequest,
  );
  expect(await sandbox.setBeneficiaryListing(listed, listing)).toMatchObject({
    screening_status: "review",
  });
  const depositor = depositorBody("individual") as unknown as CreateDepositorRequest;
  const { id: depositorId } = await client.depositors.create(depositor);
  expect(await sandbox.setDepositorListing(depositorId, listing)).toMatchObject({
    status: "review",
  });
  expect(await sandbox.setRailSilence({ kind: "down", seconds: 1 })).toMatchObject({
    kind: "down",
  });
  expect(await sandbox.endRailSilence()).toEqual({ ended_at: time });
  expect(await sandbox.setScenario({ seed: 7 })).toMatchObject({ seed: 7, fail_percent: 0 });
  expect(await sandbox.setPayoutControls({})).toMatchObject({ approval_amounts: {} });

  const receiver = await startReceiver(500);
  const { url } = receiver;
  const endpoint = await client.webhookEndpoints.create({ url, event_types: ["refund"] });
  const sent = await sandbox.sendWebhookEvent(endpoint.id, {
    ...{ transaction_type: "payout_session", status: "failed", data: { sub_status: "returned" } },
  });
  expect(sent).toMatchObject({ test: true, transaction_type: "payout_session", status: "failed" });
  const call = await receiver.waitFor(1);
  expect(JSON.parse(call[0]?.body.toString() ?? "")).toMatchObject({
    data: { status: "failed", sub_status: "returned" },
  });
  await sandbox.retryWebhookDelivery(sent.id);
  await receiver.waitFor(2);
  await vi.waitFor(() => sandbox.lapseWebhookDelivery(sent.id), 5_000);
  await vi.waitFor(async () => {
    const read = await client.webhookDeliveries.get(sent.id);
    expect(read).toMatchObject({ state: "exhausted", attempts_count: 2 });
  }, 5_000);
  await receiver.close();
}

async function useFeed(): Promise<void> {
  const { events, next_cursor, has_more } = await client.webhookEvents.list({ limit: 1 });
  expect(events).toMatchObject([{ sequence: 1, data: { status: "initiated" } }]);
  expect(has_more).toBe(true);
  const rest = await client.webhookEvents.list({ after: next_cursor });
  expect(rest.events.map(({ id }) => id)).not.toContain(events[0]?.id);
}

describe("retries", () => {
  it("pay once where answers are lost and the way is down", async () => {
    const { id: quote_id } = await quoted();
    let tries = 0;
    const flaky: typeof fetch = async (...call) => {
      tries += 1;
      if (tries === 1) throw new TypeError("no route");
      const response = await fetch(...call);
      if (tries > 3) return response;
      await response.text();
      if (tries === 2) throw new TypeError("the answer was lost");
      return new Response("<html>Bad gateway</html>", { status: 502 });
    };
    const unlucky = new Disburse({ ...optionsOf("acme"), fetch: flaky });
    const executed = await unlucky.payouts.execute({ quote_id, reference_id: "unlucky" });
    expect(tries).toBe(4);
    const { records } = await client.payouts.list({ reference_id: "unlucky" });
    expect(records.map((each) => each.id)).toEqual([executed.id]);
  });

  it("of a program with a key of its own get the first answer", async () => {
    const { id: quote_id } = await quoted();
    const options = { idempotencyKey: "execute-order-7" };
    const first = await client.payouts.execute({ quote_id, reference_id: "7" }, options);
    expect(await client.payouts.execute({ quote_id, reference_id: "7" }, options)).toEqual(first);
    const other = await failureOf(client.payouts.execute({ quote_id, reference_id: "8" }, options));
    expect(other).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", status: 422 });
    expect(other.idempotencyKey).toBe("execute-order-7");
  });
});

describe("lists", () => {
  it("yield every record of every page, newest first", async () => {
    const paid: string[] = [];
    for (let count = 0; count < 3; count += 1) paid.unshift(await pay("paged"));
    const yielded: string[] = [];
    for await (const payout of client.payouts.list({ reference_id: "paged", limit: 1 })) {
      yielded.push(payout.id);
    }
    expect(yielded).toEqual(paid);
    const first = await client.payouts.list({ reference_id: "paged", limit: 2 });
    expect(first.meta_data.total_count).toBe(3);
    expect((await first.next()).records.map((each) => each.id)).toEqual(paid.slice(2));
  });
});

describe("errors", () => {
  it("say what the platform refuses, with its code, status and request", async () => {
    const absent = `po_${"0".repeat(26)}`;
    expect(await failureOf(client.payouts.get(absent, { requestId: "sdk-1" }))).toMatchObject({
      kind: "refused",
      code: "RECORD_NOT_FOUND",
      message: "Unable to find the record requested.",
      status: 404,
      requestId: "sdk-1",
    });
    const invalid = await failureOf(quoted("0"));
    expect(invalid).toMatchObject({ code: "INVALID_REQUEST", status: 400 });
    expect(invalid.message).toContain("source_amount");
    const { client: nobody } = sdkClient({ ...optionsOf("acme"), apiKey: "dsb_test_unknown" });
    expect(await failureOf(nobody.accounts.list())).toMatchObject({
      code: "UNAUTHENTICATED",
      status: 401,
    });
    const { client: frozen } = sdkClient(optionsOf("frozen"));
    const bank = bankBody() as unknown as CreateFiatBeneficiaryRequest;
    expect(await failureOf(frozen.beneficiaries.createFiat(bank))).toMatchObject({
      code: "BENEFICIARY_CREATION_NOT_ALLOWED",
      status: 403,
    });
  });
});

describe("webhooks", () => {
  let receiver: Receiver;
  let endpointId = "";
  beforeAll(async () => {
    receiver = await startReceiver();
    return () => receiver.close();
  });
  afterAll(() => client.webhookEndpoints.delete(endpointId));

  async function fedAbout(payoutId: string): Promise<FeedEvent[]> {
    const fed: FeedEvent[] = [];
    for await (const each of eventFeed(client, { limit: 5 })) {
      if (each.transaction_id === payoutId) fed.push(each);
    }
    return fed;
  }

  it("are verified with the secrets that were shown, also those from before a rotation", async () => {
    const created = await client.webhookEndpoints.create({ url: receiver.url });
    endpointId = created.id;
    const secrets = { secret: created.secret, standardSecret: created.standard_secret };
    const payoutId = await pay("told");
    const about = ({ body }: ReceivedCall) => body.includes(payoutId);
    const calls = await receiver.waitFor(2, { filter: about });
    const events = calls.map(({ body, headers }) => verifyWebhook(body, headers, secrets));
    expect(events.map(({ data }) => data.status)).toEqual(["initiated", "succeeded"]);
    const [event] = events as PayoutWebhook[];
    const fed = await fedAbout(payoutId);
    // The feed's event equals the webhook's.
    expect(events.map(({ timestamp, ...each }) => each)).toEqual(
      fed.map(({ status, occurred_at, received_at, ...each }) => each),
    );
    const handle = onceInOrder(new Map());
    const standings = [];
    for (const each of [...events, ...fed]) standings.push(await handle(each, () => undefined));
    expect(standings).toEqual(["new", "new", "outdated", "repeated"]);
    expect(event).toMatchObject({ transaction_type: "payout_session", transaction_id: payoutId });
    expect(event?.data).toMatchObject({ source_amount: "12.30", created_at: time });

    const [{ body, headers }] = calls as [ReceivedCall];
    const forged = body.toString().replace("12.30", "92.30");
    expect(() => verifyWebhook(forged, headers, secrets)).toThrow(WebhookVerificationError);

    const next = await client.webhookEndpoints.rotateSecret(created.id);
    await client.webhookEndpoints.sendTest(created.id);
    const [webhook] = await receiver.waitFor(1, {
      filter: (call) => call.body.includes("webhook_test"),
    });
    const renewed = { secret: next.secret, standardSecret: next.standard_secret };
    for (const either of [secrets, renewed]) {
      expect(
        verifyWebhook(webhook?.body ?? "", webhook?.headers ?? {}, either).transaction_type,
      ).toBe("webhook_test");
    }
  });
});

describe("the README of the SDK", () => {
  const readme = readFileSync(join(import.meta.dirname, "../packages/sdk/README.md"), "utf8");
  const blocks = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, text = ""]) => text);
  /** Excludes servers, which run beside the package. */
  const [firstPayout = "", ...parts] = blocks.filter((text) => !text.includes("process.env.PORT"));
  const node = oldestNode();

  it(`is true, word for word, under Node ${node.version}`, async () => {
    const installed = installPackage();
    const run = async (text: string): Promise<string> => {
      writeFileSync(join(installed.folder, "program.mjs"), text);
      const env = {
        PATH: process.env.PATH,
        DISBURSE_API_KEY: platform.apiKey("globex"),
        DISBURSE_BASE_URL: platform.baseUrl,
      };
      const options = { cwd: installed.folder, env, timeout: 60_000 };
      return (await promisify(execFile)(node.path, ["program.mjs"], options)).stdout;
    };
    try {
      expect(await run(firstPayout)).toMatch(
        /^250\.00 USD pay 24\d\.\d{6} USDC_ETH\npayout po_\w{26} succeeded: 0x[0-9a-f]{64}\n$/,
      );
      expect(parts.length).toBeGreaterThanOrEqual(4);
      // The other blocks continue where the first payout's program has not executed yet.
      const [begun] = firstPayout.split("const { id } = await");
      const lines = parts.map((text) => text.replace(/^import .*\n/gm, ""));
      const imports = [...new Set(parts.flatMap((text) => text.match(/^import .*$/gm) ?? []))];
      const all = [...imports, begun, ...lines.map((text) => `{\n${text}}\n`)].join("\n");
      const printed = (await run(all)).split("\n");
      expect(printed).toEqual(
        expect.arrayContaining([
          "1 of 1",
          expect.stringMatching(/^text\/csv.* \S+\.csv$/),
          expect.stringMatching(/^evt_\w+_2 payout_session 2 succeeded$/),
          expect.stringMatching(/^read until \S{10,}$/),
          expect.stringMatching(/^po_\w{26} is succeeded$/),
          "evt_1_2 2 failed",
          expect.stringMatching(/^RECORD_NOT_FOUND Unable to find .* 404 [0-9a-f-]{36}$/),
          "true",
        ]),
      );
    } finally {
      installed.remove();
    }
  });
});
