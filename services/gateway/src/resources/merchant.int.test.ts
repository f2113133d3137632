import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let acme: Awaited<ReturnType<TestGateway["merchant"]>>;
beforeAll(async () => {
  gateway = await startTestGateway();
  acme = await gateway.merchant();
});
afterAll(() => gateway.stop());

const path = "/api/v1/merchant";
const logo = { sha256: "ab".repeat(32), width: 320, height: 96 };

const ask = async (method: string, at: string, body?: object, key = acme.key) => {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return gateway.ask({ method, path: at, key, ...text });
};

it("a merchant reads and changes its profile, and not the registered name", async () => {
  const sent: object[] = [];
  const { beneficiary } = gateway.fakes;
  const profile = { merchantId: acme.merchantId, name: "acme", city: "Dublin" };
  beneficiary.getMerchantProfile = () => ({ profile: { ...profile, logo } });
  beneficiary.updateMerchantProfile = (request) => {
    sent.push(request);
    return { profile };
  };
  const { json } = await ask("GET", path);
  expect(json.data).toMatchObject({
    ...{ id: acme.merchantId, name: "acme", legal_name: "", city: "Dublin", logo, updated_at: "" },
  });
  const changed = await ask("PATCH", path, { city: "Cork", website: "", name: "Bank of Acme" });
  expect(changed.json.data).not.toHaveProperty("logo");
  const { merchantId, keyId: id } = acme;
  expect(sent).toMatchObject([
    {
      ...{ merchantId, city: "Cork", website: "", unreadable: [] },
      mutation: { actor: { kind: Actor_Kind.API_KEY, id } },
    },
  ]);
  expect(sent[0]).not.toHaveProperty("name");
});

it("a logo of 64 KiB is accepted, and a larger body refused", async () => {
  const sent: string[] = [];
  const { beneficiary } = gateway.fakes;
  beneficiary.setMerchantLogo = ({ png }) => {
    sent.push(png);
    return { profile: { merchantId: acme.merchantId, name: "acme" } };
  };
  const largest = Buffer.alloc(65_536, 1).toString("base64");
  expect((await ask("POST", `${path}/logo`, { png: largest })).status).toBe(200);
  expect((await ask("DELETE", `${path}/logo`)).status).toBe(200);
  expect(sent).toEqual([largest, ""]);
  const longer = await ask("POST", `${path}/logo`, { png: `${largest}AAAA` });
  expect(longer).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
  const larger = await ask("POST", `${path}/logo`, { png: "A".repeat(96 * 1_024) });
  expect(larger).toMatchObject({
    status: 413,
    json: { code: "PAYLOAD_TOO_LARGE", message: "The request body is larger than 96 KiB." },
  });
  const csv = { path: `${path}/logo`, key: acme.key, method: "POST", body: "png\nAAAA\n" };
  const typed = await gateway.ask({ ...csv, headers: { "content-type": "text/csv" } });
  expect(typed.json.code).toBe("UNSUPPORTED_MEDIA_TYPE");
});

it("the logo is served as a PNG", async () => {
  gateway.fakes.beneficiary.getMerchantLogo = () => ({ png: Buffer.from("\x89PNG") });
  const { status, headers } = await ask("GET", `${path}/logo.png`);
  expect([status, headers["content-type"]]).toEqual([200, "image/png"]);
});

it("needs the scopes of the merchant", async () => {
  const { key } = await gateway.merchant({ scopes: ["merchant:read"] });
  expect((await ask("GET", path, undefined, key)).status).toBe(200);
  for (const [method, at] of [
    ["PATCH", path],
    ["POST", `${path}/logo`],
    ["DELETE", `${path}/logo`],
  ] as const) {
    const { json } = await ask(method, at, {}, key);
    expect(json).toMatchObject({ code: "ACCESS_FORBIDDEN", reason: "scope_missing" });
  }
});
