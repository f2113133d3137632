import { isDeepStrictEqual } from "node:util";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { EndpointOperation, EndpointRecord, EndpointSettings, SealedKey } from "./endpoint.ts";
import { namedKeys, type SecretSet } from "./secret-set.ts";

const dayMs = 86_400_000;

/** Idempotency keys live 30 days (decisions, wire conventions): until then a repeat is answered. */
export const repeatMs = 30 * dayMs;

/** A merchant may pause for each of many deployments; no client retries after a day. */
const settingsRepeatMs = dayMs;
/** What changes settings and makes no secrets. */
const settingsKinds: ReadonlySet<EndpointOperation["kind"]> = new Set([
  ...(["update", "verify", "approve", "pause", "resume"] as const),
]);

/** More rotations in 30 days are a client's mistake. */
export const operationsMax = 100;
/** The rest is for secrets: no script that updates without end keeps a leaked one in use. */
export const settingsOperationsMax = 80;

/** An endpoint is read for every batch of its events, so it stays under 100 KiB. */
const historyBytesMax = 64 * 1_024;
const settingsBytesMax = 56 * 1_024;

/** What an operation changes of an endpoint. */
export type EndpointChange = {
  readonly operation: EndpointOperation;
  readonly settings?: Partial<EndpointSettings>;
  readonly signing?: SecretSet;
  readonly newKey?: SealedKey;
  readonly isDeleted?: boolean;
};

/**
 * The endpoint's next revision. Operations past their repeat time give way to new ones, with keys
 * that neither sign nor belong to a repeatable operation. A paused endpoint can always be
 * resumed, any endpoint deleted, and one that takes nothing paused. What changes no setting leaves
 * the endpoint as it is: a repeat of it is asked of the endpoint as that is then.
 */
export function revised(
  endpoint: EndpointRecord,
  change: EndpointChange,
): EndpointRecord | Refused<"INVALID_REQUEST"> {
  const { signing = endpoint.signing, settings = {}, newKey, isDeleted = false } = change;
  const { at, kind } = change.operation;
  const before = replaced(endpoint, settings);
  if (settingsKinds.has(kind) && before === undefined) return endpoint;
  const operation = { ...change.operation, ...(before === undefined ? {} : { before }) };
  const { actor } = change.operation;
  const isOwed =
    isDeleted ||
    (kind === "resume" && endpoint.pausedAt !== undefined) ||
    (kind === "pause" && actor.kind === "service");
  const operations = historyWith(endpoint.operations, operation, isOwed);
  if (isRefused(operations)) return operations;
  const needed = new Set([...namedKeys(signing), ...operations.map(({ keyId }) => keyId)]);
  const keys = newKey === undefined ? endpoint.keys : [...endpoint.keys, newKey];
  return {
    ...endpoint,
    ...settings,
    signing,
    operations,
    keys: keys.filter((key) => needed.has(key.id)),
    updatedAt: at,
    place: isDeleted ? undefined : endpoint.place,
    deletedAt: isDeleted ? at : undefined,
    revision: endpoint.revision + 1,
  };
}

/** The endpoint as an operation left it; one that its history lacks has just changed nothing. */
export function asOf(endpoint: EndpointRecord, operation: EndpointOperation): EndpointRecord {
  const { operations } = endpoint;
  const at = operations.findIndex(({ id }) => id === operation.id);
  if (at === -1) return endpoint;
  const later = operations.slice(at + 1);
  const undone = later.toReversed().map(({ before }) => before);
  return Object.assign({}, endpoint, { updatedAt: operation.at }, ...undone);
}

/** The settings that are about to be replaced by others, for the history. */
function replaced(
  endpoint: EndpointSettings,
  settings: Partial<EndpointSettings>,
): Partial<EndpointSettings> | undefined {
  const names = (Object.keys(settings) as (keyof EndpointSettings)[]).filter(
    (name) => !isDeepStrictEqual(settings[name], endpoint[name]),
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, endpoint[name]]));
}

function historyWith(
  history: readonly EndpointOperation[],
  operation: EndpointOperation,
  isOwed: boolean,
): readonly EndpointOperation[] | Refused<"INVALID_REQUEST"> {
  const longer = [...history, operation];
  if (!isOverfull(longer, operation)) return longer;
  const remembered = withoutForgotten(longer, operation.at);
  if (!isOwed && isOverfull(remembered, operation)) {
    const span = settingsKinds.has(operation.kind) ? "a day" : "30 days";
    return refused("INVALID_REQUEST", `The endpoint was changed too often in ${span}.`);
  }
  return remembered;
}

function isOverfull(
  history: readonly EndpointOperation[],
  { kind }: Pick<EndpointOperation, "kind">,
): boolean {
  const [placesMax, bytesMax] = settingsKinds.has(kind)
    ? [settingsOperationsMax, settingsBytesMax]
    : [operationsMax, historyBytesMax];
  return history.length > placesMax || JSON.stringify(history).length > bytesMax;
}

/** What a forgotten operation replaced is handed to the next one, which then takes back both. */
function withoutForgotten(history: readonly EndpointOperation[], now: Date): EndpointOperation[] {
  const kept: EndpointOperation[] = [];
  let forgotten: Partial<EndpointSettings> = {};
  for (const each of history) {
    const ageMs = now.getTime() - each.at.getTime();
    const before = { ...each.before, ...forgotten };
    const isKept = ageMs < (settingsKinds.has(each.kind) ? settingsRepeatMs : repeatMs);
    if (isKept) kept.push({ ...each, before });
    forgotten = isKept ? {} : before;
  }
  return kept;
}
