const notifier = "services/notifier/src";
const deliveries = `${notifier}/deliveries`;

/** Those of the notifier, among the equivalent mutants. */
export const notifierEquivalents: readonly Readonly<
  Record<"path" | "line" | "operator" | "why", string>
>[] = [
  {
    path: `${notifier}/replays/rules/replay.ts`,
    line: "const until = asked.until === undefined || asked.until > now ? now : asked.until;",
    operator: "> becomes >=",
    why: "two equal times",
  },
  ...[
    ["endpoints/health-store.ts", ".sort({ last_failed_at: -1 })", "last_failed_at"],
    ["deliveries/dispatch/work-store.ts", ".sort({ due_at: 1 })", "due_at"],
    ["deliveries/order/store.ts", ".sort({ recheck_at: 1 })", "recheck_at"],
    ["events/feed-store.ts", ".sort({ position: 1 })", "position"],
    ["reconciliation/store.ts", ".sort({ expires_at: 1 })", "expires_at"],
    ["replays/store.ts", '{ sort: { due_at: 1 }, returnDocument: "after" },', "due_at"],
    ["replays/store.ts", '{ sort: { due_at: 1 }, returnDocument: "after" },', "sort"],
  ].map(([path, line = "", field]) => ({
    path: `${notifier}/${path}`,
    line,
    operator: `drop ${field}`,
    why: "the index that serves the filter has this order",
  })),
  {
    path: `${deliveries}/store.ts`,
    line: "for (let page = 0; page < cancelPages; page += 1) {",
    operator: "< becomes <=",
    why: "it bounds the work of one call; workers cancel the rest",
  },
  {
    path: `${deliveries}/order/store.ts`,
    line: "if (held.length === 0) return made;",
    operator: "drop a guard",
    why: "none that is not held changes, after reads that were spared",
  },
  {
    path: `${deliveries}/order/store.ts`,
    line: "if (!delivery.held) return delivery;",
    operator: "drop a guard",
    why: "an event's first delivery that is not held is as one that no longer waits",
  },
  ...[
    '.find({ held: true }, { projection: { _id: 0, line: 1 }, hint: "held" })',
    "{ line: { $in: [...lines] }, held: true },",
  ].map((line) => ({
    path: `${deliveries}/order/store.ts`,
    line,
    operator: "drop held",
    why: "the index that is named has no others",
  })),
  {
    path: `${deliveries}/dispatch/work-store.ts`,
    line: "{ limit: countMax },",
    operator: "drop limit",
    why: "it bounds the cost of a gauge, far above what one shows",
  },
  {
    path: `${deliveries}/dispatch/work-store.ts`,
    line: "const leased = {",
    operator: "drop endpoint_id",
    why: "it names every endpoint that has a pending delivery, so that an index is used",
  },
  {
    path: `${notifier}/endpoints/store.ts`,
    line: "const before = { _id, merchant_id, revision: revision - 1 };",
    operator: "drop merchant_id",
    why: "what is changed was read by its merchant, and the revision says that it is the same",
  },
  {
    path: `${notifier}/replays/store.ts`,
    line: 'const left = { state: "running", due_at: { $gt: now }, "lease.place": place } as const;',
    operator: "drop due_at",
    why: "a replay that is due stays due",
  },
  {
    path: `${deliveries}/rules/fairness.ts`,
    line: "const sorted = due.toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1));",
    operator: "< becomes <=",
    why: "no two have one id",
  },
  {
    path: `${deliveries}/rules/order.ts`,
    line: "return givesUp !== undefined && givesUp > now && givesUp < next ? givesUp : next;",
    operator: "< becomes <=",
    why: "two equal times",
  },
  ...["drop line", "drop sequence"].map((operator) => ({
    path: `${deliveries}/redelivery-store.ts`,
    line: '{ $match: { line: among("line"), sequence: among("sequence") } },',
    operator,
    why: "the numbers of more events are found, and not looked at",
  })),
  {
    path: `${deliveries}/dispatch/work-store.ts`,
    line: "if (count === due.length) return taken;",
    operator: "drop a guard",
    why: "it finds that all are its own, by a read that was spared",
  },
  {
    path: `${deliveries}/dispatch/work-store.ts`,
    line: ".find({ _id: { $in: due.map(({ _id }) => _id) }, ...mineNow }, { projection: { _id: 1 } })",
    operator: "drop _id",
    why: "what was not asked for is left out after it",
  },
  {
    path: `${deliveries}/store.ts`,
    line: "if (ids.length === 0) return;",
    operator: "drop a guard",
    why: "the pages that follow are empty",
  },
  {
    path: `${notifier}/events/store.ts`,
    line: "if (there.size === 0) return [...documents];",
    operator: "drop a guard",
    why: "none was stored before, after a read that was spared",
  },
];
