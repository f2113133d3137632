import { writeFileSync } from "node:fs";
import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { ApprovalRulesSchema } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService, PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { afterEach, describe, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

const notFound = () => {
  const value = { code: "RECORD_NOT_FOUND", message: "There is no such record." };
  return new ConnectError("RECORD_NOT_FOUND", Code.NotFound, undefined, [
    { desc: RefusalSchema, value },
  ]);
};

const opened: { remove: () => void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.remove();
});

function worldOf(routes: (router: ConnectRouter) => void) {
  const world = testWorld(routes);
  opened.push(world);
  return world;
}

describe("a call", () => {
  it("sends its arguments and prints the response with enum names", async () => {
    const requests: unknown[] = [];
    const { run } = worldOf((router) =>
      router.service(PayoutService, {
        listPayouts: (request) => {
          requests.push(request);
          const amount = { sourceAmount: "0.10", sourceCurrencyCode: "USD" };
          const payout = { id: "po_1", status: PayoutStatus.FAILED, ...amount };
          return { payouts: [payout], totalCount: 1n };
        },
      }),
    );
    const args = ["payouts", "list", "mer_1", "--status", "failed", "--created-from", "2026-11-20"];
    const { code, out, err } = await run(...args, "--limit", "5");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")[0]).toMatch(/^ID +STATUS +SUB STATUS +SOURCE AMOUNT +FROM +RECEIVING/);
    expect(out.split("\n")[1]).toMatch(/^po_1 +failed +- +0\.10 +USD /);
    expect(requests).toMatchObject([
      { merchantId: "mer_1", status: PayoutStatus.FAILED, limit: 5, createdFrom: { nanos: 0 } },
    ]);
    const json = JSON.parse((await run(...args, "--json")).out);
    expect(json).toMatchObject({
      payouts: [{ id: "po_1", status: "failed", sub_status: "", source_amount: "0.10" }],
      ...{ next_cursor: "", total_count: "1", total_count_capped: false },
    });
    expect((await run(...args, "--field", "payouts.0.source_amount")).out).toBe("0.10\n");
    expect(await run(...args, "--field", "payouts.1.id")).toMatchObject({ code: 1, out: "" });
  });

  it("reads all pages with --all, and otherwise notes that there are more", async () => {
    const { run } = worldOf((router) =>
      router.service(BeneficiaryService, {
        listMerchants: ({ cursor }) => ({
          merchants: [{ id: `mer_${cursor || "0"}`, name: "A" }],
          nextCursor: { "": "1", "1": "2" }[cursor] ?? "",
        }),
      }),
    );
    const first = await run("merchants", "list");
    expect(first.err).toBe("more: --cursor 1, or --all\n");
    const all = JSON.parse((await run("merchants", "list", "--all", "--json")).out);
    expect(all.merchants.map(({ id }: { id: string }) => id)).toEqual(["mer_0", "mer_1", "mer_2"]);
    expect(all.next_cursor).toBe("");
  });

  it("fills nested fields and lists of its request", async () => {
    const requests: unknown[] = [];
    const { run } = worldOf((router) =>
      router.service(ComplianceService, {
        screenParty: (request) => {
          requests.push(request);
          return { screening: { id: "scr_1" } };
        },
      }),
    );
    const who = [
      "Zoltvar Quimbrandt",
      "--type",
      "individual",
      "--country",
      "DE",
      "--country",
      "CZ",
    ];
    const document = ["--document", "X1", "--merchant", "mer_1"];
    const { code, out } = await run("screenings", "party", ...who, ...document);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("id: scr_1") });
    expect(requests).toMatchObject([
      {
        subject: { merchantId: "mer_1" },
        parties: [
          { name: who[0], type: 1, countries: ["DE", "CZ"], documents: [{ number: "X1" }] },
        ],
        mutation: { operationId: expect.stringMatching(/^cli-/), actor: { kind: 2, id: "ada" } },
      },
    ]);
  });

  it("that creates a key first checks that the merchant is registered", async () => {
    const requests: string[] = [];
    const { run } = worldOf((router) => {
      router.service(BeneficiaryService, {
        getMerchant: ({ merchantId }) => {
          if (merchantId === "mer_typo") throw notFound();
          return { merchant: { id: merchantId } };
        },
      });
      router.service(KeyService, {
        createKey: ({ merchantId, scopes }) => {
          requests.push(`${merchantId} ${scopes}`);
          return { key: { id: "k_1" }, secret: "dsb_test_1" };
        },
      });
    });
    const typo = await run("keys", "create", "mer_typo");
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toContain("merchant mer_typo is not registered");
    expect(requests).toEqual([]);
    const created = await run(
      "keys",
      "create",
      "mer_1",
      "--scope",
      "payout:read",
      "--field",
      "secret",
    );
    expect(created).toEqual({ code: 0, out: "dsb_test_1\n", err: "" });
    expect(requests).toEqual(["mer_1 payout:read"]);
  });

  it("sends a file's fields and rejects unknown ones", async () => {
    const requests: unknown[] = [];
    const { run, folder } = worldOf((router) => {
      router.service(BeneficiaryService, { getMerchant: () => ({}) });
      router.service(PayoutOperatorService, {
        setVelocityLimits: ({ merchant, beneficiary }) => {
          requests.push({ merchant, beneficiary });
          return {};
        },
      });
    });
    const file = (text: string) => writeFileSync(`${folder}/limits.yaml`, text);
    file("merchant: { count_hour: 0, amounts: [{ currency: USD, day: 100.10 }] }\n");
    expect(await run("velocity", "set", "mer_1", "limits.yaml")).toMatchObject({ code: 0 });
    expect(requests).toMatchObject([
      {
        merchant: { countHour: 0, amounts: [{ currencyCode: "USD", hour: "", day: "100.10" }] },
        beneficiary: { amounts: [] },
      },
    ]);
    file("merchant: { count_hours: 1 }\n");
    const { code, err } = await run("velocity", "set", "mer_1", "limits.yaml");
    expect(code).toBe(2);
    expect(err).toContain('merchant: "count_hours" is not a field; did you mean "count_hour"?');
  });
});

it("sends the controls of a file", async () => {
  const requests: unknown[] = [];
  const { run, folder } = worldOf((router) => {
    router.service(BeneficiaryService, { getMerchant: () => ({}) });
    router.service(PayoutOperatorService, {
      setPayoutControls: ({ duplicateWindowSeconds, approval }) => {
        requests.push([duplicateWindowSeconds, approval && toJson(ApprovalRulesSchema, approval)]);
        return {};
      },
    });
  });
  const approval =
    "approval: { amounts: [{ currency: USD, minimum: 100.10, window_seconds: 60 }] }";
  for (const text of ["duplicate_window_seconds: 86400", "{}", approval]) {
    writeFileSync(`${folder}/controls.yaml`, text);
    expect(await run("controls", "set", "mer_1", "controls.yaml")).toMatchObject({ code: 0 });
  }
  const amounts = [{ currencyCode: "USD", minimum: "100.10", windowSeconds: 60 }];
  expect(requests).toEqual([
    ...[
      [86_400, {}],
      [0, {}],
    ],
    [0, { amounts }],
  ]);
});

describe("the exit code", () => {
  it.each([
    [1, notFound(), "There is no such record. (RECORD_NOT_FOUND)"],
    [1, new ConnectError("boom", Code.Internal), "boom (internal)"],
    [4, new ConnectError("the token has expired", Code.Unauthenticated), "(unauthenticated)"],
    [4, new ConnectError("not open to person", Code.PermissionDenied), "(permission_denied)"],
    [5, new ConnectError("away", Code.Unavailable), "does not respond (away) (unavailable)"],
    [5, new ConnectError("late", Code.DeadlineExceeded), "did not answer in time"],
  ])("is %d for %s", async (exit, error, message) => {
    const { run } = worldOf((router) =>
      router.service(PayoutService, {
        openAccount: () => {
          throw error;
        },
      }),
    );
    const { code, out, err } = await run("accounts", "open", "mer_1", "USD", "--operation-id", "o");
    expect({ code, out }).toEqual({ code: exit, out: "" });
    expect(err).toContain(message);
    expect(err.includes("--operation-id o")).toBe(exit === 5);
  });

  it("is 4 without a login, and 2 without an address", async () => {
    const without = testWorld(() => undefined, {
      environment: { DISBURSE_TOKEN: undefined },
      connect: (_url, { token }) => ({
        unary: () => (token?.() ?? Promise.resolve("")).then(() => Promise.reject(new Error("?"))),
        stream: () => Promise.reject(new Error("?")),
      }),
    });
    opened.push(without);
    const { code, err } = await without.run("rails", "list");
    expect(code).toBe(4);
    expect(err).toContain("disburse login");
    expect((await without.run("whoami")).code).toBe(4);
    const nowhere = testWorld(() => undefined, { environment: { DISBURSE_PAYOUT_URL: undefined } });
    opened.push(nowhere);
    expect(await nowhere.run("rails", "list")).toMatchObject({
      code: 2,
      err: expect.stringContaining("DISBURSE_PAYOUT_URL"),
    });
  });
});
