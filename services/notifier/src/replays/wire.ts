import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Replay,
  ReplaySchema,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { deliveryStates } from "../deliveries/wire.ts";
import type { ReplayTransition } from "./rules/replay.ts";
import type { ReplayDocument } from "./store.ts";

const states = {
  running: ReplayState.RUNNING,
  done: ReplayState.DONE,
  cancelled: ReplayState.CANCELLED,
} as const satisfies Record<ReplayTransition["state"], ReplayState>;

export function replayMessage(replay: ReplayDocument): Replay {
  return create(ReplaySchema, {
    id: replay._id,
    merchantId: replay.merchant_id,
    endpointId: replay.endpoint_id,
    since: timestampFromDate(replay.since),
    until: timestampFromDate(replay.until),
    states: replay.states.map((state) => deliveryStates[state]),
    ratePerSecond: replay.rate,
    state: states[replay.state],
    totalCount: BigInt(replay.total),
    totalCountCapped: replay.total_capped,
    queuedCount: BigInt(replay.queued_count),
    createdAt: timestampFromDate(replay.created_at),
    updatedAt: timestampFromDate(replay.updated_at),
  });
}
