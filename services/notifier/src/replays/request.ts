import type { CreateReplayRequest } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  createReplay,
  replayableStates,
  replayRateDefault,
} from "@disburse/forms/bodies/webhooks.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import { checkedBody, type InvalidRequest, textOf } from "../endpoints/request-body.ts";
import type { ReplayRequest } from "./rules/replay.ts";

/** A replay as it is asked for, its fields checked by their form. */
export function readReplayRequest(
  message: CreateReplayRequest,
  now: Date,
): ReplayRequest | InvalidRequest {
  const { endpointId, since, until, states, ratePerSecond, unreadable } = message;
  const body = {
    ...{ endpoint_id: endpointId, since, until, states },
    ...(ratePerSecond === 0 ? {} : { rate: ratePerSecond }),
  };
  const checked = checkedBody(createReplay, body, unreadable, now);
  if (isRefused(checked)) return checked;
  const { values } = checked;
  const from = parseMoment(textOf(values, "since"));
  if (from === undefined) throw new Error("a sound replay has a since");
  return {
    endpointId: textOf(values, "endpoint_id"),
    since: from,
    until: parseMoment(textOf(values, "until")),
    states: readStates(values.states),
    rate: ratePerSecond === 0 ? replayRateDefault : ratePerSecond,
  };
}

/** Those that gave up, unless others are asked for. */
function readStates(words: unknown): ReplayRequest["states"] {
  if (!Array.isArray(words)) return ["exhausted"];
  return replayableStates.filter((state) => words.includes(state));
}
