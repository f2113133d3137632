import type { Log } from "@disburse/chassis/log.ts";
import { type Clock, isoTime } from "@disburse/kernel/time.ts";
import type { PausedStore } from "../endpoints/paused-store.ts";
import type { ReportedHealth, ReportStore } from "../endpoints/report-store.ts";
import type { Recipient } from "../endpoints/rules/endpoint.ts";
import { isSubscribed } from "../endpoints/rules/event-filter.ts";
import { endpointFailing, endpointRecovered } from "../endpoints/rules/opt-in.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import type { Mails } from "../mails/mailer.ts";
import { endpointEvent } from "./endpoint-event.ts";
import type { FanOut } from "./fan-out.ts";

type FailureReportsDeps = {
  readonly reports: ReportStore;
  readonly endpoints: Pick<EndpointStore, "readActive">;
  readonly merchants: Pick<PausedStore, "activeOf">;
  readonly fanOut: Pick<FanOut, "publishOne">;
  readonly mails: Pick<Mails, "count">;
  readonly clock: Clock;
  readonly log: Log;
};

const actor = { kind: "service", id: "notifier" } as const;

/**
 * Reports failing endpoints and their recovery to their merchants, once for each failure period.
 * The report's state is stored before its event is published. After a crash, the event is
 * published again under the same id.
 */
export function createFailureReports(deps: FailureReportsDeps) {
  const { reports, clock } = deps;
  return {
    round: async (): Promise<boolean> => {
      await reports.beginAll(clock.now());
      for (const health of await reports.due()) {
        const changed = await withRecovery(deps, health);
        if (changed === null || changed.report.state === "reported") continue;
        await publish(deps, changed);
        await reports.settle(changed);
      }
      return false;
    },
  };
}

/** Ends a reported period if the endpoint has acknowledged a delivery since. */
async function withRecovery(
  { reports }: FailureReportsDeps,
  health: ReportedHealth,
): Promise<ReportedHealth | null> {
  const { report, last_delivered_at: at } = health;
  const isOver = report.state === "reported" && at !== null && at > report.at;
  return isOver ? reports.recover(health, at) : health;
}

/**
 * Publishes the event of a report to the merchant's other endpoints that subscribe to it. The feed
 * has it if any endpoint subscribes to it. An endpoint never gets the event of its own failure.
 */
async function publish(deps: FailureReportsDeps, health: ReportedHealth): Promise<void> {
  const { _id: id, report } = health;
  const endpoint = (await deps.endpoints.readActive([id])).get(id);
  if (endpoint === undefined) return;
  const event = eventOf(endpoint, health);
  const { eventId: operationId, transactionType, merchantId } = event;
  const fields = { endpoint_id: id, merchant_id: merchantId, state: report.state };
  deps.log.info(fields, "failure of an endpoint reported");
  const subscribed = (await deps.merchants.activeOf(merchantId)).filter((each) =>
    isSubscribed(each, { transactionType, status: report.state }),
  );
  // E-mails report it to the members even if no other endpoint does.
  if (subscribed.length === 0) return deps.mails.count([event]);
  const others = subscribed.flatMap((each) => (each.id === id ? [] : [each.id]));
  await deps.fanOut.publishOne(event, { operationId, content: operationId, actor }, others);
}

function eventOf({ id, merchantId, description }: Recipient, health: ReportedHealth) {
  const { report, last_failure } = health;
  const isFailing = report.state === "failing";
  const type = isFailing ? endpointFailing : endpointRecovered;
  const data = {
    id,
    status: report.state,
    merchant_id: merchantId,
    description,
    failing_since: isoTime(report.failing_since),
    ...(isFailing ? { last_failure } : { recovered_at: isoTime(report.at) }),
  };
  return endpointEvent(type, data, report.at, `${type} ${id}`);
}
