import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, expect, it } from "vitest";
import { bankBody } from "./bodies.ts";
import { expectRefusal } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});

const path = "/api/v1/beneficiary-links";
const kind = { destination_currency: "USD", transfer_type: "ACH" };

const make = (change: object = {}) =>
  acme.data("POST", path, { ...kind, beneficiary_account_type: "Individual", ...change });
const at = (url: string) => new URL(url, platform.baseUrl).href;

async function send(url: string, fields: object) {
  const body = new URLSearchParams(
    Object.entries(fields).map(([name, each]) => [name, String(each)]),
  );
  const response = await fetch(at(url), { method: "POST", body });
  return { status: response.status, text: await response.text() };
}

it("a beneficiary enters its details by a link, once, and its merchant pays it", async () => {
  const { url, ...link } = await make({ display_name: "Acme Payroll", color: "#0a5c36" });
  expect(link).toMatchObject({ state: "open", beneficiary_id: "" });
  // Link scanners open links before people do. This must not use up a link.
  for (const _ of [1, 2]) {
    const page = await fetch(at(url));
    expect(page.status).toBe(200);
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await page.text()).toContain("Acme Payroll");
  }
  const wrong = await send(url, { ...bankBody(), routing_code_value_1: "1" });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('id="routing_code_value_1-problem"');
  expect(wrong.text).toContain(
    `value="${(bankBody() as Record<string, string>).beneficiary_account_number}"`,
  );
  const received = await send(url, bankBody());
  expect([received.status, received.text.includes("were received")]).toEqual([200, true]);
  const other = await send(url, { ...bankBody(), beneficiary_account_number: "1112223334" });
  expect([other.status, other.text.includes("was not saved")]).toEqual([409, true]);
  const used = await acme.data("GET", `${path}/${link.id}`);
  expect(used).toMatchObject({ state: "used", failure_code: "" });
  const beneficiary = await acme.data(
    "GET",
    `/api/v1/transfer/beneficiaries/${used.beneficiary_id}`,
  );
  expect(beneficiary).toMatchObject({ transfer_method: "ACH", screening_status: "cleared" });
  const { links } = await acme.data("GET", path);
  expect(links[0]).toEqual(used);
  expect(JSON.stringify(links)).not.toContain(url.slice(-20));
});

it.each([
  [
    "a person",
    { beneficiary_first_name: "Jane", beneficiary_last_name: "Doe" },
    { beneficiary_first_name: "Jane", beneficiary_last_name: "Doe" },
  ],
  ["a company", { beneficiary_name: "Doe GmbH" }, { beneficiary_name: "Doe GmbH" }],
  [
    "a company with a Latin name",
    { beneficiary_name: "山田商事", beneficiary_name_latin: "Yamada Shoji" },
    { beneficiary_name: "山田商事", beneficiary_name_latin: "Yamada Shoji" },
  ],
])("a beneficiary can't replace the name of %s", async (_, names, expected) => {
  const { id, url } = await acme.data("POST", path, { destination_currency: "EUR", ...names });
  const page = await (await fetch(at(url))).text();
  for (const [name, value] of Object.entries(names)) {
    expect(page).toMatch(new RegExp(`name="${name}"[^>]* value="${value}" readonly>`));
  }
  expect(page.includes("beneficiary_name_latin")).toBe("beneficiary_name_latin" in names);
  const received = await send(url, {
    ...{ iban: "DE89370400440532013000", beneficiary_address: "1 Hauptstrasse" },
    ...{ beneficiary_city: "Frankfurt am Main", beneficiary_postcode: "60311" },
    ...{ beneficiary_country_code: "DE", beneficiary_account_type: "Individual" },
    ...{ beneficiary_name: "Mallory Smith", beneficiary_name_latin: "Mallory Smith" },
    ...{ beneficiary_first_name: "Mallory", beneficiary_last_name: "Smith" },
  });
  expect([received.status, received.text.includes("were received")]).toEqual([200, true]);
  const { beneficiary_id } = await acme.data("GET", `${path}/${id}`);
  const beneficiary = await acme.data("GET", `/api/v1/transfer/beneficiaries/${beneficiary_id}`);
  expect(beneficiary).toMatchObject(expected);
  expect(JSON.stringify(beneficiary)).not.toMatch(/Mallory|Smith/);
});

it("one that was revoked, and one that never was, look alike", async () => {
  const { id, url } = await make();
  expect(await acme.data("DELETE", `${path}/${id}`)).toMatchObject({ state: "revoked" });
  const closed = await send(url, bankBody());
  expect(closed.status).toBe(410);
  const unknown = await fetch(at(`/b/${"A".repeat(43)}`));
  expect(unknown.status).toBe(410);
  expectRefusal(await payerOf(platform, "globex").get(`${path}/${id}`), "RECORD_NOT_FOUND");
});

it("asks which way where there are several", async () => {
  const { url } = await acme.data("POST", path, { destination_currency: "USD" });
  const choice = await (await fetch(at(url))).text();
  expect(choice.match(/href="\?form=\d+"/g)?.length).toBeGreaterThan(1);
  expect(await (await fetch(at(`${url}?form=1`))).text()).toContain("<form");
});

it("always says which registered merchant asks, and beside it for whom", async () => {
  const { url } = await make({ display_name: "Corner Shop" });
  const shown = await (await fetch(at(url))).text();
  expect(shown).toContain("Your payment details for acme");
  expect(shown).toContain("acme, for Corner Shop, asks where to pay you");
  const { url: plain } = await make();
  expect(await (await fetch(at(plain))).text()).toContain("acme asks where to pay you");
});

it.each([
  ["display_name", "Your bank: https://evil.example"],
  ["display_name", "evil.example/login"],
  ["display_name", "www.evil example"],
  ["display_name", "help@evil"],
  ["display_name", "Call +44 20 7946 0958"],
  ["display_name", "Hotline 0800-123-456"],
  ["display_name", "Pay\u0440al"],
  ["display_name", "\u0410\u0441\u043c\u0435"],
  ["display_name", "Ac\u200bme"],
  ["display_name", "\uff21\uff43\uff4d\uff45"],
  ["display_name", "Paypa1"],
  ["beneficiary_first_name", "Log in at evil.example"],
  ["beneficiary_last_name", "call 020 7946 0958"],
])("does not speak for another: %s %j", async (field, text) => {
  const body = { ...kind, beneficiary_account_type: "Individual", [field]: text };
  expect(await acme.post(path, body)).toMatchObject({
    ...{ status: 400, json: { code: "INVALID_REQUEST", violations: [{ field }] } },
  });
});
