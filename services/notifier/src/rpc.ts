import type { ServiceImpl } from "@connectrpc/connect";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { deliveryActivityRpc } from "./deliveries/activity.ts";
import { deliveryRpc } from "./deliveries/rpc.ts";
import { endpointRpc, secretRpc } from "./endpoints/rpc.ts";
import { endpointStateRpc } from "./endpoints/state-rpc.ts";
import { guardedEvents } from "./events/rpc.ts";
import { mailRpc } from "./mails/rpc.ts";
import { replayRpc } from "./replays/rpc.ts";

type RpcDeps = Parameters<typeof endpointRpc>[0] &
  Parameters<typeof endpointStateRpc>[0] &
  Parameters<typeof secretRpc>[0] &
  Parameters<typeof deliveryRpc>[0] &
  Parameters<typeof deliveryActivityRpc>[0] &
  Parameters<typeof replayRpc>[0] &
  Parameters<typeof mailRpc>[0] &
  Parameters<typeof guardedEvents>[0] & {
    readonly approvals?: Parameters<typeof guardedEvents>[1];
  };

/** The contract of these RPCs is in proto/disburse/notifier/v1. */
export function notifierRpc(deps: RpcDeps): ServiceImpl<typeof NotifierService> {
  return {
    ...endpointRpc(deps),
    ...endpointStateRpc(deps),
    ...secretRpc(deps),
    ...deliveryRpc(deps),
    ...deliveryActivityRpc(deps),
    ...replayRpc(deps),
    ...mailRpc(deps),
    ...guardedEvents(deps, deps.approvals),
  };
}
