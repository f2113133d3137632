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

/** The longest that a call takes; an import has a limit of its own. */
const timeoutMs = 30_000;

/** What `operation_id` of the contract takes. */
const operationIdPattern = /^[\x21-\x7e]{1,100}$/;

/** The calls of one run of a command. */
export type Calls = ReturnType<typeof createCalls>;

/** Calls the services of a target as a person, all changes under one operation id. */
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
    /** The transport to a service, as the person. */
    transport,
    /** Calls a service, by default the one that the contract names. */
    call: async <Method extends DescMethodUnary>(
      method: Method,
      input: MessageInitShape<Method["input"]>,
      service: ServiceName = serviceOf(method),
    ): Promise<MessageShape<Method["output"]>> => {
      const { unary } = transport(service);
      const { message } = await unary(method, undefined, timeoutMs, undefined, input);
      return message as MessageShape<Method["output"]>;
    },
    /** The `mutation` of a request; `step` tells the changes of one command apart. */
    mutation: (step?: string): JsonObject => ({
      operation_id: step === undefined ? operationId : `${operationId}:${step}`,
      // Services take who it is from the token.
      actor: { kind: "KIND_OPERATOR", id: String(claimsOf(identity.peek()).sub ?? "cli") },
    }),
  };
}

/** `payout` of `disburse.payout.v1.PayoutService`. */
function serviceOf({ parent }: DescMethodUnary): ServiceName {
  const name = parent.typeName.split(".")[1];
  const found = serviceNames.find((each) => each === name);
  if (found === undefined) throw new Error(`${parent.typeName} is served by several services`);
  return found;
}
