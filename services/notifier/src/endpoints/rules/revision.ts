import { isDeepStrictEqual } from "node:util";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type {
  EndpointConfiguration,
  EndpointOperation,
  EndpointRecord,
  SealedHeaders,
  SealedKey,
} from "./endpoint.ts";
import { namedKeys, type SecretSet } from "./secret-set.ts";

const dayMs = 86_400_000;

/**
 * A repeated operation gets its first result for this time. Idempotency keys are kept for the same
 * 30 days (decisions, wire conventions).
 */
export const repeatMs = 30 * dayMs;

/**
 * The same for changes of the configuration. It is shorter, because a merchant may pause an
 * endpoint for each of many deployments. No client retries after a day.
 */
const configurationRepeatMs = dayMs;
/** Kinds of operations that change the configuration and create no secrets. */
const configurationKinds: ReadonlySet<EndpointOperation["kind"]> = new Set([
  ...(["update", "verify", "approve", "pause", "resume"] as const),
]);

/**
 * Maximum operations in the history. More than this many rotations in 30 days indicate a mistake in
 * a client.
 */
export const operationsMax = 100;
/**
 * Maximum operations in the history before a change of the configuration is refused. The rest is
 * reserved for secrets, so that a leaked secret can always be replaced.
 */
export const configurationChangesMax = 80;

/**
 * Maximum size of the history. It keeps an endpoint under 100 KiB, because the endpoint is read for
 * every batch of its events.
 */
const historyBytesMax = 64 * 1_024;
const configurationBytesMax = 56 * 1_024;

export type EndpointChange = {
  readonly operation: EndpointOperation;
  readonly configuration?: Partial<EndpointConfiguration>;
  readonly signing?: SecretSet;
  readonly newKey?: SealedKey;
  readonly headers?: SealedHeaders | undefined;
  readonly isDeleted?: boolean;
};

/**
 * Returns the next revision of an endpoint. To make room, it removes expired operations. It also
 * removes keys that neither sign nor belong to an operation that can be repeated. Resuming or
 * deleting an endpoint, and pausing an unresponsive one, always succeed. An operation that changes
 * no field returns the endpoint unchanged and is not stored. A repeat of such an operation
 * therefore runs again.
 */
export function revised(
  endpoint: EndpointRecord,
  change: EndpointChange,
): EndpointRecord | Refused<"INVALID_REQUEST"> {
  const { signing = endpoint.signing, headers, newKey, isDeleted = false } = change;
  const named = headers && { headerNames: headers.headerNames };
  const configuration = { ...change.configuration, ...named };
  const { at, kind } = change.operation;
  const before = replaced(endpoint, configuration);
  const isUnchanged = before === undefined && headers === undefined;
  if (configurationKinds.has(kind) && isUnchanged) return endpoint;
  const operation = { ...change.operation, ...(before === undefined ? {} : { before }) };
  const { actor } = change.operation;
  const isGuaranteed =
    isDeleted ||
    (kind === "resume" && endpoint.pausedAt !== undefined) ||
    (kind === "pause" && actor.kind === "service");
  const operations = historyWith(endpoint.operations, operation, isGuaranteed);
  if (isRefused(operations)) return operations;
  const needed = new Set([...namedKeys(signing), ...operations.map(({ keyId }) => keyId)]);
  const keys = newKey === undefined ? endpoint.keys : [...endpoint.keys, newKey];
  return {
    ...endpoint,
    ...configuration,
    signing,
    operations,
    keys: keys.filter((key) => needed.has(key.id)),
    sealedHeaders: isDeleted ? undefined : (headers ?? endpoint).sealedHeaders,
    updatedAt: at,
    place: isDeleted ? undefined : endpoint.place,
    deletedAt: isDeleted ? at : undefined,
    revision: endpoint.revision + 1,
  };
}

/**
 * Returns the endpoint in its state after an operation. If the history doesn't contain the
 * operation, the operation changed nothing.
 */
export function asOf(endpoint: EndpointRecord, operation: EndpointOperation): EndpointRecord {
  const { operations } = endpoint;
  const at = operations.findIndex(({ id }) => id === operation.id);
  if (at === -1) return endpoint;
  const later = operations.slice(at + 1);
  const undone = later.toReversed().map(({ before }) => before);
  return Object.assign({}, endpoint, { updatedAt: operation.at }, ...undone);
}

/** Returns the present values of the fields that will change. The history stores them. */
function replaced(
  endpoint: EndpointConfiguration,
  configuration: Partial<EndpointConfiguration>,
): Partial<EndpointConfiguration> | undefined {
  const names = (Object.keys(configuration) as (keyof EndpointConfiguration)[]).filter(
    (name) => !isDeepStrictEqual(configuration[name], endpoint[name]),
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, endpoint[name]]));
}

function historyWith(
  history: readonly EndpointOperation[],
  operation: EndpointOperation,
  isGuaranteed: boolean,
): readonly EndpointOperation[] | Refused<"INVALID_REQUEST"> {
  const longer = [...history, operation];
  if (!isOverfull(longer, operation)) return longer;
  const remembered = withoutForgotten(longer, operation.at);
  if (!isGuaranteed && isOverfull(remembered, operation)) {
    const span = configurationKinds.has(operation.kind) ? "a day" : "30 days";
    return refused(
      "INVALID_REQUEST",
      `The endpoint was changed too often within ${span}. Try again later.`,
    );
  }
  return remembered;
}

function isOverfull(
  history: readonly EndpointOperation[],
  { kind }: Pick<EndpointOperation, "kind">,
): boolean {
  const [placesMax, bytesMax] = configurationKinds.has(kind)
    ? [configurationChangesMax, configurationBytesMax]
    : [operationsMax, historyBytesMax];
  return history.length > placesMax || JSON.stringify(history).length > bytesMax;
}

/**
 * Removes expired operations. The next operation takes over the previous values of a removed one,
 * so that reverting it reverts both.
 */
function withoutForgotten(history: readonly EndpointOperation[], now: Date): EndpointOperation[] {
  const kept: EndpointOperation[] = [];
  let forgotten: Partial<EndpointConfiguration> = {};
  for (const each of history) {
    const ageMs = now.getTime() - each.at.getTime();
    const before = { ...each.before, ...forgotten };
    const isKept = ageMs < (configurationKinds.has(each.kind) ? configurationRepeatMs : repeatMs);
    if (isKept) kept.push({ ...each, before });
    forgotten = isKept ? {} : before;
  }
  return kept;
}
