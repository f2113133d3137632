import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type PayoutSandboxService,
  RailSilence,
  SetRailSilenceRequestSchema,
  SetScenarioRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { setRailSilence, setScenario } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Payouts } from "../payouts/document.ts";
import { callForWork } from "../payouts/work.ts";
import type { SandboxScenarios, Silence } from "../rails/sandbox/scenario-store.ts";

type ScenarioDeps = {
  readonly scenarios: SandboxScenarios;
  readonly payouts: Payouts;
  readonly clock: Clock;
  /** Wakes the worker, because a payout is due. */
  readonly wake: () => void;
};

const silenceSecondsDefault = 3_600;
/**
 * The maximum number of waiting payouts that are made due at once. Others continue by themselves
 * within half a minute.
 */
const wokenMax = 1_000;

/** Creates the RPCs with which a sandbox merchant sets how rails treat its payouts. */
export function scenarioRpc({ scenarios, payouts, clock, wake }: ScenarioDeps) {
  return {
    setRailSilence: async (message) => {
      readMutation(message.mutation);
      const now = clock.now();
      const schema = SetRailSilenceRequestSchema;
      const context = { now, unreadable: message.unreadable };
      const request = orThrow(checkedMessage(setRailSilence, schema, message, context));
      const kind = request.kind as Silence;
      const seconds = request.seconds ?? silenceSecondsDefault;
      const until = new Date(now.getTime() + seconds * 1_000);
      await scenarios.setSilence(request.merchantId, { kind, until });
      return { kind: enumValue(RailSilence, kind), until: timestampFromDate(until) };
    },

    endRailSilence: async ({ mutation, merchantId }) => {
      readMutation(mutation);
      await scenarios.setSilence(merchantId, undefined);
      const now = clock.now();
      const waiting = payouts
        .find({ merchant_id: merchantId, status: "initiated", "progress.stage": { $in: waits } })
        .project<{ _id: string }>({ _id: 1 })
        .limit(wokenMax);
      const ids = (await waiting.toArray()).map(({ _id }) => _id);
      await callForWork(payouts, ids, now);
      wake();
      return { endedAt: timestampFromDate(now) };
    },

    setScenario: async (message) => {
      readMutation(message.mutation);
      const context = { now: clock.now(), unreadable: message.unreadable };
      const schema = SetScenarioRequestSchema;
      const request = orThrow(checkedMessage(setScenario, schema, message, context));
      const { merchantId, seed = 0, maxDelayMs } = request;
      const { failPercent = 0, returnPercent = 0, doubtPercent: unknownPercent = 0 } = request;
      if (failPercent + returnPercent + unknownPercent > 100) {
        orThrow(
          refused("INVALID_REQUEST", "fail_percent: all percentages together must be at most 100"),
        );
      }
      const shares = { failPercent, returnPercent };
      const delay = maxDelayMs === undefined ? {} : { maxDelayMs };
      await scenarios.setScenario(merchantId, { seed, ...shares, unknownPercent, ...delay });
      return { seed, ...shares, doubtPercent: unknownPercent, ...delay };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutSandboxService>>;
}

/** The stages in which a payout waits for a rail. */
const waits = ["queued", "awaiting_funds", "submitting", "unknown"] as const;
