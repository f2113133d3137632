import type { Gauge } from "@disburse/contracts/disburse/status/v1/status_pb.ts";

/** A connection of a process, or work that waits in it. */
export type Part = {
  readonly part: string;
  /** Empty for pending work. */
  readonly state: string;
  /** `null` for a connection. */
  readonly count: number | null;
  /** `null` for a connection, and for work without an age. */
  readonly oldest_seconds: number | null;
};

type Work = { readonly part: string; readonly count: string; readonly oldest?: string };

/** Pending work, with the gauges of its number and of its longest wait. */
const pending: readonly Work[] = [
  {
    part: "payouts pending",
    count: "disburse_payouts_open",
    oldest: "disburse_payout_oldest_open_seconds",
  },
  { part: "payout exceptions", count: "disburse_payout_exceptions" },
  {
    part: "payout events to publish",
    count: "disburse_payout_outbox_payouts",
    oldest: "disburse_payout_outbox_oldest_seconds",
  },
  {
    part: "webhooks due",
    count: "disburse_webhook_due_deliveries",
    oldest: "disburse_webhook_oldest_due_seconds",
  },
  {
    part: "screenings pending",
    count: "disburse_screenings_pending",
    oldest: "disburse_screenings_pending_oldest_seconds",
  },
];

const members = "disburse_db_members";
const connected = "disburse_bus_connected";
const queues = "disburse_bus_queue_messages";

/** The gauges that `partsOf` reads. A service has only some of them. */
export const gaugeNames: readonly string[] = [
  ...[members, connected, queues],
  ...pending.flatMap(({ count, oldest }) => (oldest === undefined ? [count] : [count, oldest])),
];

/** Returns the connections and the pending work of a process. */
export function partsOf(gauges: readonly Gauge[]): Part[] {
  const named = (name: string | undefined) => gauges.filter((each) => each.name === name);
  const work = pending.flatMap(({ part, count, oldest }): Part[] => {
    const counts = named(count).map(({ value }) => value);
    if (counts.length === 0) return [];
    const ages = named(oldest).map(({ value }) => value);
    return [
      {
        part,
        state: "",
        count: counts.reduce((sum, value) => sum + value, 0),
        oldest_seconds: ages.length === 0 ? null : Math.round(Math.max(...ages)),
      },
    ];
  });
  const depths = named(queues).map(
    ({ labels, value }): Part => ({
      part: `queue ${labels.queue ?? ""}`,
      state: "",
      count: value,
      oldest_seconds: null,
    }),
  );
  return [
    ...connection("database", databaseState(named(members))),
    ...connection("broker", brokerState(named(connected))),
    ...depths,
    ...work,
  ];
}

const connection = (part: string, state: string | undefined): Part[] =>
  state === undefined ? [] : [{ part, state, count: null, oldest_seconds: null }];

function databaseState(gauges: readonly Gauge[]): string | undefined {
  if (gauges.length === 0) return undefined;
  const found = gauges.filter(({ value }) => value > 0);
  const text = found.map(({ labels, value }) => `${value} ${labels.state ?? ""}`).join(", ");
  const isWritable = found.some(({ labels }) =>
    ["primary", "standalone"].includes(labels.state ?? ""),
  );
  return isWritable ? text : `no primary${text === "" ? "" : `: ${text}`}`;
}

function brokerState(gauges: readonly Gauge[]): string | undefined {
  if (gauges.length === 0) return undefined;
  const lost = gauges.filter(({ value }) => value === 0).map(({ labels }) => labels.purpose ?? "");
  return lost.length === 0 ? "connected" : `not connected: ${lost.join(", ")}`;
}
