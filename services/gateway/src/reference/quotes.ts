import { requestForQuote } from "@disburse/forms/transfer.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import {
  component,
  decimal,
  flag,
  id,
  moment,
  momentOrNone,
  object,
  recordTimes,
  ref,
  text,
} from "./schema.ts";

/** A quote (service interface, "Quote"). */
const quote = component("Quote", "What a payout would cost and bring.", {
  id: id("qt", "Quote id."),
  corridor_id: id("cor", "Corridor."),
  source_currency_code: text("Currency of the account.", "USD"),
  destination_currency_code: text("Currency of the beneficiary.", "USDC_ETH"),
  source_amount: decimal("What the account pays, fees included.", "250.00"),
  exchange_rate: decimal("Destination units per one source unit.", "0.9998"),
  receiving_amount: decimal("What the beneficiary receives.", "248.200350"),
  total_fees_currency: text("The source currency.", "USD"),
  total_fees: decimal("Fees of the whole payout.", "1.75"),
  converted_amount: decimal("`source_amount` less `total_fees`, exactly.", "248.25"),
  ...recordTimes,
  expired_at: moment("The quote cannot be executed from this time on."),
});

const limits = {
  source_amount_min: decimal("Least source amount.", "1.00"),
  source_amount_max: decimal("Greatest source amount.", "100000.00"),
  receiving_amount_min: decimal("Least receiving amount.", "1.000000"),
  receiving_amount_max: decimal("Greatest receiving amount.", "100000.000000"),
} as const;

const corridor = component(
  "Corridor",
  "A pair of currencies that you can send between.",
  {
    id: id("cor", "Corridor id."),
    source_currency_code: text("Currency of the account.", "USD"),
    destination_currency_code: text("Currency of the beneficiary.", "USDC_ETH"),
    active: flag("Whether quotes are given now.", true),
    fees: object("What a payout costs, in the source currency.", {
      share: decimal("Share of the source amount: 0.005 is half a percent.", "0.005"),
      flat: decimal("Added to the share.", "0.50"),
    }),
    limits: object(
      "Bounds of a payout's amounts, both inclusive, checked when it is executed; one that there is not is left out.",
      limits,
      Object.keys(limits),
    ),
    exchange_rate: decimal(
      "Destination units per one source unit, now; left out where none is known.",
      "0.9998",
    ),
    rate_as_of: momentOrNone("When the rate was true; empty where none is known."),
  },
  ["exchange_rate"],
);

const corridorPage = pageOf("CorridorPage", "corridors", ref(corridor));

export const requestQuoteEndpoint: Endpoint = {
  id: "requestQuote",
  method: "POST",
  path: "/api/v1/transfer/rfq",
  scope: "quote:write",
  tag: "Quotes",
  summary: "Request for quote",
  description:
    "What a payout would cost and bring, good until `expired_at`. Send one of `source_amount` and `receiving_amount`; with both, `source_amount` counts. A quote is given outside the corridor's `limits` too: executing it refuses it.\n\nAn unknown account, beneficiary or pair of currencies (see List corridors) is `RECORD_NOT_FOUND`. `ACCESS_FORBIDDEN` is said too where the beneficiary is not `cleared`: read its `screening_status`.",
  body: {
    form: requestForQuote,
    examples: {
      fixed_receiving_amount: {
        receiving_amount: "100.10",
        beneficiary_id: "ben_01hqz0000000000000000000ab",
        source_currency_code: "USD",
        destination_currency_code: "USD",
        account_id: "acc_01hqz0000000000000000000ab",
      },
    },
  },
  data: quote,
  refusals: [
    "INVALID_REQUEST",
    "RECORD_NOT_FOUND",
    "ACCESS_FORBIDDEN",
    "CORRIDOR_NOT_ACTIVE",
    "SERVICE_UNAVAILABLE",
  ],
};

export const getQuoteEndpoint: Endpoint = {
  id: "getQuote",
  method: "GET",
  path: "/api/v1/transfer/quotes/:quoteId",
  scope: "quote:read",
  tag: "Quotes",
  summary: "Get quote",
  description: "A quote as it was given.",
  data: quote,
  refusals: ["RECORD_NOT_FOUND"],
};

export const listCorridorsEndpoint: Endpoint = {
  id: "listCorridors",
  method: "GET",
  path: "/api/v1/transfer/corridors",
  scope: "quote:read",
  tag: "Quotes",
  summary: "List corridors",
  description: "What you can send, with limits, fees and the current rate.",
  query: pageQuery,
  data: corridorPage,
  refusals: ["INVALID_REQUEST"],
};

/** Every component of this file, for the document. */
export const quoteComponents = [quote, corridor, corridorPage];
