import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { EndpointOperation, EndpointRecord } from "./endpoint.ts";
import {
  asOf,
  configurationChangesMax,
  type EndpointChange,
  operationsMax,
  repeatMs,
  revised,
} from "./revision.ts";

const start = new Date("2026-11-20T00:00:00.000Z");
const after = (ms: number): Date => new Date(start.getTime() + ms);
const operation = (id: string, at = start, keyId?: string): EndpointOperation => ({
  id,
  kind: keyId === undefined ? "activate" : "rotate",
  keyId,
  actor: { kind: "api_key", id: "k" },
  at,
});
const key = (id: string, madeAt = start) => ({ id, secret: "s", standardSecret: "t", madeAt });
const created: EndpointRecord = {
  id: "whe_1",
  merchantId: "mer_1",
  url: "https://hooks.example.com/",
  description: "",
  order: "bounded",
  eventTypes: ["*"],
  verifiedAt: start,
  createdAt: start,
  createdBy: { kind: "api_key", id: "key_1" },
  updatedAt: start,
  revision: 1,
  signing: { current: "k1" },
  keys: [key("k1")],
  operations: [operation("create", start, "k1")],
};
const full: EndpointRecord = {
  ...created,
  operations: Array.from({ length: operationsMax }, (_none, at) => operation(`o${at}`)),
};
function next(from: EndpointRecord, change: EndpointChange): EndpointRecord {
  const revision = revised(from, change);
  if (isRefused(revision)) throw new Error(revision.detail);
  return revision;
}

describe("a revision", () => {
  it("keeps keys that sign or that a repeat needs, drops them with their operation", () => {
    const rotated = next(created, {
      operation: operation("r", after(1), "k2"),
      signing: { current: "k2" },
      newKey: key("k2"),
    });
    expect(rotated.keys.map(({ id }) => id)).toEqual(["k1", "k2"]);
    expect(rotated).toMatchObject({ revision: 2, updatedAt: after(1), deletedAt: undefined });
    const old = { ...rotated, operations: [...rotated.operations, ...full.operations] };
    const later = next(old, { operation: operation("late", after(repeatMs + 1)) });
    expect(later.keys.map(({ id }) => id)).toEqual(["k2"]);
    expect(later.operations.map(({ id }) => id)).toEqual(["late"]);
  });

  it("drops no operation below the limits", () => {
    const later = next(created, { operation: operation("late", after(repeatMs + 1)) });
    expect(later.operations).toEqual([
      ...created.operations,
      operation("late", after(repeatMs + 1)),
    ]);
    expect(later.keys).toEqual(created.keys);
  });

  it("keeps its endpoint's place until that is deleted", () => {
    const placed = { ...created, place: 3 };
    expect(next(placed, { operation: operation("a", after(1)) })).toEqual({
      ...{ ...placed, revision: 2, updatedAt: after(1), deletedAt: undefined },
      operations: [...created.operations, operation("a", after(1))],
    });
    expect(next(placed, { operation: operation("d", after(1)), isDeleted: true })).toMatchObject({
      ...{ place: undefined, deletedAt: after(1) },
    });
  });

  it.each([
    ["refuses one change too many within 30 days", after(repeatMs - 1), {}, true],
    ["forgets those that are older", after(repeatMs), {}, false],
    ["can always be deleted", after(1), { isDeleted: true }, false],
  ])("%s", (_name, at, change, isRefusal) => {
    const revision = revised(full, { operation: operation("one more", at), ...change });
    expect(isRefused(revision)).toBe(isRefusal);
  });

  it.each([
    ["pause", {}, { pausedAt: after(2) }, true],
    ["update", {}, { description: "new" }, true],
    ["resume", { pausedAt: after(1) }, { pausedAt: undefined }, false],
  ] as const)(
    "of a full history: %s of one with %j to %j is refused: %s",
    (kind, marks, configuration, isRefusal) => {
      const revision = revised(
        { ...full, ...marks },
        { operation: { ...operation("one more", after(2)), kind }, configuration },
      );
      expect(isRefused(revision)).toBe(isRefusal);
    },
  );

  const update = (id: string, description: string, at = after(1)): EndpointChange => ({
    operation: { ...operation(id, at), kind: "update" },
    configuration: { description },
  });
  const rotation = (id: string): EndpointChange => ({
    operation: operation(id, after(1), id),
    signing: { current: id },
    newKey: key(id),
  });

  it("reserves space for secrets when the configuration was changed too often in a day", () => {
    let busy = created;
    for (let at = 1; at < configurationChangesMax; at += 1) {
      busy = next(busy, update(`u${at}`, `${at}`));
    }
    const tooOften = (span: string) => ({
      ...{
        refused: "INVALID_REQUEST",
        detail: `The endpoint was changed too often within ${span}. Try again later.`,
      },
    });
    expect(revised(busy, update("one more", "more"))).toEqual(tooOften("a day"));
    for (let at = configurationChangesMax; at < operationsMax; at += 1) {
      busy = next(busy, rotation(`r${at}`));
    }
    expect(revised(busy, rotation("one more"))).toEqual(tooOften("30 days"));
    expect(isRefused(revised(busy, update("late", "late", after(86_400_001))))).toBe(false);
  });

  it("refuses a configuration too long for the history, and reserves space for secrets", () => {
    const eventTypes = (at: number) => Array.from({ length: 50 }, () => `${at}`.padEnd(60, "s"));
    let long = created;
    for (let at = 0; at < 50; at += 1) {
      const { operation: subscribing } = update(`${at}`, "");
      const revision = revised(long, {
        operation: subscribing,
        configuration: { eventTypes: eventTypes(at) },
      });
      if (!isRefused(revision)) long = revision;
    }
    for (let at = long.operations.length; at < configurationChangesMax; at += 1) {
      const revision = revised(long, update(`u${at}`, `${at}`));
      if (!isRefused(revision)) long = revision;
    }
    expect(long.operations.length).toBeLessThan(configurationChangesMax);
    for (let at = 0; at < 20; at += 1) long = next(long, rotation(`r${at}`));
    expect(isRefused(revised(long, { operation: operation("d"), isDeleted: true }))).toBe(false);
  });

  it("stores 56 KiB of configuration, and no byte more", () => {
    const described = (length: number) => ({ ...created, description: "d".repeat(length) });
    const { operations } = next(described(0), update("u", "new"));
    const bytesLeft = 56 * 1_024 - JSON.stringify(operations).length;
    expect(isRefused(revised(described(bytesLeft), update("u", "new")))).toBe(false);
    expect(isRefused(revised(described(bytesLeft + 1), update("u", "new")))).toBe(true);
  });

  it.each<[EndpointOperation["kind"], EndpointChange["configuration"]]>([
    ["update", { description: "", order: "bounded", eventTypes: ["*"], pendingUrl: undefined }],
    ["update", { verifiedAt: new Date(start) }],
    ["verify", {}],
    ["approve", undefined],
    ["pause", {}],
    ["resume", {}],
  ])("is not created when %s of %j changes nothing", (kind, configuration = {}) => {
    const change = { operation: { ...operation("idle", after(1)), kind }, configuration };
    expect(revised(created, change)).toBe(created);
    expect(revised(full, change)).toBe(full);
    expect(asOf(created, change.operation)).toEqual(created);
  });
});

describe("an operation's result", () => {
  const settle = (
    id: string,
    configuration: EndpointChange["configuration"],
    ms: number,
    kind = "update",
  ) => ({
    operation: { ...operation(id, after(ms)), kind: kind as EndpointOperation["kind"] },
    ...(configuration === undefined ? {} : { configuration }),
  });
  const url = "https://new.example.com/";
  const changes = [
    settle("a", { url, description: "new" }, 1),
    settle("b", { pausedAt: after(2) }, 2, "pause"),
    settle("c", undefined, 3, "activate"),
    settle("d", { pausedAt: undefined }, 4, "resume"),
    settle("e", { description: "newer", order: "strict" }, 5),
  ];
  const history = changes.reduce<EndpointRecord[]>(
    (done, change) => done.concat(next(done.at(-1) ?? created, change)),
    [],
  );
  const configuration = ({ url, description, order, pausedAt, updatedAt }: EndpointRecord) => ({
    ...{ url, description, order, pausedAt, updatedAt },
  });

  it("is returned as it was, despite later changes", () => {
    const last = history.at(-1)!;
    for (const [at, then] of history.entries()) {
      expect(configuration(asOf(last, changes[at]!.operation))).toEqual(configuration(then));
    }
    expect(configuration(asOf(last, created.operations[0]!))).toEqual(configuration(created));
  });

  it("is still returned after changes of the configuration in between are dropped", () => {
    const now = after(5 + 86_400_000);
    const more = full.operations.slice(0, operationsMax - 6).map((each) => ({ ...each, at: now }));
    const crowded = { ...history.at(-1)!, operations: [...history.at(-1)!.operations, ...more] };
    const revision = next(crowded, {
      operation: operation("z", now),
      configuration: { order: "none" },
    });
    const kept = revision.operations.map(({ id }) => id).filter((id) => !id.startsWith("o"));
    expect(kept).toEqual(["create", "c", "z"]);
    expect(configuration(asOf(revision, changes[2]!.operation))).toEqual(
      configuration(history[2]!),
    );
    expect(configuration(asOf(revision, created.operations[0]!))).toEqual(configuration(created));
  });
});
