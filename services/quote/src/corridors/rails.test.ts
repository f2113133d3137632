import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { expect, it } from "vitest";
import { railsTo } from "./rails.ts";

const bank = { rail: "bank", transferMethod: "SEPA", network: "", cutOff: "16:00 Europe/Berlin" };

function payoutThat(answer: () => object) {
  const asked: string[][] = [];
  const transport = createRouterTransport(({ service }) => {
    service(PayoutService, {
      describeDestinations: ({ currencyCodes }) => {
        asked.push(currencyCodes);
        return answer();
      },
    });
  });
  return { asked, railsOf: railsTo(createClient(PayoutService, transport)) };
}

it("asks once for each currency of a page, and has what payout says", async () => {
  const destinations = [
    { currencyCode: "EUR", rails: [{ ...bank, settlementSeconds: 86_400n }, bank] },
    { currencyCode: "INR", rails: [] },
  ];
  const { asked, railsOf } = payoutThat(() => ({ destinations }));
  const rails = await railsOf(["EUR", "INR", "EUR"]);
  expect(asked).toEqual([["EUR", "INR"]]);
  expect(rails.get("EUR")).toMatchObject([{ ...bank, settlementSeconds: 86_400n }, bank]);
  expect(rails.get("EUR")?.[1]?.settlementSeconds).toBeUndefined();
  expect(rails.get("INR")).toEqual([]);
});

it("asks nothing for an empty page", async () => {
  const { asked, railsOf } = payoutThat(() => ({}));
  expect([...(await railsOf([])), ...asked]).toEqual([]);
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
