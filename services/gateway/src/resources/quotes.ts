import { create } from "@bufbuild/protobuf";
import {
  CorridorSchema,
  CreateQuoteRequestSchema,
  LimitsSchema,
  type ListCorridorsResponse,
  QuoteSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { requestForQuote } from "@disburse/forms/transfer.ts";
import {
  decimal,
  fields,
  flag,
  from,
  id,
  moment,
  momentOrNone,
  object,
  optional,
  record,
  recordTimes,
  text,
} from "../openapi/fields.ts";
import { bodyRequest, type Operation, operation, type Resource } from "../openapi/operation.ts";
import { pageOf } from "../openapi/page.ts";
import { pageQuery } from "../openapi/query.ts";

/** A quote (service interface, "Quote"). */
const quote = record(QuoteSchema, "Quote", "What a payout would cost and bring.", {
  id: id("qt", "Quote id."),
  corridor_id: id("cor", "Corridor."),
  source_currency_code: text("Currency of the account.", "USD"),
  destination_currency_code: text("Currency of the beneficiary.", "USDC_ETH"),
  source_amount: decimal("What the account pays, fees included.", "250.00"),
  exchange_rate: decimal("Destination units per one source unit.", "0.9998"),
  receiving_amount: decimal("What the beneficiary receives.", "248.200350"),
  total_fees_currency: from(
    ({ sourceCurrencyCode }) => sourceCurrencyCode,
    text("The source currency.", "USD"),
  ),
  total_fees: decimal("Fees of the whole payout.", "1.75"),
  converted_amount: decimal("`source_amount` less `total_fees`, exactly.", "248.25"),
  ...recordTimes,
  expired_at: moment("The quote cannot be executed from this time on."),
});

const limits = object(
  "Bounds of a payout's amounts, both inclusive, checked when it is executed; one that there is not is left out.",
  fields(LimitsSchema, {
    source_amount_min: from("sourceMin", optional(decimal("Least source amount.", "1.00"))),
    source_amount_max: from("sourceMax", optional(decimal("Greatest source amount.", "100000.00"))),
    receiving_amount_min: from(
      "receivingMin",
      optional(decimal("Least receiving amount.", "1.000000")),
    ),
    receiving_amount_max: from(
      "receivingMax",
      optional(decimal("Greatest receiving amount.", "100000.000000")),
    ),
  }),
);

const fees = object(
  "What a payout costs, in the source currency.",
  fields(CorridorSchema, {
    share: from(
      "feeShare",
      decimal("Share of the source amount: 0.005 is half a percent.", "0.005"),
    ),
    flat: from("feeFlat", decimal("Added to the share.", "0.50")),
  }),
);

const corridor = record(
  CorridorSchema,
  "Corridor",
  "A pair of currencies that you can send between.",
  {
    id: id("cor", "Corridor id."),
    source_currency_code: text("Currency of the account.", "USD"),
    destination_currency_code: text("Currency of the beneficiary.", "USDC_ETH"),
    active: flag("Whether quotes are given now.", true),
    fees: from((its) => its, fees),
    limits: from((its) => its.limits ?? create(LimitsSchema), limits),
    exchange_rate: from(
      ({ rate }) => rate?.rate,
      optional(
        decimal(
          "Destination units per one source unit, now; left out where none is known.",
          "0.9998",
        ),
      ),
    ),
    rate_as_of: from(
      ({ rate }) => rate?.asOf,
      momentOrNone("When the rate was true; empty where none is known."),
    ),
  },
);

const corridorPage = pageOf(
  "CorridorPage",
  "corridors",
  (reply: ListCorridorsResponse) => reply.corridors,
  corridor,
);

const read = { method: "GET", scope: "quote:read", tag: "Quotes" } as const;

const operations: readonly Operation[] = [
  operation({
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
    answer: async (call, { quote }) =>
      (await quote.createQuote(bodyRequest(call, CreateQuoteRequestSchema))).quote,
  }),
  operation({
    ...read,
    id: "getQuote",
    path: "/api/v1/transfer/quotes/:quoteId",
    summary: "Get quote",
    description: "A quote as it was given.",
    data: quote,
    refusals: ["RECORD_NOT_FOUND"],
    answer: async ({ request }, { quote }) => (await quote.getQuote(request)).quote,
  }),
  operation({
    ...read,
    id: "listCorridors",
    path: "/api/v1/transfer/corridors",
    summary: "List corridors",
    description: "What you can send, with limits, fees and the current rate.",
    query: pageQuery,
    data: corridorPage,
    refusals: ["INVALID_REQUEST"],
    answer: ({ request }, { quote }) => quote.listCorridors(request),
  }),
];

/** Quotes, and the corridors that can be quoted. */
export const quotes: Resource = {
  components: [quote, corridor, corridorPage],
  operations,
};
