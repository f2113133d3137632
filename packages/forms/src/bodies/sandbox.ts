import { failureCodes } from "@disburse/kernel/failure.ts";
import {
  type IntegerField,
  type PairsField,
  type PublicBody,
  singleForm,
} from "../fields/field.ts";
import { amountText, choiceField, lengths, textField } from "../fields/make.ts";
import { optInEventTypes } from "./webhooks.ts";

/** Failure codes that only the platform sets, never a rail. */
const own: ReadonlySet<string> = new Set(["APPROVAL_EXPIRED", "APPROVAL_REJECTED", "CANCELLED"]);

/**
 * The rail's own code. Codes of ISO 20022 and NACHA have at most four characters. Chains have no
 * codes.
 */
const railCode = {
  source: "^[A-Za-z0-9_-]{1,32}$",
  problem: "must be 1 to 32 letters, digits, _ and -",
} as const;

/** `POST /api/v1/sandbox/payouts/:id/fail` and `/return`. Every field is optional. */
export const setPayoutOutcome: PublicBody = singleForm({
  name: "sandbox_failure",
  description: "The reason why the payout fails or is returned.",
  fields: [
    textField(
      "failure_code",
      "The payout's `failure_code`; by default, the one that the sandbox's bank or chain reports.",
      "ACCOUNT_CLOSED",
      {
        required: { field: "rail_code", present: true },
        allowed: failureCodes.filter((code) => !own.has(code)),
      },
    ),
    textField("rail_code", "The rail's own code; needs `failure_code`.", "AC04", {
      required: false,
      maxLength: 32,
      pattern: railCode,
    }),
  ],
});

export const creditAccount: PublicBody = singleForm({
  name: "sandbox_credit",
  description: "A credit of test money to an account.",
  fields: [
    textField("amount", "In the account's currency.", "1000.00", {
      kind: "amount",
      maxLength: lengths.amount,
    }),
    textField(
      "currency_code",
      "The account's currency. If it is set and differs, the credit is refused.",
      "USD",
      { required: false, maxLength: lengths.reference },
    ),
    textField("note", "For the statement.", "Test money", { required: false }),
  ],
});

/**
 * Event types that a merchant can simulate. All other event types are only sent as test events of
 * an endpoint.
 */
export const eventTypesToSend = [
  "payout_session",
  "payment_session",
  "refund",
  ...optInEventTypes,
] as const;

/** The maximum number of data fields, which exceeds that of any event. */
const dataFieldsMax = 50;

const data: PairsField = {
  name: "data",
  kind: "pairs",
  required: false,
  keys: "[a-z_]{1,64}",
  maxItems: dataFieldsMax,
  valueMax: lengths.line,
  problem: `must be an object of at most ${dataFieldsMax} strings of at most ${lengths.line} characters, under names of fields`,
  description:
    "Fields of `data` that differ from the type's example, each as a string. A field that is a number in the example is sent as a number.",
  example: { failure_code: "ACCOUNT_CLOSED", sub_status: "returned" },
};

export const sendWebhookEvent: PublicBody = singleForm({
  name: "sandbox_event",
  description: "The event to send.",
  fields: [
    textField("transaction_type", "Type of the event.", "payout_session", {
      allowed: eventTypesToSend,
    }),
    textField(
      "status",
      "`data.status`, which is signed; that of the example by default.",
      "failed",
      {
        required: false,
        maxLength: 64,
      },
    ),
    textField(
      "transaction_id",
      "`data.id`, which is signed; that of the example by default.",
      "po_01hqz0000000000000000000ab",
      { required: false, maxLength: lengths.reference },
    ),
    data,
  ],
});

/** `POST /api/v1/sandbox/beneficiaries/:id/listing` and the same for depositors. */
export const setListing: PublicBody = singleForm({
  name: "sandbox_listing",
  description: "The simulated screening result of the record.",
  fields: [
    choiceField(
      "result",
      "`review` or `blocked` puts the record on a list that applies to you alone. `cleared` removes it from that list.",
      ["blocked", "review", "cleared"],
    ),
  ],
});

/** The maximum duration of a simulated silence. A forgotten one ends after a day. */
const silenceSecondsMax = 86_400;

export const setRailSilence: PublicBody = singleForm({
  name: "sandbox_rail_silence",
  description: "The simulated behaviour of the rails for your payouts.",
  fields: [
    choiceField(
      "kind",
      "`no_answer`: calls get no answer, and payouts are `unknown`. `down`: new payouts stay `queued`. `unfunded`: new payouts are `awaiting_funds`.",
      ["down", "no_answer", "unfunded"],
    ),
    {
      name: "seconds",
      kind: "integer",
      required: false,
      min: 1,
      max: silenceSecondsMax,
      description: "Duration in seconds; 3,600 by default.",
      example: 60,
    },
  ],
});

const percent = (name: string, what: string, example: number): IntegerField => ({
  name,
  kind: "integer",
  required: false,
  min: 0,
  max: 100,
  example,
  description: `Percentage of payouts that ${what}; 0 by default.`,
});

/** The maximum delay, longer than any test is expected to wait. */
const delayMsMax = 60_000;

/**
 * `POST /api/v1/sandbox/scenario`. The payout service checks that the shares add up to at most 100.
 */
export const setScenario: PublicBody = singleForm({
  name: "sandbox_scenario",
  description: "The shares of your payouts that fail, are returned or keep an unknown outcome.",
  fields: [
    {
      name: "seed",
      kind: "integer",
      required: true,
      min: 0,
      max: 2_147_483_647,
      description:
        "Seed of the random outcomes. The same seed gives the same outcomes in the same order.",
      example: 7,
    },
    percent("fail_percent", "fail", 20),
    percent("return_percent", "succeed and are then returned", 10),
    percent("doubt_percent", "keep an unknown outcome", 0),
    {
      name: "max_delay_ms",
      kind: "integer",
      required: false,
      min: 0,
      max: delayMsMax,
      description:
        "Maximum time to an outcome, in milliseconds. Each payout's time is random, up to this maximum.",
      example: 500,
    },
  ],
});

const approvalAmounts: PairsField = {
  name: "approval_amounts",
  kind: "pairs",
  required: false,
  keys: "[A-Z0-9_]{2,16}",
  maxItems: 50,
  valueMax: lengths.amount,
  value: amountText,
  problem: "must be an object of at most 50 amounts, each under its currency",
  description:
    "Minimum amounts from which payouts await approval, by source currency; none by default.",
  example: { USD: "5000.00" },
};

/** `POST /api/v1/sandbox/payout-controls`. The payout service checks the amounts. */
export const setPayoutControls: PublicBody = singleForm({
  name: "sandbox_payout_controls",
  description: "The controls that apply to your payouts. Controls that the body omits are off.",
  fields: [
    approvalAmounts,
    {
      name: "approval_window_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: 86_400,
      example: 3_600,
      description:
        "Number of seconds within which payouts to one account, or by one actor, add up towards `approval_amounts`; by default each payout counts alone.",
    },
    {
      name: "new_beneficiary_days",
      kind: "integer",
      required: false,
      min: 0,
      max: 365,
      description: "Payouts await approval if their beneficiary is newer than this number of days.",
      example: 3,
    },
    {
      name: "approve_batches",
      kind: "flag",
      required: false,
      example: true,
      description: "True if an actor other than its creator must approve a batch.",
    },
    {
      name: "approval_lasts_seconds",
      kind: "integer",
      required: false,
      min: 1,
      max: 604_800,
      example: 3_600,
      description:
        "Number of seconds after which an undecided approval expires; 86,400 by default.",
    },
    {
      name: "duplicate_window_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: 7_776_000,
      example: 86_400,
      description:
        "Number of seconds within which a repeated payout is refused with `POSSIBLE_DUPLICATE`; off by default.",
    },
  ],
});
