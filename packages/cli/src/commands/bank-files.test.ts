import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BankFileDecision,
  BankFileState,
  BankFindingKind,
  BankFindingResolution,
  BankPaymentOutcome,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { afterEach, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

const file = { id: "01KFILE", rail: "bank-usd", state: BankFileState.UNDECIDED, payments: 12 };
const finding = {
  ...{ id: "9f86", rail: "bank-ach", kind: BankFindingKind.CHANGE, what: "C01" },
  ...{ payoutId: "po_1", file: "returns.ach", place: "line 7" },
};

let requests: unknown[] = [];
const world = testWorld(({ service }) =>
  service(PayoutOperatorService, {
    listBankFiles: (request) => {
      requests.push(request);
      return { files: [file] };
    },
    resolveBankFile: (request) => {
      requests.push(request);
      return { file: { ...file, state: BankFileState.SENT, sentBy: "operator" } };
    },
    listBankFindings: (request) => {
      requests.push(request);
      return { findings: [finding] };
    },
    getBankFinding: (request) => {
      requests.push(request);
      return { finding, details: '{"account":"1234"}' };
    },
    handleBankFinding: (request) => {
      requests.push(request);
      return { finding: { ...finding, note: request.note } };
    },
  }),
);
afterEach(() => {
  requests = [];
});

it("lists files by rail and state, and names the states in its usage error", async () => {
  const args = ["bank-files", "list", "--rail", "bank-usd", "--state", "undecided"];
  const { code, out } = await world.run(...args);
  expect(code).toBe(0);
  expect(out).toMatch(/^ID +RAIL +STATE +NAME +PAYMENTS/);
  expect(out).toMatch(/01KFILE +bank-usd +undecided/);
  expect(requests).toMatchObject([{ rail: "bank-usd", state: BankFileState.UNDECIDED }]);
  const unknown = await world.run("bank-files", "list", "--state", "undecide");
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("undecided") });
});

it("resolves a file with an operation id and the bank's statement", async () => {
  const args = ["bank-files", "resolve", "01KFILE", "--reason", "ticket 4711 of the bank"];
  const { out } = await world.run(...args, "--decision", "received", "--operation-id", "op-1");
  expect(out).toContain("operator");
  expect(requests).toMatchObject([
    {
      ...{ fileId: "01KFILE", decision: BankFileDecision.RECEIVED },
      ...{ reason: "ticket 4711 of the bank", mutation: { operationId: "op-1" } },
    },
  ]);
  expect(await world.run(...args)).toMatchObject({ code: 2 });
});

it("lists open or all findings, and shows one with the bank's proposed change", async () => {
  const { out } = await world.run("bank-files", "findings");
  expect(out).toMatch(/9f86 +bank-ach +change +no +C01 +po_1 +returns\.ach +line 7/);
  await world.run("bank-files", "findings", "--handled", "yes");
  expect(requests).toMatchObject([{ handled: false }, { handled: true }]);
  const shown = await world.run("bank-files", "show", "9f86", "--json");
  expect(JSON.parse(shown.out)).toMatchObject({
    ...{ finding: { id: "9f86", kind: "change" }, details: '{"account":"1234"}' },
  });
});

it("handles a finding with a required note", async () => {
  const handle = ["bank-files", "handle", "9f86"];
  expect(await world.run(...handle)).toMatchObject({ code: 2 });
  await world.run(...handle, "--note", "passed on to the merchant");
  expect(requests).toMatchObject([{ findingId: "9f86", note: "passed on to the merchant" }]);
});

it("sends corrected content to read a file again", async () => {
  writeFileSync(join(world.folder, "fixed.ach"), "101 fixed");
  const handle = ["bank-files", "handle", "9f86", "--note", "the bank sent it anew"];
  await world.run(...handle, "--resolution", "read_again", "--content", "fixed.ach");
  expect(requests).toMatchObject([
    {
      resolution: BankFindingResolution.READ_AGAIN,
      content: new TextEncoder().encode("101 fixed"),
    },
  ]);
});

it("applies an outcome to payments", async () => {
  const outcome = ["bank-files", "outcome", "9f86", "--note", "line 7 of returns.ach"];
  expect(await world.run(...outcome, "--outcome", "returned")).toMatchObject({ code: 2 });
  outcome.splice(3, 0, "po_1", "po_2");
  expect(await world.run(...outcome)).toMatchObject({ code: 2 });
  await world.run(...outcome, "--outcome", "returned", "--code", "R03");
  expect(requests).toMatchObject([
    {
      resolution: BankFindingResolution.OUTCOMES,
      outcomes: ["po_1", "po_2"].map((payoutId) => ({
        ...{ payoutId, outcome: BankPaymentOutcome.RETURNED, reasonCode: "R03" },
      })),
    },
  ]);
});
