import { create } from "@bufbuild/protobuf";
import {
  CorridorRailSchema,
  CorridorSchema,
  type CreateQuoteRequest,
  CreateQuoteRequestSchema,
  LimitsSchema,
  ListCorridorsResponseSchema,
  type Limits as QuoteLimits,
  QuoteSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { requestForQuote } from "@disburse/forms/bodies/transfer.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, get, post, type Resource } from "../openapi/route.ts";
import { dryRun, quoteDryRun } from "./parts/dry-run.ts";

export const quote = f.record(QuoteSchema, "Quote", "Costs and amounts of a payout.", {
  id: f.id("qt", "Quote id."),
  corridor_id: f.id("cor", "Corridor."),
  source_currency_code: f.text("Currency of the account.", "USD"),
  destination_currency_code: f.text("Currency of the beneficiary.", "USDC_ETH"),
  source_amount: f.decimal("Amount that the account pays, including fees.", "250.00"),
  exchange_rate: f.decimal("Destination units per one source unit.", "0.9998"),
  receiving_amount: f.decimal("Amount that the beneficiary receives.", "248.200350"),
  total_fees_currency: f.from("sourceCurrencyCode", f.text("The source currency.", "USD")),
  total_fees: f.decimal("Fees of the whole payout.", "1.75"),
  converted_amount: f.decimal("`source_amount` less `total_fees`, exactly.", "248.25"),
  ...f.recordTimes,
  expired_at: f.moment("The quote cannot be executed from this time on."),
  metadata: f.pairs(
    "Your own data, as you sent it with the request. A payout has its own: send it with Execute payout.",
    metadataField.example,
  ),
});

type Limits = Pick<QuoteLimits, "sourceMin" | "sourceMax" | "receivingMin" | "receivingMax">;

const bound = (name: keyof Limits, description: string, example: string) =>
  f.from((its: Limits) => its[name], f.optional(f.decimal(description, example)));

const limits = f.object("Inclusive bounds of a payout's amounts; a missing bound is omitted.", {
  source_amount_min: bound("sourceMin", "Least source amount.", "1.00"),
  source_amount_max: bound("sourceMax", "Greatest source amount.", "100000.00"),
  receiving_amount_min: bound("receivingMin", "Least receiving amount.", "1.000000"),
  receiving_amount_max: bound("receivingMax", "Greatest receiving amount.", "100000.000000"),
});

const fees = f.object(
  "Fees of a payout, in the source currency.",
  f.fields(CorridorSchema, {
    share: f.from("feeShare", f.decimal("Share of the source amount: 0.005 is 0.5 %.", "0.005")),
    flat: f.from("feeFlat", f.decimal("Added to the share.", "0.50")),
  }),
);

const corridorRail = f.object(
  "A payment method for payouts.",
  f.fields(CorridorRailSchema, {
    rail: f.text("Name of the rail.", "sandbox"),
    transfer_method: f.oneOf("Payment method.", ["CRYPTO", "SWIFT", "ACH", "LOCAL", "SEPA"]),
    network: f.text("Network of a crypto payout; otherwise empty.", "ETHEREUM"),
    cut_off: f.text(
      "Until when of a day the rail takes what it pays that day, with its time zone (`16:00 Europe/Berlin`); empty if it has no such time.",
      "",
    ),
    settlement_seconds: f.optional(
      f.whole(
        "Usual time from submission to settlement of a payout that is made now; omitted if unknown.",
        1,
      ),
    ),
  }),
);

const corridor = f.record(
  CorridorSchema,
  "Corridor",
  "A pair of source and destination currencies.",
  {
    id: f.id("cor", "Corridor id."),
    source_currency_code: f.text("Currency of the account.", "USD"),
    destination_currency_code: f.text("Currency of the beneficiary.", "USDC_ETH"),
    active: f.flag("True if quotes are issued now.", true),
    fees: f.from((its) => its, fees),
    limits: f.from((its) => its.limits ?? create(LimitsSchema), limits),
    exchange_rate: f.from(
      ({ rate }) => rate?.rate,
      f.optional(
        f.decimal("Current destination units per one source unit; omitted if unknown.", "0.9998"),
      ),
    ),
    rate_as_of: f.from(({ rate }) => rate?.asOf, f.momentOrNone("Its time; empty if unknown.")),
    rails: f.listOf(
      "The ways in which its payouts are paid, by the beneficiary's transfer type or network; empty while that is not known.",
      corridorRail,
    ),
  },
);

const corridorPage = f.pageOf(ListCorridorsResponseSchema, "CorridorPage", "corridors", corridor);

function limitWarnings(exceeded: Limits | undefined): readonly string[] {
  if (exceeded === undefined) return [];
  const { sourceMin, sourceMax, receivingMin, receivingMax } = exceeded;
  const bounds = [
    ["source_amount", "at least", sourceMin],
    ["source_amount", "at most", sourceMax],
    ["receiving_amount", "at least", receivingMin],
    ["receiving_amount", "at most", receivingMax],
  ].flatMap(([name, word, bound]) => (bound ? [`${name} ${word} ${bound}`] : []));
  return [`execution of this quote is refused: the corridor requires ${bounds.join(", ")}`];
}

function amountWarnings({ sourceAmount, receivingAmount }: CreateQuoteRequest): readonly string[] {
  const isIgnored = sourceAmount !== "" && receivingAmount !== "";
  return isIgnored ? ["receiving_amount was ignored, because source_amount was sent too"] : [];
}

export const quotes: Resource = {
  scope: "quote",
  tag: "Quotes",
  components: [quote, corridor, corridorPage, dryRun],
  routes: [
    post("requestQuote", "/api/v1/transfer/rfq", {
      summary: "Request for quote",
      description:
        "Returns the costs and amounts of a payout, valid until `expired_at`. Send `source_amount` or `receiving_amount`; if both are sent, `source_amount` is used, and `Disburse-Warnings` says so. Amounts outside the corridor's `limits` are quoted too, but executing such a quote is refused: the header `Disburse-Warnings` then names the limits.\n\nAn unknown account, beneficiary or pair of currencies (see List corridors) is `RECORD_NOT_FOUND`. `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked`: read its `screening_status`. While that is `pending`, the error is `BENEFICIARY_NOT_READY`: try again after `Retry-After`.",
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
      isBoundByService: true,
      dryRun: quoteDryRun,
      data: quote,
      refusals: [
        "INVALID_REQUEST",
        "RECORD_NOT_FOUND",
        "ACCESS_FORBIDDEN",
        "SOURCE_ACCOUNT_CLOSED",
        "BENEFICIARY_NOT_READY",
        "CORRIDOR_NOT_ACTIVE",
        "SERVICE_UNAVAILABLE",
      ],
      mayWarn: true,
      answer: async (call, { quote }) => {
        const request = bodyRequest(call, CreateQuoteRequestSchema);
        const { quote: created, exceededLimits } = await quote.createQuote(request);
        const warnings = [...amountWarnings(request), ...limitWarnings(exceededLimits)];
        return { warned: created, warnings };
      },
    }),
    get("getQuote", "/api/v1/transfer/quotes/:quoteId", {
      summary: "Get quote",
      description: "A quote as it was issued.",
      data: quote,
      answer: async ({ request }, { quote }) => (await quote.getQuote(request)).quote,
    }),
    get("listCorridors", "/api/v1/transfer/corridors", {
      summary: "List corridors",
      description: "The corridors that you can use, with limits, fees and the current rate.",
      query: q.page,
      data: corridorPage,
      answer: ({ request }, { quote }) => quote.listCorridors(request),
    }),
  ],
};
