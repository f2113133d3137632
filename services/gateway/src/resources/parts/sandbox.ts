import {
  SetBeneficiaryListingRequestSchema,
  SetDepositorListingRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { SendSandboxEventRequestSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import {
  CreditOwnAccountRequestSchema,
  EndRailSilenceResponseSchema,
  RailSilence,
  SandboxOutcome,
  SetOwnPayoutControlsRequestSchema,
  SetOwnPayoutControlsResponseSchema,
  SetPayoutOutcomeRequestSchema,
  SetRailSilenceRequestSchema,
  SetRailSilenceResponseSchema,
  SetScenarioRequestSchema,
  SetScenarioResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import {
  creditAccount,
  sendWebhookEvent,
  setListing,
  setPayoutControls,
  setPayoutOutcome,
  setRailSilence,
  setScenario,
} from "@disburse/forms/bodies/sandbox.ts";
import * as f from "../../openapi/fields.ts";
import { bodyRequest, type Call, type Clients, post, type Resource } from "../../openapi/route.ts";
import { account } from "../accounts.ts";
import { beneficiary } from "../beneficiaries.ts";
import { depositor } from "../depositors.ts";
import { payout } from "../payouts.ts";
import { quote } from "../quotes.ts";
import { delivery } from "../webhook-deliveries.ts";
import { exampleData } from "../webhooks.ts";

const silence = f.record(
  SetRailSilenceResponseSchema,
  "SandboxRailSilence",
  "How the simulated rails treat your payouts.",
  {
    kind: f.word(RailSilence, "The behaviour of the rails."),
    until: f.moment("When it ends."),
  },
);

const silenceEnd = f.record(
  EndRailSilenceResponseSchema,
  "SandboxRailSilenceEnd",
  "The rails behave normally.",
  { ended_at: f.moment("Since when.") },
);

const share = (what: string, example: number) =>
  f.whole(`Of a hundred payouts, how many ${what}.`, example);

const scenario = f.record(
  SetScenarioResponseSchema,
  "SandboxScenario",
  "The outcomes of your payouts.",
  {
    seed: f.whole("The same seed has the same outcomes, in order.", 7),
    fail_percent: share("fail", 20),
    return_percent: share("succeed and come back", 10),
    doubt_percent: share("keep an unknown outcome", 0),
    max_delay_ms: f.optional(
      f.whole("Maximum time to an outcome; omitted if payouts take the usual time.", 500),
    ),
  },
);

const controls = f.record(
  SetOwnPayoutControlsResponseSchema,
  "SandboxPayoutControls",
  "The controls that apply to your payouts.",
  {
    approval_amounts: f.pairs("Minimum amounts from which payouts await approval, by currency.", {
      USD: "5000.00",
    }),
    approval_window_seconds: f.whole(
      "Number of seconds within which payouts to one account, or by one actor, add up; 0: each payout counts alone.",
      0,
    ),
    new_beneficiary_days: f.whole(
      "Payouts await approval if their beneficiary is newer than this number of days; 0: none.",
      3,
    ),
    approve_batches: f.flag("Whether an actor other than its creator must approve a batch.", true),
    approval_lasts_seconds: f.whole(
      "Number of seconds after which an undecided approval expires.",
      86_400,
    ),
    duplicate_window_seconds: f.whole(
      "Number of seconds within which a repeated payout is refused; 0: off.",
      0,
    ),
  },
);

const path = "/api/v1/sandbox";

const bringTo =
  (outcome: SandboxOutcome) =>
  async (call: Call, { payoutSandbox }: Clients) => {
    const request =
      call.form === undefined ? call.change : bodyRequest(call, SetPayoutOutcomeRequestSchema);
    return (await payoutSandbox.setPayoutOutcome({ ...request, outcome })).payout;
  };

const failure = { form: setPayoutOutcome, optional: true } as const;
const refusals = ["RECORD_NOT_FOUND", "STATE_NOT_REACHABLE"] as const;

/** Sandbox routes on a merchant's own records. Live mode doesn't have them. */
export const sandbox: Resource = {
  scope: "payout",
  tag: "Sandbox",
  components: [silence, silenceEnd, scenario, controls],
  routes: [
    post("expireQuote", `${path}/quotes/:quoteId/expire`, {
      summary: "Expire quote",
      description:
        "Ends an open quote now: executing it is `QUOTE_EXPIRED`. `ALREADY_PROCESSED`: it was executed.",
      data: quote,
      scope: "quote:write",
      refusals: ["RECORD_NOT_FOUND", "ALREADY_PROCESSED"],
      answer: async ({ change }, { quoteSandbox }) =>
        (await quoteSandbox.expireQuoteNow(change)).quote,
    }),
    post("settlePayout", `${path}/payouts/:payoutId/settle`, {
      summary: "Settle payout",
      description:
        "Has the simulated rail settle a payout now, also one whose outcome was unknown. The answer is the payout, `succeeded`; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another end.",
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.SETTLED),
    }),
    post("failPayout", `${path}/payouts/:payoutId/fail`, {
      summary: "Fail payout",
      description:
        "Has the simulated rail reject a payout now, with a `failure_code` of yours. The answer is the payout, `failed`, its money available again; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another end.",
      body: failure,
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.REJECTED),
    }),
    post("returnPayout", `${path}/payouts/:payoutId/return`, {
      summary: "Return payout",
      description:
        "Has the money of a payout come back now, also of one that settled days ago. The answer is the payout, `failed` with `sub_status` `returned`; webhooks follow. `STATE_NOT_REACHABLE`: no rail has it, or it has failed.",
      body: failure,
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.RETURNED),
    }),
    post("leavePayoutInDoubt", `${path}/payouts/:payoutId/leave-in-doubt`, {
      summary: "Leave payout outcome unknown",
      description:
        "Has the simulated rail not know what became of a payout: `sub_status` is `unknown` and the money stays held until you settle, fail or return it. `STATE_NOT_REACHABLE`: no rail has it, or its outcome is known.",
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.UNKNOWN),
    }),
    post("setRailSilence", `${path}/rail-silence`, {
      summary: "Silence rails",
      description:
        "Has every rail behave to your payouts as you say, for a time: it gives no answer, takes nothing new, or is not funded. It takes effect within a second, and a later call takes its place. Other merchants' payouts go on.",
      body: { form: setRailSilence },
      data: silence,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setRailSilence(bodyRequest(call, SetRailSilenceRequestSchema)),
    }),
    post("endRailSilence", `${path}/rail-silence/end`, {
      summary: "End silence of rails",
      description:
        "Rails do as ever again, and payouts that waited go on at once. Without a silence it changes nothing.",
      data: silenceEnd,
      answer: ({ change }, { payoutSandbox }) => payoutSandbox.endRailSilence(change),
    }),
    post("setScenario", `${path}/scenario`, {
      summary: "Set scenario",
      description:
        "Has the outcomes of your payouts follow from a seed: of those that are made from now on, the first, the second and so on have always the same outcome and delay, so a run of your tests can be repeated. A `reference_id` that begins with `sandbox-` goes before it and is not counted. With shares of 0 all settle. Takes effect within a second.",
      body: { form: setScenario },
      data: scenario,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setScenario(bodyRequest(call, SetScenarioRequestSchema)),
    }),
    post("setPayoutControls", `${path}/payout-controls`, {
      summary: "Set payout controls",
      description:
        "Sets which of your payouts wait for approval, and the duplicate guard. Replaces the previous settings; `{}` removes them all. Needs the scope `payout:control`, so that a key that only pays cannot remove the rules. Takes effect within a second. In live mode an operator sets them for you.",
      scope: "payout:control",
      body: { form: setPayoutControls, optional: true },
      data: controls,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setOwnPayoutControls(bodyRequest(call, SetOwnPayoutControlsRequestSchema)),
    }),
    post("creditAccount", `${path}/accounts/:accountId/credit`, {
      summary: "Credit account",
      description:
        "Credits an account of yours at once, as money that you sent would be; endpoints that name it get `account.credited`. The answer is the account.",
      body: { form: creditAccount },
      data: account,
      scope: "account:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { payoutSandbox }) =>
        (await payoutSandbox.creditOwnAccount(bodyRequest(call, CreditOwnAccountRequestSchema)))
          .account,
    }),
    post("setBeneficiaryListing", `${path}/beneficiaries/:beneficiaryId/listing`, {
      summary: "List beneficiary",
      description:
        "Puts a beneficiary on a sanctions list that is yours alone, so that its screening is `review` or `blocked`, or takes it off; a `pending` one is screened first. The answer is the beneficiary with its `screening_status`: what the sandbox's own list says of its name still counts. Endpoints that name it get `beneficiary.screening_changed`.",
      body: { form: setListing },
      data: beneficiary,
      scope: "beneficiary:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { beneficiarySandbox }) => {
        const request = bodyRequest(call, SetBeneficiaryListingRequestSchema);
        return (await beneficiarySandbox.setBeneficiaryListing(request)).beneficiary;
      },
    }),
    post("setDepositorListing", `${path}/depositors/:depositorId/listing`, {
      summary: "List depositor",
      description:
        "The same of a depositor: `review` is its status `review`, `blocked` is `rejected`, and `cleared` takes it off the list.",
      body: { form: setListing },
      data: depositor,
      scope: "depositor:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { beneficiarySandbox }) =>
        (
          await beneficiarySandbox.setDepositorListing(
            bodyRequest(call, SetDepositorListingRequestSchema),
          )
        ).depositor,
    }),
    post("retryWebhookDelivery", `${path}/webhooks/deliveries/:deliveryId/retry`, {
      summary: "Retry webhook delivery",
      description:
        "Attempts a pending delivery now, whenever its next attempt is due and whatever it waits for. `STATE_NOT_REACHABLE`: it has ended, or is being attempted; use Redeliver a webhook to send it again.",
      data: delivery,
      scope: "webhook:write",
      refusals,
      answer: async ({ change }, { notifierSandbox }) =>
        (await notifierSandbox.retryDeliveryNow(change)).delivery,
    }),
    post("lapseWebhookDelivery", `${path}/webhooks/deliveries/:deliveryId/lapse`, {
      summary: "Lapse webhook delivery",
      description:
        "Lets the 24 hours of a delivery pass that your endpoint has not acknowledged: it is `exhausted` within a second, and can be redelivered or replayed. `STATE_NOT_REACHABLE`: it has ended, or was not attempted yet.",
      data: delivery,
      scope: "webhook:write",
      refusals,
      answer: async ({ change }, { notifierSandbox }) =>
        (await notifierSandbox.lapseDelivery(change)).delivery,
    }),
    post("sendWebhookEvent", `${path}/webhooks/endpoints/:endpointId/events`, {
      summary: "Send webhook event",
      description:
        "Sends an event of any type to one endpoint, whatever it subscribes to: the type's example of this reference, with the fields that you choose. It is signed as every event. Its delivery has `test` set; the event feed does not have it, and no event of yours waits for it.",
      body: { form: sendWebhookEvent },
      data: delivery,
      scope: "webhook:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { notifierSandbox }) => {
        const request = bodyRequest(call, SendSandboxEventRequestSchema);
        const exampleJson = exampleData(request.transactionType) ?? "{}";
        return (await notifierSandbox.sendSandboxEvent({ ...request, exampleJson })).delivery;
      },
    }),
  ],
};
