import { createHash } from "node:crypto";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";
import { pngOf } from "./rules/test-png.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const png = pngOf({ width: 3 });
const base64 = png.toString("base64");
const profile = {
  ...{ legalName: "Acme Trading Limited", address: "1 Harbour Street", city: "Dublin" },
  ...{ countryCode: "IE", registrationNumber: "IE123456", contactEmail: "finance@acme.example" },
  ...{ website: "https://acme.example", color: "#0a5c36" },
};

async function newMerchant(): Promise<string> {
  const { merchant } = await service.rpc.createMerchant({ mutation: mutation(), name: "acme" });
  return merchant?.id ?? "";
}
const by = () => ({ ...mutation(), actor: { kind: Actor_Kind.MEMBER, id: "mem_alma" } });
const update = (merchantId: string, texts: object, own = by()) =>
  service.rpc.updateMerchantProfile({ mutation: own, merchantId, ...texts });
const setLogo = (merchantId: string, text: string, own = by()) =>
  service.rpc.setMerchantLogo({ mutation: own, merchantId, png: text });
const read = async (merchantId: string) =>
  (await service.rpc.getMerchantProfile({ merchantId })).profile;

describe("a company profile", () => {
  it("is empty but for the registered name, until its merchant fills it in", async () => {
    const merchantId = await newMerchant();
    const empty = await read(merchantId);
    expect(empty).toMatchObject({ merchantId, name: "acme", legalName: "", website: "" });
    expect(empty?.updatedAt).toBeUndefined();
    await update(merchantId, { ...profile, legalName: "  Acme Trading Limited " });
    expect(await read(merchantId)).toMatchObject({ name: "acme", ...profile });
  });

  it("changes only in the fields that are sent, and an empty text removes one", async () => {
    const merchantId = await newMerchant();
    await update(merchantId, profile);
    await update(merchantId, { city: "Cork", website: "" });
    expect(await read(merchantId)).toMatchObject({ ...profile, city: "Cork", website: "" });
  });

  it("changes once per operation, also at once", async () => {
    const merchantId = await newMerchant();
    const first = by();
    await Promise.all([1, 2, 3].map(() => update(merchantId, { city: "Cork" }, first)));
    await update(merchantId, { city: "Galway" });
    await update(merchantId, { city: "Cork" }, first);
    expect(await read(merchantId)).toMatchObject({ city: "Galway" });
    expect(await refusalOf(update(merchantId, { city: "Sligo" }, first))).toMatchObject({
      message: "operation_id: was used with other content",
    });
  });

  it("keeps all of several changes at once", async () => {
    const merchantId = await newMerchant();
    const { legalName, city, color } = profile;
    await Promise.all([
      ...[{ legalName }, { city }, { color }].map((each) => update(merchantId, each)),
      setLogo(merchantId, base64),
    ]);
    const shown = { legalName, city, color, logo: { width: 3, height: 2 } };
    expect(await read(merchantId)).toMatchObject(shown);
  });

  it.each<[string, object, string]>([
    ["nothing", {}, "must have at least one of legal_name, address"],
    ["a page without TLS", { website: "http://acme.example" }, "must begin with https://"],
    ["a script", { website: "javascript:alert(1)" }, "website"],
    ["no colour", { color: "green" }, "must be a colour"],
    ["no country", { countryCode: "XX" }, "country_code"],
    ["no address", { contactEmail: "acme" }, "contact_email"],
    ["a control character", { legalName: "a\u0007" }, "control characters"],
  ])("is refused with %s, and stays", async (_what, texts, problem) => {
    const merchantId = await newMerchant();
    expect(await refusalOf(update(merchantId, texts))).toMatchObject({
      message: expect.stringContaining(problem),
    });
    expect((await read(merchantId))?.updatedAt).toBeUndefined();
  });

  it("is of a registered merchant", async () => {
    const unknown = { code: "RECORD_NOT_FOUND" };
    expect(await refusalOf(read("mer_none"))).toMatchObject(unknown);
    expect(await refusalOf(update("mer_none", profile))).toMatchObject(unknown);
    expect(await refusalOf(setLogo("mer_none", base64))).toMatchObject(unknown);
  });

  it("is stored encrypted, and the audit trail names the member", async () => {
    const merchantId = await newMerchant();
    await update(merchantId, profile);
    const { db } = service.database;
    const stored = await db.collection("merchant_profiles").findOne({ _id: merchantId as never });
    expect(JSON.stringify(stored)).not.toContain("Harbour");
    const entries = await db.collection("audit_entries").find({ subject: merchantId }).toArray();
    expect(entries.map(({ action, person }) => [action, person])).toContainEqual([
      "UpdateMerchantProfile",
      "mem_alma",
    ]);
  });
});

describe("a logo", () => {
  it("is served as it was sent, until it is removed", async () => {
    const merchantId = await newMerchant();
    const sha256 = createHash("sha256").update(png).digest("hex");
    const { profile: changed } = await setLogo(merchantId, base64);
    expect(changed?.logo).toMatchObject({ sha256, width: 3, height: 2 });
    const found = await service.rpc.getMerchantLogo({ merchantId });
    expect(Buffer.from(found.png).equals(png)).toBe(true);
    await setLogo(merchantId, "");
    expect((await read(merchantId))?.logo).toBeUndefined();
    expect(await refusalOf(service.rpc.getMerchantLogo({ merchantId }))).toMatchObject({
      code: "RECORD_NOT_FOUND",
    });
  });

  it.each([
    ["no base64", "<svg>", "must be base64"],
    ["no PNG", Buffer.from("GIF89a").toString("base64"), "must be a PNG"],
  ])("is refused if it is %s", async (_what, text, problem) => {
    const merchantId = await newMerchant();
    await setLogo(merchantId, base64);
    expect(await refusalOf(setLogo(merchantId, text))).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(problem),
    });
    expect((await read(merchantId))?.logo).toBeDefined();
  });
});
