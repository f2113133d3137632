import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import {
  creditAccount,
  setPayoutControls,
  setPayoutOutcome,
} from "@disburse/forms/bodies/sandbox.ts";
import { batchLine, requestForQuote, schedulePayout } from "@disburse/forms/bodies/transfer.ts";
import { rotateSecret, updateEndpoint } from "@disburse/forms/bodies/webhooks.ts";
import { checkBody } from "@disburse/forms/checks/body.ts";
import { readBody } from "@disburse/forms/checks/read.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { PublicBody } from "@disburse/forms/fields/field.ts";
import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import { referenceOf } from "@disburse/testkit/reference.ts";
import { expect, it } from "vitest";
import { withStringAmounts } from "../openapi/string-amounts.ts";
import { referenceIn } from "./all.ts";

const copied = (document: unknown) => JSON.parse(JSON.stringify(document));
const numbers = referenceOf(copied(referenceIn("sandbox")));
const strings = referenceOf(copied(withStringAmounts(referenceIn("sandbox"))));
const now = new Date("2026-11-20T11:26:00.123Z");

function isTaken(body: PublicBody, json: string): boolean {
  const { values, unreadable } = readBody(body, parseExactJson(json));
  return !Array.isArray(checkBody(body, values, { now, unreadable }));
}

/** Bodies with their schemas. A case replaces fields of the form's example. */
const bodies = {
  RequestForQuoteRequest: requestForQuote,
  SchedulePayoutRequest: schedulePayout,
  CreateBatchRequestLinesItem: batchLine,
  RotateSecretRequest: rotateSecret,
  UpdateEndpointRequest: updateEndpoint,
  SandboxCreditRequest: creditAccount,
  SandboxFailureRequest: setPayoutOutcome,
  SandboxPayoutControlsRequest: setPayoutControls,
  FiatBeneficiaryUsdRequest: fiatBeneficiary,
} as const;

const control = "\\u0007";
const large = `1${"0".repeat(15)}`;
const noAmount = '"source_amount":null,"receiving_amount":null';

it.each<[name: keyof typeof bodies, fields: string, isAccepted: boolean]>([
  ["RotateSecretRequest", '"overlap_seconds":60', true],
  ["RotateSecretRequest", '"overlap_seconds":60.0', true],
  ["RotateSecretRequest", '"overlap_seconds":6e1', true],
  ["RotateSecretRequest", '"overlap_seconds":60.5', false],
  ["RotateSecretRequest", '"overlap_seconds":604801.0', false],
  ["RotateSecretRequest", '"overlap_seconds":"60"', false],
  ["FiatBeneficiaryUsdRequest", '"beneficiary_contact_number":2125550123.0', true],
  ["FiatBeneficiaryUsdRequest", '"beneficiary_contact_number":1e15', false],
  ["FiatBeneficiaryUsdRequest", '"beneficiary_contact_number":1.5', false],
  ["RequestForQuoteRequest", '"source_amount":0.01', true],
  ["RequestForQuoteRequest", '"source_amount":1e2', true],
  ["RequestForQuoteRequest", '"source_amount":999999999999999.5', true],
  ["RequestForQuoteRequest", '"source_amount":0', false],
  ["RequestForQuoteRequest", '"source_amount":-1', false],
  ["RequestForQuoteRequest", `"source_amount":${large}`, false],
  ["RequestForQuoteRequest", '"source_amount":"0.01"', true],
  ["RequestForQuoteRequest", '"source_amount":"00100.10"', true],
  ["RequestForQuoteRequest", '"source_amount":"0.00"', false],
  ["RequestForQuoteRequest", '"source_amount":"-1"', false],
  ["RequestForQuoteRequest", '"source_amount":"1 000"', false],
  ["RequestForQuoteRequest", '"source_amount":"1e2"', false],
  ["RequestForQuoteRequest", '"source_amount":"1e200"', false],
  ["RequestForQuoteRequest", `"source_amount":"${large}"`, false],
  ["RequestForQuoteRequest", '"source_amount":""', false],
  ["RequestForQuoteRequest", noAmount, false],
  ["CreateBatchRequestLinesItem", '"source_amount":"10"', true],
  ["CreateBatchRequestLinesItem", '"source_amount":null,"receiving_amount":"10"', true],
  ["CreateBatchRequestLinesItem", noAmount, false],
  ["SandboxPayoutControlsRequest", '"approval_amounts":{"USD":"1.00"}', true],
  ["SandboxPayoutControlsRequest", '"approval_amounts":{"USD":"1 000"}', false],
  ["SandboxFailureRequest", '"rail_code":"AC04","failure_code":"ACCOUNT_CLOSED"', true],
  ["SandboxFailureRequest", '"rail_code":null,"failure_code":null', true],
  ["SandboxFailureRequest", '"rail_code":"AC04","failure_code":null', false],
  ["UpdateEndpointRequest", '"url":"https://merchant.example/webhooks"', true],
  ["UpdateEndpointRequest", '"url":"ftp://merchant.example"', false],
  ["SandboxCreditRequest", '"note":""', true],
  ["SandboxCreditRequest", '"note":"Testgeld für März"', true],
  ["SandboxCreditRequest", `"note":"a${control}b"`, false],
  ["RequestForQuoteRequest", `"beneficiary_id":"ben_${control}"`, false],
  ["RequestForQuoteRequest", '"beneficiary_id":" "', false],
  ["RequestForQuoteRequest", `"metadata":{"order":"1${control}"}`, false],
  ["FiatBeneficiaryUsdRequest", `"beneficiary_address":"1${control}"`, false],
])("%s with %s: accepted %s, by the service and both contracts", (name, fields, isAccepted) => {
  const body: PublicBody = bodies[name];
  const [form = body.unselected] = body.forms;
  const changed = JSON.parse(`{${fields}}`);
  const others = Object.entries(exampleOf(form)).filter(([key]) => !Object.hasOwn(changed, key));
  // `JSON.stringify` would write 60.0 as 60.
  const text = others.map((each) => `${JSON.stringify(each[0])}:${JSON.stringify(each[1])},`);
  expect(isTaken(body, `{${text.join("")}${fields}}`)).toBe(isAccepted);
  const sent = Object.entries(changed).filter(([, value]) => value !== null);
  const value = Object.fromEntries([...others, ...sent]);
  const schema = `/components/schemas/${name}`;
  expect(numbers.schemaProblems(schema, value).length === 0).toBe(isAccepted);
  const isNumber = typeof value.source_amount === "number";
  expect(strings.schemaProblems(schema, value).length === 0).toBe(isAccepted && !isNumber);
});

it("an update of an endpoint needs a field", () => {
  const schema = "/components/schemas/UpdateEndpointRequest";
  expect(numbers.schemaProblems(schema, {})).toHaveLength(1);
});
