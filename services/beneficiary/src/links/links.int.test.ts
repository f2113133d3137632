import { BeneficiaryLinkState } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { creatorOn, example, merchantId, refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService, unavailable } from "../test-service.ts";
import { startLinkSweep, submitLink } from "./submit.ts";

const { OPEN, USED, EXPIRED, REVOKED } = BeneficiaryLinkState;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const create = creatorOn(service);
  await create.permit(merchantId, true);
  await create.permit("mer_globex", true);
  await create.permit("mer_frozen", false);
});
afterAll(() => service?.stop());
beforeEach(() => {
  service.compliance.reset();
  // The database's clock decides expiry; this one only affects the shown state, so keep them close.
  service.clock.moveMs(Date.now() - service.clock.now().getTime());
});

const bank = {
  destinationCurrency: "USD",
  transferType: "ACH",
  beneficiaryAccountType: "Individual",
};

const sepa = {
  destinationCurrency: "EUR",
  transferType: "SEPA",
  beneficiaryAccountType: "Individual",
};
const taro = { ...bank, beneficiaryFirstName: "太郎", beneficiaryLastName: "山田" };

async function link(fields: object = bank, more: object = {}) {
  const request = { mutation: mutation(), merchantId, fields, ...more };
  const { link: created, token } = await service.rpc.createBeneficiaryLink(request);
  return { id: created?.id ?? "", token };
}

const read = async (linkId: string) =>
  (await service.rpc.getBeneficiaryLink({ merchantId, linkId })).link;
const open = (token: string) => service.rpc.openBeneficiaryLink({ token });
const texts = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === "string"));
/** A person with a USD bank account, paid by ACH. */
const person = texts(example(fiatBeneficiary));
const submit = (token: string, values: object = person, form = 0) =>
  service.rpc.submitBeneficiaryLink({ token, form, values: texts(values) });
/** A bank account in EUR, without a name. */
const account = {
  iban: "DE89370400440532013000",
  beneficiary_address: "1 Hauptstrasse",
  beneficiary_city: "Frankfurt am Main",
  beneficiary_postcode: "60311",
  beneficiary_country_code: "DE",
};
/** Every field of a name. */
const mallory = {
  beneficiary_name: "Mallory Smith",
  beneficiary_first_name: "Mallory",
  beneficiary_last_name: "Smith",
  beneficiary_single_name: "true",
  beneficiary_name_latin: "Mallory Smith",
};
const beneficiaryCount = () => service.database.db.collection("beneficiaries").countDocuments();

describe("a link", () => {
  it("shows its matching forms, and is used once", async () => {
    const locked = { beneficiaryFirstName: "Jane", beneficiaryLastName: "Doe" };
    const own = {
      displayName: "Acme",
      color: "#0a5c36",
      referenceId: "s-17",
      metadata: { a: "1" },
    };
    const { id, token } = await link({ ...bank, ...locked, ...own });
    const page = await open(token);
    expect(page).toMatchObject({
      state: OPEN,
      displayName: "Acme",
      merchantName: merchantId,
      color: "#0a5c36",
    });
    expect(page.forms.map(({ transferType, accountType }) => [transferType, accountType])).toEqual([
      ["ACH", "Individual"],
    ]);
    expect(page.prefilled).toEqual({
      ...{ beneficiary_first_name: "Jane", beneficiary_last_name: "Doe" },
    });
    const before = await beneficiaryCount();
    const other = { ...person, beneficiary_first_name: "Mallory" };
    expect(await submit(token, other)).toMatchObject({
      state: USED,
      violations: [],
      accepted: true,
    });
    const used = await read(id);
    expect(used).toMatchObject({ state: USED, failureCode: "", fields: { referenceId: "s-17" } });
    const beneficiaryId = used?.beneficiaryId ?? "";
    const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
    expect(beneficiary).toMatchObject({
      ...{ name: "Jane Doe", screeningStatus: ScreeningStatus.CLEARED },
      fields: { value: { metadata: { a: "1" } } },
    });
    expect(await submit(token)).toMatchObject({ state: USED, accepted: false });
    expect(await beneficiaryCount()).toBe(before + 1);
    expect(await open(token)).toMatchObject({ state: USED, forms: [], prefilled: {} });
  });

  it("accepts a person with one name, declared by a checkbox", async () => {
    const { beneficiary_first_name: _, ...mononym } = person as Record<string, string>;
    const { id, token } = await link(bank);
    expect(await submit(token, mononym)).toMatchObject({
      violations: [{ field: "beneficiary_first_name", problem: "is required" }],
    });
    const single = { ...mononym, beneficiary_single_name: "true" };
    expect(await submit(token, single)).toMatchObject({ state: USED, violations: [] });
    const beneficiaryId = (await read(id))?.beneficiaryId ?? "";
    const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
    expect(beneficiary?.name).toBe("Doe");
  });

  it("is stored without its token, and with no personal data unsealed", async () => {
    const { id, token } = await link({ ...bank, beneficiaryFirstName: "Zebedee" });
    const document = await service.database.db
      .collection("beneficiary_links")
      .findOne({ _id: id as never });
    const text = JSON.stringify(document);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(text).not.toContain(token);
    expect(text).not.toContain("Zebedee");
  });

  it("belongs to one operation: a repeat replaces its token, and the old one opens nothing", async () => {
    const again = { mutation: mutation() };
    const first = await link(bank, again);
    const second = await link(bank, again);
    expect(second.id).toBe(first.id);
    expect(await refusalOf(open(first.token))).toMatchObject({ code: "RECORD_NOT_FOUND" });
    expect(await open(second.token)).toMatchObject({ state: OPEN });
    await submit(second.token);
    expect((await link(bank, again)).token).toBe("");
  });

  it("is refused with values of no form, without permission, and with days out of bounds", async () => {
    for (const fields of [
      ...[{}, { destinationCurrency: "XXX" }, { ...bank, transferType: "SEPA" }],
      { destinationCurrency: "BTC", network: "TRX" },
      ...[
        { ...bank, color: "red" },
        { ...bank, expiresInDays: 31 },
        { ...bank, beneficiaryFirstName: "N/A", beneficiaryLastName: "N/A" },
        { destinationCurrency: "USDC_ETH", network: "ETHEREUM", beneficiaryName: "null" },
      ],
    ]) {
      expect(await refusalOf(link(fields)), JSON.stringify(fields)).toMatchObject({
        code: "INVALID_REQUEST",
      });
    }
    expect(await refusalOf(link(bank, { merchantId: "mer_frozen" }))).toMatchObject({
      code: "BENEFICIARY_CREATION_NOT_ALLOWED",
    });
  });

  it("may set a part of a name that is no full name by itself", async () => {
    for (const name of [{ beneficiaryLastName: "Null" }, { beneficiaryFirstName: "None" }]) {
      expect((await link({ ...bank, ...name })).token).not.toBe("");
    }
  });

  it.each([
    ["a company's name for a person's account", { ...bank, beneficiaryName: "Acme GmbH" }],
    [
      "the name of a company beside that of a person",
      { destinationCurrency: "EUR", beneficiaryName: "Jane Doe", beneficiaryLastName: "Doe" },
    ],
    ["a person's name for a wallet", { destinationCurrency: "BTC", beneficiaryLastName: "Doe" }],
    ["a Latin name in other letters", { ...taro, beneficiaryNameLatin: "山田" }],
    ["a Latin name with an address", { ...taro, beneficiaryNameLatin: "evil.example" }],
    ["a bank account's name in a script that banks don't carry", taro],
    ["a part of one", { ...bank, beneficiaryLastName: "山田" }],
  ])("is refused with %s", async (_, fields) => {
    expect(await refusalOf(link(fields))).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it.each([
    [
      "a person's name",
      { ...sepa, beneficiaryFirstName: "Jane", beneficiaryLastName: "Doe" },
      "Jane Doe",
    ],
    ["a company's name", { destinationCurrency: "EUR", beneficiaryName: "Acme GmbH" }, "Acme GmbH"],
    ["a Cyrillic name", { destinationCurrency: "EUR", beneficiaryName: "Газпром" }, "Газпром"],
    ["a Latin name", { ...taro, ...sepa, beneficiaryNameLatin: "Yamada Taro" }, "Yamada Taro"],
  ])("pays %s that the merchant set, whatever the payee sends", async (_, fields, paid) => {
    const { id, token } = await link(fields);
    const { forms } = await open(token);
    for (const form of forms.keys()) {
      expect(await submit(token, { ...account, ...mallory }, form)).toMatchObject({ state: USED });
    }
    const beneficiaryId = (await read(id))?.beneficiaryId ?? "";
    const instruction = await service.rpc.getPaymentInstruction({ merchantId, beneficiaryId });
    expect(instruction.beneficiaryName).toBe(paid);
  });

  it("asks for Latin letters in the part of a name that the merchant left open", async () => {
    const { token } = await link({ ...sepa, beneficiaryLastName: "Doe" });
    const sent = { ...account, beneficiary_first_name: "山田", beneficiary_name_latin: "Mallory" };
    expect(await submit(token, sent)).toMatchObject({
      state: OPEN,
      violations: [
        {
          field: "beneficiary_first_name",
          problem: "must be in Latin, Greek or Cyrillic letters",
        },
      ],
    });
  });

  it("belongs to its merchant", async () => {
    const { id } = await link();
    const foreign = { merchantId: "mer_globex", linkId: id };
    for (const call of [
      () => service.rpc.getBeneficiaryLink(foreign),
      () => service.rpc.revokeBeneficiaryLink({ ...foreign, mutation: mutation() }),
      () => open("A".repeat(43)),
    ]) {
      expect(await refusalOf(call())).toMatchObject({ code: "RECORD_NOT_FOUND" });
    }
    const { links } = await service.rpc.listBeneficiaryLinks({ merchantId: "mer_globex" });
    expect(links).toEqual([]);
    const own = await service.rpc.listBeneficiaryLinks({ merchantId, limit: 1 });
    expect(own.links.map((each) => each.id)).toEqual([id]);
    expect((await read(id))?.state).toBe(OPEN);
  });
});

describe("details that are sent", () => {
  it("are refused by field if wrong, and leave the link open", async () => {
    const { id, token } = await link();
    const { state, violations } = await submit(token, { ...person, routing_code_value_1: "1" });
    expect(state).toBe(OPEN);
    expect(violations.map(({ field }) => field)).toEqual(["routing_code_value_1"]);
    expect((await submit(token, person, 7)).violations).toMatchObject([{ field: "form" }]);
    expect((await read(id))?.state).toBe(OPEN);
    expect((await submit(token)).state).toBe(USED);
  });

  it.each([
    "0x000000000000000000000000000000000000dEaD",
    "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  ])("name no wallet without an owner: %s", async (address) => {
    const crypto = { destinationCurrency: "USDC_ETH", network: "ETHEREUM" };
    const { id, token } = await link({ ...crypto, beneficiaryAccountType: "Individual" });
    const wallet = { ...example(cryptoBeneficiary), beneficiary_account_number: address };
    const { violations } = await submit(token, wallet);
    expect(violations.map(({ field }) => field)).toEqual(["beneficiary_account_number"]);
    expect((await read(id))?.state).toBe(OPEN);
  });

  it("are refused for an expired, a revoked and a used link", async () => {
    const revoked = await link();
    const revoke = { mutation: mutation(), merchantId, linkId: revoked.id };
    expect((await service.rpc.revokeBeneficiaryLink(revoke)).link?.state).toBe(REVOKED);
    const expired = await link();
    const links = service.database.db.collection<{ _id: string; expires_at: Date }>(
      "beneficiary_links",
    );
    await links.updateOne(
      { _id: expired.id },
      { $set: { expires_at: new Date(Date.now() - 1_000) } },
    );
    const before = await beneficiaryCount();
    expect((await submit(revoked.token)).state).toBe(REVOKED);
    expect((await open(expired.token)).state).toBe(EXPIRED);
    // A process whose clock is behind shows the link as open; the database's clock still refuses.
    service.clock.moveMs(-3_600_000);
    expect((await submit(expired.token)).state).not.toBe(USED);
    expect(await beneficiaryCount()).toBe(before);
  });

  it("create a beneficiary that names the link as its creator", async () => {
    const { id, token } = await link();
    await submit(token);
    const { beneficiaryId = "" } = (await read(id)) ?? {};
    const found = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
    expect(found.beneficiary?.createdBy).toMatchObject({ kind: Actor_Kind.LINK, id });
  });

  it("from many concurrent calls create one beneficiary", async () => {
    const { token } = await link();
    const before = await beneficiaryCount();
    const answers = await Promise.all(
      ["Ada", "Bea", "Cyd", "Dot"].map((name) =>
        submit(token, { ...person, beneficiary_first_name: name }),
      ),
    );
    expect(new Set(answers.map(({ state }) => state))).toEqual(new Set([USED]));
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(await beneficiaryCount()).toBe(before + 1);
  });

  it("change nothing once accepted, also for a process that read the link as open", async () => {
    const { id, token } = await link();
    const found = await service.deps.links.readByToken(token);
    if (found === undefined) throw new Error("no link");
    expect((await submit(token)).state).toBe(USED);
    const [used, before] = [await read(id), await beneficiaryCount()];
    const late = { form: 0, values: texts({ ...person, beneficiary_first_name: "Mallory" }) };
    expect(await submitLink(service.deps, found, token, late)).toEqual({ state: "used" });
    expect([await read(id), await beneficiaryCount()]).toEqual([used, before]);
  });

  it("get the same response, regardless of the screening result", async () => {
    const crypto = { destinationCurrency: "USDC_ETH", network: "ETHEREUM" };
    const wallet = texts(example(cryptoBeneficiary));
    const values = { ...wallet, beneficiary_account_type: "Individual" };
    service.compliance.wallet = Verdict.BLOCK;
    const risky = await link({ ...crypto, beneficiaryAccountType: "Individual" });
    const answer = await submit(risky.token, values);
    expect(answer).toMatchObject({ state: USED, violations: [] });
    expect(await read(risky.id)).toMatchObject({
      ...{ state: USED, beneficiaryId: "", failureCode: "RISK_ANALYSIS_FAILED" },
    });
    service.compliance.reset();
    service.compliance.party = Verdict.BLOCK;
    const listed = await link({ ...crypto, beneficiaryAccountType: "Individual" });
    expect(await submit(listed.token, values)).toEqual(answer);
    const { beneficiaryId = "" } = (await read(listed.id)) ?? {};
    const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
    expect(beneficiary?.screeningStatus).toBe(ScreeningStatus.BLOCKED);
  });

  it("become a beneficiary even if their process ended before creating it", async () => {
    const { id, token } = await link();
    const found = await service.deps.links.readByToken(token);
    if (found === undefined) throw new Error("no link");
    // The insert of the beneficiary fails, as if the process had ended.
    const dead = { ...service.deps.beneficiaries, insert: () => Promise.reject(unavailable) };
    const sent = { form: 0, values: texts(person) };
    const deps = { ...service.deps, beneficiaries: dead as never };
    expect(await submitLink(deps, found, token, sent)).toMatchObject({ state: "used" });
    expect(await read(id)).toMatchObject({ state: USED, beneficiaryId: "" });
    service.clock.moveMs(60_000);
    const sweep = startLinkSweep(service.deps);
    await expect
      .poll(async () => (await read(id))?.beneficiaryId, { timeout: 20_000 })
      .toMatch(/^ben_/);
    await sweep.stop();
    const document = await service.database.db
      .collection("beneficiary_links")
      .findOne({ _id: id as never });
    expect(document).not.toHaveProperty("submission");
  });

  it("are limited in number per merchant while open", async () => {
    const { openLinksMax } = service.deps;
    Object.assign(service.deps, { openLinksMax: 2 });
    onTestFinished(() => void Object.assign(service.deps, { openLinksMax }));
    const own = newId("merchant");
    await creatorOn(service).permit(own, true);
    const create = (by = mutation()) =>
      service.rpc.createBeneficiaryLink({ mutation: by, merchantId: own, fields: bank });
    const by = mutation();
    const first = await create(by);
    await create();
    const full = { code: "INVALID_REQUEST", message: "There can be at most 2 open links." };
    expect(await refusalOf(create())).toEqual(full);
    expect((await create(by)).link?.id).toBe(first.link?.id);
    const linkId = first.link?.id ?? "";
    await service.rpc.revokeBeneficiaryLink({ mutation: mutation(), merchantId: own, linkId });
    expect((await create()).token).not.toBe("");
    expect(await refusalOf(create())).toEqual(full);
    service.clock.moveMs(8 * 86_400_000);
    expect((await create()).token).not.toBe("");
  });
});
