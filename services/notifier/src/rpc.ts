import type { ServiceImpl } from "@connectrpc/connect";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type DeliveryDeps, deliveryRpc } from "./deliveries/rpc.ts";
import { type EndpointDeps, endpointRpc, secretRpc } from "./endpoints/rpc.ts";
import { type EndpointStateDeps, endpointStateRpc } from "./endpoints/state-rpc.ts";
import { type EventDeps, eventRpc, type FeedDeps, feedRpc } from "./events/rpc.ts";
import { type ReplayDeps, replayRpc } from "./replays/rpc.ts";

/** The RPCs of the notifier; proto/disburse/notifier/v1/notifier.proto tells what each promises. */
export function notifierRpc(
  deps: EndpointDeps & EndpointStateDeps & DeliveryDeps & ReplayDeps & EventDeps & FeedDeps,
): ServiceImpl<typeof NotifierService> {
  return {
    ...endpointRpc(deps),
    ...endpointStateRpc(deps),
    ...secretRpc(deps),
    ...deliveryRpc(deps),
    ...replayRpc(deps),
    ...eventRpc(deps),
    ...feedRpc(deps),
  };
}
