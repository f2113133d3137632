import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setControls } from "./operators-controls.ts";
import { approvers } from "./second-person.ts";

let platform: TestPlatform;
let acme: Merchant;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = merchantOf(platform.baseUrl, platform.sandbox.merchants.acme.api_key);
});
afterAll(() => setControls(platform, acmeId()));

const acmeId = () => platform.sandbox.merchants.acme.merchant_id;
const withKey = () => ({ "idempotency-key": crypto.randomUUID() });
const rulesPath = "/api/v1/approval-rules";
const usd = (minimum: string) => ({ amounts: [{ currency_code: "USD", minimum }] });

async function rootKey() {
  const mutation = { operationId: crypto.randomUUID() };
  const scopes = ["payout:read", "payout:control"];
  const { secret } = await platform.clients.keys.createKey({
    ...{ mutation, merchantId: acmeId(), scopes },
  });
  return merchantOf(platform.baseUrl, secret);
}

const setRules = async (who: Merchant, rules: object) =>
  (await who.post(rulesPath, rules, withKey())).json.data;

describe("a merchant's approval rules", () => {
  it("are tightened at once, and loosened by a second actor", async () => {
    await setControls(platform, acmeId());
    const tight = await setRules(acme, { ...usd("100.00"), new_beneficiary_days: 2 });
    expect(tight).toMatchObject({ rules: { ...usd("x"), amounts: [{ minimum: 100 }] } });
    const { rules, proposal } = await setRules(acme, usd("200.00"));
    expect(rules).toMatchObject({ amounts: [{ minimum: 100 }], new_beneficiary_days: 2 });
    expect(proposal).toMatchObject({
      ...{ state: "open", after: { amounts: [{ minimum: 200 }] } },
      reasons: [
        "amounts in USD need approval from 200.00, not 100.00",
        "a beneficiary is new for 0 days, not 2",
      ],
    });
    const own = `${rulesPath}/proposals/${proposal.id}`;
    const { digest } = proposal;
    const alone = await acme.post(`${own}/approve`, { digest }, withKey());
    expect(alone).toMatchObject({ status: 403, json: { code: "ACCESS_FORBIDDEN" } });
    const other = await rootKey();
    const listed = await other.data("GET", `${rulesPath}/proposals?waiting_for_caller=true`);
    expect(listed).toMatchObject({ proposals: [{ id: proposal.id }] });
    const globex = merchantOf(platform.baseUrl, platform.sandbox.merchants.globex.api_key);
    const foreign = await globex.post(`${own}/approve`, { digest }, withKey());
    expect(foreign).toMatchObject({ status: 404 });
    const approved = await other.post(`${own}/approve`, { digest }, withKey());
    expect(approved).toMatchObject({ status: 200, json: { data: { state: "executed" } } });
    expect(await acme.data("GET", rulesPath)).toMatchObject({ amounts: [{ minimum: 200 }] });
  });
});

it("an operator's top-up instructions are in the account once a second one approves", async () => {
  const account = platform.sandbox.accounts.find(({ merchant }) => merchant === "acme");
  const accountId = account?.account_id ?? "";
  const topUpInstructions = "IBAN: DE89 3704 0044 0532 0130 00\nReference: ACME-1";
  const mutation = { operationId: crypto.randomUUID() };
  const request = { mutation, merchantId: acmeId(), accountId, topUpInstructions };
  const set = platform.as("ada").payout.setTopUpInstructions(request);
  const second = approvers(platform, "payout");
  await second.approve("bob", set);
  second.close();
  const path = `/api/v1/transfer/accounts/${accountId}`;
  expect(await acme.data("GET", path)).toMatchObject({ top_up_instructions: topUpInstructions });
});

describe("the pages of beneficiary links", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC";

  it("have the merchant's logo and colour", async () => {
    const profile = await acme.data("PATCH", "/api/v1/merchant", { color: "#0a5c36" });
    expect(profile).toMatchObject({ name: "acme", color: "#0a5c36" });
    const { logo } = await acme.data("POST", "/api/v1/merchant/logo", { png });
    expect(logo).toMatchObject({ width: 1, height: 1 });
    const asked = { destination_currency: "USD", transfer_type: "ACH" };
    const { url } = await acme.data("POST", "/api/v1/beneficiary-links", asked);
    const { pathname } = new URL(url as string, platform.baseUrl);
    const page = await (await fetch(new URL(pathname, platform.baseUrl))).text();
    expect(page).toContain("--brand:#0a5c36");
    const [, source = ""] = /<img class="logo" src="([^"]+)"/.exec(page) ?? [];
    const image = await fetch(new URL(source, platform.baseUrl));
    expect(image.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await image.arrayBuffer()).toString("base64")).toBe(png);
    await acme.data("DELETE", "/api/v1/merchant/logo");
    await acme.data("PATCH", "/api/v1/merchant", { color: "" });
    expect((await fetch(new URL(source, platform.baseUrl))).status).toBe(404);
  });
});
