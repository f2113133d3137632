import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { expect, it } from "vitest";
import { railsTo } from "./rails.ts";

const bank = { rail: "bank", transferMethod: "SEPA", network: "", cutOff: "16:00 Europe/Berlin" };

function payoutThat(answer: () => object) {
  const requested: string[][] = [];
  const transport = createRouterTransport(({ service }) => {
    service(PayoutService, {
      describeDestinations: ({ currencyCodes }) => {
        requested.push(currencyCodes);
        return answer();
      },
    });
  });
  return { requested, railsOf: railsTo(createClient(PayoutService, transport)) };
}

it("requests each currency of a page once, and returns payout's rails", async () => {
  const destinations = [
    { currencyCode: "EUR", rails: [{ ...bank, settlementSeconds: 86_400n }, bank] },
    { currencyCode: "INR", rails: [] },
  ];
  const { requested, railsOf } = payoutThat(() => ({ destinations }));
  const rails = await railsOf(["EUR", "INR", "EUR"]);
  expect(requested).toEqual([["EUR", "INR"]]);
  expect(rails.get("EUR")).toMatchObject([{ ...bank, settlementSeconds: 86_400n }, bank]);
  expect(rails.get("EUR")?.[1]?.settlementSeconds).toBeUndefined();
  expect(rails.get("INR")).toEqual([]);
});

it("sends no request for an empty page", async () => {
  const { requested, railsOf } = payoutThat(() => ({}));
  expect([...(await railsOf([])), ...requested]).toEqual([]);
});

it.each([
  ["is away", Code.Unavailable, true],
  ["has a bug", Code.Internal, false],
])("knows nothing where payout %s", async (_what, code, isSilent) => {
  const { railsOf } = payoutThat(() => {
    throw new ConnectError("no", code);
  });
  const rails = railsOf(["EUR"]);
  if (isSilent) expect([...(await rails)]).toEqual([]);
  else await expect(rails).rejects.toThrow("no");
});
