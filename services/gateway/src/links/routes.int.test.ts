import { Code, ConnectError } from "@connectrpc/connect";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { BeneficiaryLinkState } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const token = "t".repeat(43);
const entered = "account_number=9876543210&first_name=Zoltvar";
const headers = { "content-type": "application/x-www-form-urlencoded" };
const read = () => gateway.ask({ path: `/b/${token}` });
const send = () => gateway.ask({ path: `/b/${token}`, method: "POST", headers, body: entered });

it("never logs the token of a link or the entered values", async () => {
  const { beneficiary } = gateway.fakes;
  const forms = [{ body: "fiat", destinationCurrency: "USD", fields: [{ name: "first_name" }] }];
  const open = { state: BeneficiaryLinkState.OPEN, displayName: "Acme", forms };
  beneficiary.openBeneficiaryLink = () => open;
  const statuses = [(await read()).status];
  const violations = [{ field: "first_name", problem: "is too long" }];
  beneficiary.submitBeneficiaryLink = () => ({ state: BeneficiaryLinkState.OPEN, violations });
  statuses.push((await send()).status);
  beneficiary.submitBeneficiaryLink = () => ({ state: BeneficiaryLinkState.USED, accepted: true });
  statuses.push((await send()).status);
  beneficiary.submitBeneficiaryLink = () => {
    throw new ConnectError("failed", Code.Internal);
  };
  statuses.push((await send()).status);
  beneficiary.openBeneficiaryLink = () => {
    throw new ConnectError("away", Code.Unavailable);
  };
  statuses.push((await read()).status);
  expect(statuses).toEqual([200, 422, 200, 500, 503]);
  const requests = () => gateway.logLines.filter(({ event }) => event === "request");
  await expect.poll(requests).toHaveLength(statuses.length);
  const route = expect.stringMatching(/^(GET|POST) \/b\/:token$/);
  for (const { fields } of requests()) expect(fields).toMatchObject({ route });
  expect(JSON.stringify(gateway.logLines)).not.toMatch(/ttttt|9876543210|Zoltvar/);
});

it("doesn't thank for details that come after others", async () => {
  const { beneficiary } = gateway.fakes;
  const forms = [{ body: "fiat", destinationCurrency: "USD", fields: [{ name: "first_name" }] }];
  const names = { merchantName: "Acme", displayName: "Corner Shop", forms };
  beneficiary.openBeneficiaryLink = () => ({ state: BeneficiaryLinkState.USED, ...names });
  expect(await read()).toMatchObject({ status: 200 });
  const before = await send();
  expect(before.status).toBe(409);
  expect(before.text).toContain("was not saved");
  expect(before.text).toContain("Contact Acme, for Corner Shop, to change your details.");
  // Another request was faster.
  beneficiary.openBeneficiaryLink = () => ({ state: BeneficiaryLinkState.OPEN, ...names });
  beneficiary.submitBeneficiaryLink = () => ({ state: BeneficiaryLinkState.USED });
  expect(await send()).toMatchObject({ status: 409, text: before.text });
});

it("serves the merchant's logo under the link's address, and again only if it has changed", async () => {
  const { beneficiary } = gateway.fakes;
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
  const sha256 = "ab".repeat(32);
  const asked: string[] = [];
  beneficiary.openBeneficiaryLink = () => ({
    state: BeneficiaryLinkState.OPEN,
    logoSha256: sha256,
    forms: [{ body: "fiat", destinationCurrency: "USD" }],
  });
  beneficiary.getLinkLogo = ({ token: of }) => {
    asked.push(of);
    return { png, sha256 };
  };
  const [, path = ""] = /<img class="logo" src="([^"]+)"/.exec((await read()).text) ?? [];
  expect(path).toBe(`/b/${token}/logo.png?v=${sha256.slice(0, 16)}`);
  const { status, headers: answered } = await gateway.ask({ path });
  expect([status, asked]).toEqual([200, [token]]);
  expect(answered).toMatchObject({
    "content-type": "image/png",
    "cache-control": "private, max-age=3600",
    "x-content-type-options": "nosniff",
    "content-length": "4",
  });
  const again = { path, headers: { "if-none-match": answered.etag ?? "" } };
  expect(await gateway.ask(again)).toMatchObject({ status: 304, text: "" });
  beneficiary.getLinkLogo = () => orThrow(refused("RECORD_NOT_FOUND"));
  for (const at of [path, "/b/short/logo.png"]) {
    expect(await gateway.ask({ path: at })).toMatchObject({ status: 404 });
  }
});
