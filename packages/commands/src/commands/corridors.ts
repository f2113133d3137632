import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Argument, CallCommand, Option } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const quote = QuoteService.method;

const terms = ["fee_share", "fee_flat", "limits.source_min", "limits.source_max"];
const pair = [
  ["source_currency_code", "from"] as const,
  ["destination_currency_code", "to"] as const,
];
const rateColumns = [["rate.rate", "rate"] as const, ["rate.as_of", "as of"] as const];

const merchantOption: Option = {
  name: "merchant",
  field: "merchant_id",
  about: "only corridors open to this merchant",
};

const corridor: Argument = {
  name: "corridor",
  field: "corridor_id",
  about: "the corridor's id, cor_…",
  source: { list: "corridors list", value: "id" },
};

/** A term of a corridor. The contract requires every term, so that none is removed by omission. */
const term = (name: string, about: string, field = name.replaceAll("-", "_")): Option => ({
  name,
  field: `corridor.${field}`,
  about,
  isRequired: true,
});

const limit = (name: string, about: string): Option => ({
  name,
  field: `corridor.limits.${name.replace("-", "_")}`,
  about: `${about}; no limit by default`,
});

export const corridorCallCommands: readonly CallCommand[] = [
  {
    name: "corridors list",
    summary: "all corridors with their fees and limits",
    examples: ["corridors list", "corridors list --merchant mer_01k…"],
    method: quote.listCorridors,
    options: [merchantOption],
    show: { list: "corridors", columns: ["id", ...pair, "active", ...terms, ...rateColumns] },
  },
  {
    name: "corridors set",
    summary: "create a corridor, or replace its terms",
    details: "`corridors apply` changes several corridors, and only the terms that a file names.",
    examples: [
      "corridors set USD INR --active yes --fee-share 0.005 --fee-flat 0.30 --quote-ttl-seconds 0 --rate-max-age-seconds 3600 --return-charges platform",
    ],
    method: quote.setCorridor,
    fixed: { corridor: { limits: {} } },
    current: {
      method: quote.listCorridors,
      record: "corridors",
      at: "corridor",
      by: ["source_currency_code", "destination_currency_code"],
    },
    arguments: [
      { name: "from", field: "corridor.source_currency_code", about: "the source currency" },
      {
        name: "to",
        field: "corridor.destination_currency_code",
        about: "the destination currency",
      },
    ],
    options: [
      { ...term("active", "whether it takes quotes"), value: "yes|no" },
      term("fee-share", "the fee as a share of the source amount: 0.005 is half a percent"),
      term("fee-flat", "the flat fee in the source currency: 0.30"),
      limit("source-min", "the smallest source amount"),
      limit("source-max", "the largest source amount"),
      limit("receiving-min", "the smallest receiving amount"),
      limit("receiving-max", "the largest receiving amount"),
      term("quote-ttl-seconds", "how long a quote is valid; 0 for the default"),
      term("rate-max-age-seconds", "the maximum age of a rate; 0 for no maximum"),
      term("return-charges", "who bears the charges of a returned payment"),
    ],
    show: { record: "corridor" },
  },
  {
    name: "corridors open",
    summary: "open a corridor for a merchant",
    examples: ["corridors open mer_01k… cor_01k…"],
    method: quote.setMerchantCorridor,
    fixed: { open: true },
    registered: "merchant_id",
    arguments: [merchant, corridor],
    show: { record: "" },
  },
  {
    name: "corridors close",
    summary: "close a corridor for a merchant",
    examples: ["corridors close mer_01k… cor_01k…"],
    method: quote.setMerchantCorridor,
    fixed: { open: false },
    arguments: [merchant, corridor],
    show: { record: "" },
  },
  {
    name: "rates list",
    summary: "the current rate of every corridor",
    examples: ["rates list --all"],
    method: quote.listCorridors,
    options: [merchantOption],
    show: {
      list: "corridors",
      columns: ["id", ...pair, ...rateColumns, ["rate.source", "source"], "rate_max_age_seconds"],
    },
  },
  {
    name: "rates set",
    summary: "set the rate of a corridor",
    details:
      "A rate that moves far within a day needs another person's approval.\n" +
      "`rates apply` sets the rates of a file.",
    examples: ["rates set cor_01k… 83.1234 --source desk"],
    method: quote.setRate,
    arguments: [
      corridor,
      {
        name: "rate",
        field: "rate.rate",
        about: "units of the destination currency for one unit of the source currency",
      },
    ],
    options: [
      { name: "source", field: "rate.source", about: "who published the rate", isRequired: true },
      {
        name: "as-of",
        field: "rate.as_of",
        value: "time",
        about: "when it applied; now by default",
      },
    ],
    show: { record: "rate" },
  },
];
