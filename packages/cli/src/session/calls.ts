import type {
  DescMethodUnary,
  JsonObject,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { usageError } from "../output/failure.ts";
import type { World } from "../table/world.ts";
import { claimsOf, type Identity } from "./identity.ts";
import { type ServiceName, serviceNames, type Target, urlsOf } from "./target.ts";
import { readTls } from "./tls.ts";

/** Deadline of one call; list imports have their own. */
const timeoutMs = 30_000;

/** The format of `operation_id` in the contract. */
const operationIdPattern = /^[\x21-\x7e]{1,100}$/;

export type Calls = ReturnType<typeof createCalls>;

/** Creates the calls of one run. All changes of the run share one operation id. */
export function createCalls(
  world: World,
  target: Target,
  identity: Identity,
  givenOperationId?: string,
) {
  if (givenOperationId !== undefined && !operationIdPattern.test(givenOperationId)) {
    throw usageError("--operation-id: must be 1 to 100 printable characters without spaces");
  }
  const operationId = givenOperationId ?? `cli-${crypto.randomUUID()}`;
  const transports = new Map<string, Transport>();
  const transport = (service: ServiceName): Transport => {
    const [url] = urlsOf(target, service);
    const known = transports.get(url);
    if (known !== undefined) return known;
    const tls = readTls(target.tls, service);
    const opened = world.connect(url, { token: identity.token, tls });
    transports.set(url, opened);
    return opened;
  };
  return {
    operationId,
    /** Returns a transport that authenticates as the person. */
    transport,
    /** Calls an RPC on its own service, unless another service is given. */
    call: async <Method extends DescMethodUnary>(
      method: Method,
      input: MessageInitShape<Method["input"]>,
      service: ServiceName = serviceOf(method),
    ): Promise<MessageShape<Method["output"]>> => {
      const { unary } = transport(service);
      const { message } = await unary(method, undefined, timeoutMs, undefined, input);
      return message as MessageShape<Method["output"]>;
    },
    /**
     * Returns the `mutation` of a request. If a command makes several changes, `step` distinguishes
     * them.
     */
    mutation: (step?: string): JsonObject => ({
      operation_id: step === undefined ? operationId : `${operationId}:${step}`,
      // Services read the actor from the token and ignore this field.
      actor: { kind: "KIND_OPERATOR", id: String(claimsOf(identity.peek()).sub ?? "cli") },
    }),
  };
}

/** Returns `payout` for `disburse.payout.v1.PayoutService`. */
function serviceOf({ parent }: DescMethodUnary): ServiceName {
  const name = parent.typeName.split(".")[1];
  const found = serviceNames.find((each) => each === name);
  if (found === undefined)
    throw new Error(`${parent.typeName} does not belong to exactly one service`);
  return found;
}
