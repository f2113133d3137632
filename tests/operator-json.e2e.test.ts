import { connectService } from "@disburse/chassis/rpc/client.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { contracts } from "@disburse/sandbox/access-table.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Tests JSON from operators: a misspelt field once removed all limits of a merchant. */

const operations = "disburse.payout.v1.PayoutOperatorService";
const merchantId = `mer_${crypto.randomUUID()}`;

let platform: TestPlatform;
let reader: ReturnType<typeof connectService<typeof PayoutOperatorService>>;
beforeAll(async () => {
  platform = await sharedPlatform();
  reader = connectService(PayoutOperatorService, platform.url("payout"), {
    identity: platform.trust.person("ada"),
  });
});
afterAll(() => reader.close());

/** Sends a JSON body to the service, or through the gateway's operator API proxy. */
async function sent(service: ServiceName, rpc: string, body: object, isProxied = false) {
  const to = isProxied ? "any" : service;
  const base = isProxied ? `${platform.operatorsUrl}/console/rpc` : platform.url(service);
  const authorization = (await platform.trust.person("ada")(to)) ?? "";
  const answer = await fetch(`${base}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const set = (rpc: string, fields: object, isProxied = false) =>
  sent(
    "payout",
    `${operations}/${rpc}`,
    { mutation: { operationId: crypto.randomUUID() }, merchantId, ...fields },
    isProxied,
  );
const limits = async () => (await reader.rpc.getVelocityLimits({ merchantId })).limits;
const controls = async () => (await reader.rpc.getPayoutControls({ merchantId })).controls;

const strict = {
  merchant: { countHour: 0, amounts: [{ currencyCode: "USD", day: "100.00" }] },
  beneficiary: { countDay: 1 },
};
const rules = { amounts: [{ currencyCode: "USD", minimum: "1.00" }] };

describe("a body that names a field which the RPC does not have", () => {
  it.each([
    ["a whole part", { merchnat: { countHour: 5 } }],
    ["a field of a part", { merchant: { countHuor: 5 } }],
    ["a field of an amount", { merchant: { amounts: [{ currencyCode: "USD", dya: "5.00" }] } }],
    ["one beside others", { ...strict, note: "" }],
  ])("changes no limits: %s", async (_what, fields) => {
    expect((await set("SetVelocityLimits", strict)).status).toBe(200);
    for (const isProxied of [false, true]) {
      const { status, text } = await set("SetVelocityLimits", fields, isProxied);
      expect([status, text]).toEqual([400, expect.stringContaining("is unknown")]);
    }
    expect(await limits()).toMatchObject(strict);
  });

  it("is refused by every RPC that a person may call", async () => {
    const taken: string[] = [];
    for (const [service, { typeName, methods }] of contracts) {
      for (const { name, methodKind } of methods) {
        if (methodKind !== "unary") continue;
        const { text } = await sent(service, `${typeName}/${name}`, { no_such_field: 1 });
        if (!text.includes("is unknown")) taken.push(`${name}: ${text}`);
      }
    }
    expect(taken).toEqual([]);
  });
});

describe("a setter", () => {
  it("leaves limits that it does not name as they are; named and empty, they are none", async () => {
    await set("SetVelocityLimits", strict);
    const stricter = { countHour: 0, countDay: 0 };
    expect((await set("SetVelocityLimits", { beneficiary: stricter })).status).toBe(200);
    expect(await limits()).toMatchObject({ merchant: strict.merchant, beneficiary: stricter });
    for (const nothing of [{}, { merchant: null }]) {
      expect(await set("SetVelocityLimits", nothing)).toMatchObject({ status: 400 });
    }
    expect(await limits()).toMatchObject({ merchant: strict.merchant, beneficiary: stricter });
  });

  it("leaves controls that it does not name as they are", async () => {
    await set("SetPayoutControls", { approval: rules });
    await set("SetPayoutControls", { duplicateWindowSeconds: 60 });
    expect(await controls()).toMatchObject({ approval: rules, duplicateWindowSeconds: 60 });
    expect(await set("SetPayoutControls", {})).toMatchObject({ status: 400 });
    const wrong = await set("SetPayoutControls", { approval: { ...rules, lastsSeconds: 0 } });
    expect(wrong).toMatchObject({ status: 400 });
    expect(await controls()).toMatchObject({ approval: rules, duplicateWindowSeconds: 60 });
  });

  it.each([
    ["payout", "PayoutOperatorService/SetRailPaused", { rail: "sandbox" }],
    ["quote", "QuoteService/SetMerchantCorridor", { merchantId, corridorId: "cor_1" }],
    ["beneficiary", "BeneficiaryService/SetMerchantPermissions", { permissions: { merchantId } }],
  ] as const)("of %s refuses what leaves out whether: %s", async (service, rpc, fields) => {
    const mutation = { operationId: crypto.randomUUID() };
    const { status, text } = await sent(service, `disburse.${service}.v1.${rpc}`, {
      mutation,
      ...fields,
    });
    expect([status, text]).toEqual([400, expect.stringMatching(/(is|are) required/)]);
  });
});
