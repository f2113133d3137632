import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { ChangeResult, EndpointCommand } from "./changes.ts";
import type { EndpointOperation } from "./rules/endpoint.ts";
import { asOf } from "./rules/revision.ts";
import { endpointMessage } from "./wire.ts";

/** What every change of an endpoint is asked with. */
export type CommandMessage = {
  readonly mutation?: Mutation | undefined;
  readonly merchantId: string;
};

/** The operation that a call asks for; throws where it has no id or no actor. */
export function commandOf(
  message: CommandMessage,
  kind: EndpointOperation["kind"],
  clock: Clock,
): EndpointCommand {
  const { operationId, actor } = readMutation(message.mutation);
  const operation = { id: operationId, kind, actor, at: clock.now() };
  return { merchantId: message.merchantId, operation };
}

/** What a change answers, the first time and every time after. */
export function shown({ endpoint, operation }: ChangeResult) {
  return { endpoint: endpointMessage(asOf(endpoint, operation)) };
}
