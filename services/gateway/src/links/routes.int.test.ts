import { Code, ConnectError } from "@connectrpc/connect";
import { BeneficiaryLinkState } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
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
  beneficiary.submitBeneficiaryLink = () => ({ state: BeneficiaryLinkState.USED });
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
