import { riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { readDocument, referenceOf } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, depositorBody, paths } from "./bodies.ts";
import { setControls } from "./operators-controls.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Sends every request that the reference describes. The client checks the answers. */

type Value = string | number | boolean | object;
type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Asked & { readonly items?: Asked };
  readonly example: Value | Value[];
};
type Asked = { readonly enum?: string[] };
type Answered = { readonly examples: { readonly success: { readonly value: object | string } } };
type Described = {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<"200", { readonly content: Readonly<Record<string, object>> }>
  >;
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": { readonly examples?: Record<string, { value: object }> };
    };
  };
};

const document = readDocument();
const described = Object.entries(document.paths as Record<string, Record<string, Described>>)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  )
  .filter(({ path }) => path.startsWith("/api/v1/"));

/** A PNG of one pixel in base64. */
const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC";
const replaysPath = "/api/v1/webhooks/replays";

let platform: TestPlatform;
let acme: Payer;
/** Replaces an example's records by field or parameter name. */
let records: Readonly<Record<string, string>>;
beforeAll(async () => {
  platform = await startTestPlatform({
    RATE_LIMIT_BURST: "100000",
    RATE_LIMIT_PER_SECOND: "1000",
    SANDBOX_SETTLE_MS: "0",
  });
  acme = payerOf(platform, "acme");
  const endpoint = await acme.data("POST", paths.endpoints, { url: "http://127.0.0.1:9/hook" });
  const payout = await acme.pay("example");
  const quote = await acme.quote("USD", "USD", { source_amount: "1.00" });
  const depositor = await acme.data("POST", paths.depositor, depositorBody("individual"));
  const delivery = await vi.waitFor(async () => {
    const { deliveries } = await acme.data("GET", `${paths.deliveries}?transaction_id=${payout}`);
    expect(deliveries).not.toEqual([]);
    return deliveries[0];
  }, 20_000);
  const recipient = await acme.recipient("USD");
  const account = platform.accountId("acme", "USD");
  const { id: replayId } = await acme.data("POST", replaysPath, {
    endpoint_id: endpoint.id,
    since: "2026-11-20",
  });
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await acme.data("POST", paths.scheduled, {
    ...(await acme.transfer("USD", "USD")),
    ...{ source_amount: "1.00", scheduled_at },
  });
  const members = await acme.data("POST", "/api/v1/team/members", {
    ...{ email: "first@merchant.example", name: "First", role: "viewer" },
  });
  const key = await acme.data("POST", "/api/v1/keys", { scopes: ["payout:read"] });
  const link = await acme.data("POST", "/api/v1/beneficiary-links", {
    destination_currency: "USD",
  });
  records = {
    ...{ replayId, memberId: members.id, keyId: key.id, linkId: link.id },
    ...{ scheduled_at, scheduledPayoutId: scheduled.id, batchId: (await makeBatch()).id },
    ...{ beneficiary_id: recipient, beneficiaryId: recipient },
    ...{ account_id: account, accountId: account, depositorId: depositor.id },
    ...{ quote_id: quote.id, quoteId: quote.id, payoutId: payout, deliveryId: delivery.id },
    ...{ endpoint_id: endpoint.id, endpointId: endpoint.id, transaction_id: payout },
    proposalId: (await proposeRules(acme)).id,
    url: "http://127.0.0.1:9/hook",
    as_of: new Date().toISOString(),
  };
});
afterAll(() => platform?.stop());

async function makeBatch() {
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  return acme.data("POST", paths.batches, { lines: [line] });
}

/** Replaces the example's record ids with those of this platform. */
function live(example: object): object {
  const fields = Object.entries(example);
  const its = (name: string, value: unknown) =>
    Array.isArray(value)
      ? value.map((each) => (typeof each === "object" ? live(each) : each))
      : (records[name] ?? value);
  return Object.fromEntries(fields.map(([name, value]) => [name, its(name, value)]));
}

const livePath = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => records[name] ?? `no ${name}`);

const rulesPath = "/api/v1/approval-rules";
const acmeId = () => platform.sandbox.merchants.acme.merchant_id;

/** Proposes looser approval rules than those in force, which concern no payout here. */
async function proposeRules(who: Pick<Payer, "data">) {
  const amounts = [{ currencyCode: "EUR", minimum: "1000000.00" }];
  await setControls(platform, acmeId(), { approval: { amounts } });
  return (await who.data("POST", rulesPath, {})).proposal;
}

/** Proposes rules with another key than acme's first, which then decides. */
async function otherProposes(): Promise<void> {
  const mutation = { operationId: crypto.randomUUID() };
  const scopes = ["payout:control"];
  const { secret } = await platform.clients.keys.createKey({
    ...{ mutation, merchantId: acmeId(), scopes },
  });
  const { id, digest } = await proposeRules(merchantOf(platform.baseUrl, secret));
  records = { ...records, proposalId: id, digest };
}

/** Executes a payout awaiting approval, with another key than acme's first. */
async function awaitApproval(): Promise<void> {
  const { keys } = platform.clients;
  const merchantId = platform.sandbox.merchants.acme.merchant_id;
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const amounts = [{ currencyCode: "USD", minimum: "5000.00" }];
  await setControls(platform, merchantId, { approval: { amounts } });
  const { secret } = await keys.createKey({ mutation: mutation(), merchantId });
  const maker = merchantOf(platform.baseUrl, secret);
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "5000.00" });
  const { id: payoutId } = await maker.data("POST", paths.execute, { quote_id });
  const { approval } = await acme.data("GET", `${paths.payouts}/${payoutId}`);
  records = { ...records, payoutId, digest: approval.digest };
}

/** Creates a held scheduled payout, with another key than acme's first. */
async function holdOrder(): Promise<void> {
  const { keys } = platform.clients;
  const merchantId = platform.sandbox.merchants.acme.merchant_id;
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const { key, secret } = await keys.createKey({ mutation: mutation(), merchantId });
  const order = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const body = { ...order, scheduled_at: records.scheduled_at };
  const { id } = await merchantOf(platform.baseUrl, secret).data("POST", paths.scheduled, body);
  await keys.revokeKey({ mutation: mutation(), keyId: key?.id ?? "" });
  const { approval } = await acme.data("GET", `${paths.scheduled}/${id}`);
  records = { ...records, scheduledPayoutId: id, digest: approval.digest };
}

async function payWithUnknownOutcome(): Promise<void> {
  await setControls(platform, acmeId());
  records = { ...records, payoutId: await acme.pay("sandbox-silent") };
}

/** Creates a failed delivery that awaits its next attempt, on a separate endpoint. */
async function triedDelivery(): Promise<void> {
  const { id: endpointId } = await acme.data("POST", paths.endpoints, { url: records.url });
  const body = { transaction_type: "payout_session", status: "failed" };
  const events = `/api/v1/sandbox/webhooks/endpoints/${endpointId}/events`;
  const { id: deliveryId } = await acme.data("POST", events, body);
  await vi.waitFor(async () => {
    const read = await acme.data("GET", `${paths.deliveries}/${deliveryId}`);
    expect(read).toMatchObject({ state: "pending", attempts_count: 1 });
  }, 20_000);
  records = { ...records, deliveryId };
}

/** Creates the state that an operation needs, before each call. */
const preparations: Readonly<Record<string, () => Promise<unknown>>> = {
  createWebhookReplay: () =>
    vi.waitFor(async () => {
      const { replays } = await acme.data("GET", replaysPath);
      expect(replays).not.toContainEqual(expect.objectContaining({ state: "running" }));
    }, 20_000),
  activateWebhookSecret: () =>
    acme.post(livePath(`${paths.endpoints}/{endpointId}/rotate-secret`), { stage: true }),
  executePayout: async () => {
    const { id } = await acme.quote("USD", "USD", { source_amount: "1.00" });
    records = { ...records, quote_id: id };
  },
  cancelPayout: async () => {
    records = { ...records, payoutId: await acme.pay("sandbox-batch") };
  },
  reissuePayout: async () => {
    const payoutId = await acme.pay("sandbox-fail");
    await vi.waitFor(async () => {
      const { status } = await acme.data("GET", `${paths.payouts}/${payoutId}`);
      expect(status).toBe("failed");
    }, 20_000);
    records = { ...records, payoutId };
  },
  approveRulesProposal: otherProposes,
  rejectRulesProposal: otherProposes,
  withdrawRulesProposal: async () => {
    records = { ...records, proposalId: (await proposeRules(acme)).id };
  },
  getMerchantLogo: () => acme.post("/api/v1/merchant/logo", { png: onePixel }),
  approveScheduledPayout: holdOrder,
  rejectScheduledPayout: holdOrder,
  cancelScheduledPayout: holdOrder,
  approveBatch: async () => {
    const { id: batchId, approval } = await makeBatch();
    records = { ...records, batchId, digest: approval.digest };
  },
  rejectBatch: async () => {
    records = { ...records, batchId: (await makeBatch()).id };
  },
  approvePayout: awaitApproval,
  rejectPayout: awaitApproval,
  settlePayout: payWithUnknownOutcome,
  failPayout: payWithUnknownOutcome,
  returnPayout: payWithUnknownOutcome,
  leavePayoutInDoubt: payWithUnknownOutcome,
  lapseWebhookDelivery: triedDelivery,
  closeAccount: async () => {
    const merchantId = platform.sandbox.merchants.acme.merchant_id;
    const mutation = { operationId: crypto.randomUUID() };
    const opening = { mutation, merchantId, currencyCode: "USD" };
    const { account } = await platform.clients.payout.openAccount(opening);
    records = { ...records, accountId: account?.id ?? "" };
  },
  archiveBeneficiary: async () => {
    const { beneficiary_id } = await acme.data("POST", paths.fiat, bankBody());
    records = { ...records, beneficiaryId: beneficiary_id };
  },
  deleteWebhookEndpoint: async () => {
    const created = await acme.data("POST", paths.endpoints, { url: records.url });
    records = { ...records, endpointId: created.id };
  },
};

/** Returns a parameter's query, with any other parameter that it requires. */
function queryOf(name: string, sample: string): Record<string, string> {
  const isOfAmounts = /^amount_(?:from|to)$/.test(name);
  if (isOfAmounts || name === "sort") {
    return { [name]: isOfAmounts ? "10.00" : sample, source_currency_code: "USD" };
  }
  return { [name]: sample };
}

describe.each(described)("$method $path", ({ path, method, operation }) => {
  const { operationId, parameters, requestBody, responses } = operation;
  const [{ examples: answers }] = Object.values(responses["200"].content) as [Answered];
  const { value: answer } = answers.success;
  const isFile = typeof answer === "string" || !("data" in answer);
  const examples = requestBody?.content["application/json"].examples ?? { none: { value: {} } };
  const bodies: [string, { value: object } | undefined][] =
    method === "POST" || method === "PATCH" ? Object.entries(examples) : [["none", undefined]];

  it.each(bodies)("example %s", async (_, example) => {
    const kept = records;
    await preparations[operationId]?.();
    const body = example && live(example.value);
    const { text } = await acme.call(method, livePath(path), body);
    expect(text).toMatch(isFile ? /^(\w+,.*\r\n|\{"batch":|%PDF-|.PNG)/ : /^\{"data":/);
    records = kept;
  });

  const inQuery = parameters.filter((each) => each.in === "query" && method === "GET");
  it.each(inQuery)("asked with $name", async ({ name, schema, example }) => {
    const samples = (schema.items ?? schema).enum ?? [example].flat();
    for (const sample of samples) {
      const query = new URLSearchParams(queryOf(name, records[name] ?? String(sample)));
      const { status, text } = await acme.get(`${livePath(path)}?${query}`);
      expect(status, text).toBe(200);
    }
  });
});

it("amounts are strings as /openapi-strings.json describes them", async () => {
  const strings = (await (
    await fetch(`${platform.baseUrl}/openapi-strings.json`)
  ).json()) as ReturnType<typeof readDocument>;
  const reference = referenceOf(strings);
  const headers = {
    authorization: `Bearer ${platform.apiKey("acme")}`,
    "content-type": "application/json",
    "disburse-amounts": "string",
  };
  const problemsOf = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(platform.baseUrl + path, { method, headers, ...sent });
    const { status, headers: answered } = answer;
    expect([path, status]).toEqual([path, 200]);
    const described = { method, path, status, headers: answered, body: await answer.json() };
    return reference.problems(described).map((problem) => `${method} ${path}: ${problem}`);
  };
  // Earlier examples changed the screening of the usual recipient.
  const { beneficiary_id } = await acme.data("POST", paths.fiat, bankBody());
  const transfer = { ...(await acme.transfer("USD", "USD")), beneficiary_id };
  const quote = { ...transfer, source_amount: "1.00" };
  const gets = described.filter(
    ({ method, path, operation }) =>
      method === "GET" &&
      !path.endsWith("/receipt") &&
      "application/json" in operation.responses["200"].content,
  );
  expect(gets.length).toBeGreaterThan(25);
  const problems = [
    await problemsOf("POST", "/api/v1/transfer/rfq", quote),
    ...(await Promise.all(gets.map(({ path }) => problemsOf("GET", livePath(path))))),
  ];
  expect(problems.flat()).toEqual([]);
});

type RequestedField = {
  readonly name: string;
  readonly required: boolean;
  readonly example: string;
  readonly allowed_values?: string[];
};
type Form = { readonly path: string; readonly fields: RequestedField[] };

describe("the beneficiary forms", () => {
  const formsPath = "/api/v1/transfer/beneficiary-forms";
  const network = "routing_code_value_1";
  const bodyOf = (form: Form, asks: (field: RequestedField) => boolean = () => true) =>
    Object.fromEntries(form.fields.filter(asks).map(({ name, example }) => [name, example]));

  it("ask for exactly what is taken, for every combination", async () => {
    const { forms } = await acme.data("GET", formsPath);
    expect(forms).toHaveLength(38);
    for (const form of forms as Form[]) {
      const networks = form.fields.find(({ name }) => name === network)?.allowed_values ?? [];
      const whole = bodyOf(form);
      const others = networks.slice(1).map((each) => ({ ...whole, [network]: each }));
      for (const body of [whole, ...others, bodyOf(form, ({ required }) => required)]) {
        const { status, text } = await acme.post(form.path, body);
        expect([status, text], JSON.stringify(body)).toEqual([
          200,
          expect.stringContaining('"beneficiary_id":"ben_'),
        ]);
      }
      for (const { name } of form.fields.filter(({ required }) => required)) {
        const { status, json } = await acme.post(
          form.path,
          bodyOf(form, (field) => field.name !== name),
        );
        expect([status, json.code, name]).toEqual([400, "INVALID_REQUEST", name]);
        expect(json.message).toMatch(new RegExp(`(^|; )${name}: `));
      }
    }
  });

  it("are the one that is asked for", async () => {
    const choice = "destination_currency=USD&transfer_type=SWIFT&account_type=Corporate";
    const { forms } = await acme.data("GET", `${formsPath}?${choice}`);
    expect(forms).toMatchObject([
      {
        path: paths.fiat,
        destination_currency: "USD",
        transfer_type: "SWIFT",
        beneficiary_account_type: "Corporate",
      },
    ]);
    const none = await acme.data("GET", `${formsPath}?destination_currency=INR&transfer_type=ACH`);
    expect(none).toEqual({ forms: [] });
    expect((await acme.get(`${formsPath}?destination_currency=GBP`)).json).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringMatching(/^destination_currency: must be one of USDC_ETH, /),
    });
  });

  it("are checked without anything being stored", async () => {
    const [form] = (await acme.data("GET", `${formsPath}?destination_currency=BTC`)).forms;
    const count = async () =>
      (await acme.data("GET", `${paths.beneficiaries}?archived=any&limit=1`)).meta_data;
    const before = await count();
    const check = (body: object) => acme.post(`${form.path}/validate`, body);
    expect((await check(bodyOf(form))).json).toEqual({ data: { valid: true } });
    const risky = { beneficiary_account_number: riskyWallets.BTC };
    const codes = [
      [{ ...bodyOf(form), beneficiary_city: "" }, "INVALID_REQUEST"],
      [{ ...bodyOf(form), beneficiary_account_number: "bc1q" }, "INVALID_WALLET_ADDRESS"],
      [{ ...bodyOf(form), ...risky }, "RISK_ANALYSIS_FAILED"],
    ] as const;
    for (const [body, code] of codes) expect((await check(body)).json.code).toBe(code);
    expect(await count()).toEqual(before);
  });
});

const listPaths: Readonly<Record<string, string>> = {
  beneficiaries: paths.beneficiaries,
  depositors: "/api/v1/depositors",
  corridors: "/api/v1/transfer/corridors",
  payouts: paths.payouts,
  accounts: paths.accounts,
  endpoints: paths.endpoints,
  deliveries: paths.deliveries,
  replays: replaysPath,
};

describe("every list", () => {
  it.each([...Object.keys(listPaths), "entries"])(
    "of %s has pages that hold each record once",
    async (name) => {
      const path = listPaths[name] ?? `${paths.accounts}/${records.account_id}/entries`;
      for (let more = 0; name === "depositors" && more < 3; more += 1) {
        await acme.data("POST", paths.depositor, depositorBody("individual"));
      }
      const seen: string[] = [];
      let cursor = "";
      let total = 0;
      do {
        const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const { meta_data, ...page } = await acme.data("GET", `${path}?limit=2${query}`);
        const found = (Object.values(page)[0] as Record<string, string>[]).map(
          (record) => record.id ?? record.beneficiary_id ?? "",
        );
        seen.push(...found);
        total = meta_data.total_count;
        cursor = meta_data.next_cursor;
        expect(found.length).toBe(cursor === "" && total % 2 === 1 ? 1 : 2);
      } while (cursor !== "");
      expect(new Set(seen).size).toBe(seen.length);
      expect(total).toBe(seen.length);
    },
  );
});
