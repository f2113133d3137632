import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { GatewayAnswer } from "@disburse/testkit/merchant.ts";
import { startSeparatePlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { expectRefusal } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await startSeparatePlatform({ SCREENING_SWEEP_MS: "200" });
  acme = payerOf(platform, "acme");
});
afterAll(() => platform?.stop());

function expectUnavailable({ status, headers, json }: GatewayAnswer): void {
  const message = "The service is not available right now.";
  expect([status, json]).toEqual([503, { code: "SERVICE_UNAVAILABLE", message }]);
  expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

const patient = { timeout: 20_000, interval: 100 };

describe("without compliance", () => {
  const keys = { crypto: { "idempotency-key": "c" }, depositor: { "idempotency-key": "d" } };
  const wallet = depositorBody("self_business");
  const { depositor_wallet_address, ...walletless } = depositorBody("individual");
  let fiatId = "";
  let depositorId = "";
  beforeAll(async () => {
    await platform.kill("compliance");
  });

  it("nobody with a wallet is registered", async () => {
    for (let tries = 0; tries < 2; tries += 1) {
      expectUnavailable(await acme.post(paths.crypto, cryptoBody(), keys.crypto));
      expectUnavailable(await acme.post(paths.depositor, wallet, keys.depositor));
    }
  });

  it("what is wrong with a body is told all the same", async () => {
    const body = { ...cryptoBody(), beneficiary_city: 1 };
    expectRefusal(await acme.post(paths.crypto, body), "INVALID_REQUEST");
    const wrong = { ...cryptoBody(), beneficiary_account_number: "0x1" };
    expectRefusal(await acme.post(paths.crypto, wrong), "INVALID_WALLET_ADDRESS");
  });

  it("others stay pending, and nobody is paid who is", async () => {
    fiatId = (await acme.data("POST", paths.fiat, bankBody())).beneficiary_id;
    depositorId = (await acme.data("POST", paths.depositor, walletless)).id;
    const beneficiary = await acme.data("GET", `${paths.beneficiaries}/${fiatId}`);
    expect(beneficiary.screening_status).toBe("pending");
    expect((await acme.data("GET", `${paths.depositor}/${depositorId}`)).status).toBe("pending");
    const answer = await acme.post(paths.rfq, await rfqBody());
    expectRefusal(answer, "BENEFICIARY_NOT_READY");
    expect(answer.headers.get("retry-after")).toBe("5");
  });

  it("is made good once it is back, without anyone asking", async () => {
    await platform.start("compliance");
    await vi.waitFor(async () => {
      const beneficiary = await acme.data("GET", `${paths.beneficiaries}/${fiatId}`);
      expect(beneficiary.screening_status).toBe("cleared");
      const depositor = await acme.data("GET", `${paths.depositor}/${depositorId}`);
      expect(depositor.status).toBe("whitelisted");
    }, patient);
    expect((await acme.post(paths.rfq, await rfqBody())).status).toBe(200);
    const registered = await acme.post(paths.crypto, cryptoBody(), keys.crypto);
    expect([registered.status, registered.headers.get("idempotent-replayed")]).toEqual([200, null]);
    const again = await acme.post(paths.crypto, cryptoBody(), keys.crypto);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([
      registered.text,
      "true",
    ]);
    expect((await acme.post(paths.depositor, wallet, keys.depositor)).status).toBe(200);
  });

  async function rfqBody() {
    const account_id = platform.accountId("acme", "USD");
    const codes = { source_currency_code: "USD", destination_currency_code: "USD" };
    return { source_amount: "10.00", beneficiary_id: fiatId, account_id, ...codes };
  }
});

describe("without", () => {
  const body = async () => ({ source_amount: "10.00", ...(await acme.transfer("USD", "USD")) });
  const asks: [ServiceName, (body: object, quote: string) => Promise<GatewayAnswer>[]][] = [
    [
      "quote",
      (rfq, quote_id) => [acme.post(paths.rfq, rfq), acme.post(paths.execute, { quote_id })],
    ],
    ["payout", (_, quote_id) => [acme.get(paths.payouts), acme.post(paths.execute, { quote_id })]],
    ["beneficiary", (rfq) => [acme.post(paths.rfq, rfq), acme.post(paths.fiat, bankBody())]],
    ["notifier", () => [acme.get(paths.endpoints)]],
  ];
  it.each(asks)("%s: 503, and no harm done", async (service, ask) => {
    const rfq = await body();
    const quote = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const before = await acme.data("GET", paths.accounts);
    await platform.kill(service);
    for (const answer of await Promise.all(ask(rfq, quote.id))) expectUnavailable(answer);
    expect((await fetch(`${platform.baseUrl}/healthz`)).status).toBe(200);
    // Endpoints that don't need the failed service still work.
    expect((await fetch(`${platform.baseUrl}/readyz`)).status).toBe(200);
    await platform.start(service);
    await vi.waitFor(async () => {
      for (const answer of await Promise.all(ask(rfq, "qt_none"))) {
        expect(answer.status).not.toBe(503);
      }
    }, patient);
    expect(await acme.data("GET", paths.accounts)).toEqual(before);
    expect((await acme.post(paths.execute, { quote_id: quote.id })).status).toBe(200);
    await vi.waitFor(async () => {
      const { transactions } = await acme.data("GET", `${paths.payouts}?status=initiated`);
      expect(transactions).toEqual([]);
    }, patient);
  });
});
