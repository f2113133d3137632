import { create } from "@bufbuild/protobuf";
import {
  type Alert,
  AlertState,
  ListAlertsRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { HeldSum } from "@disburse/contracts/disburse/payout/v1/held_payouts_pb.ts";
import { Link, useSearch } from "@tanstack/react-router";
import { enumValue } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import type { FilterValues } from "../../ui/filters.tsx";
import { Money } from "../../ui/money.tsx";
import { spanText } from "../../ui/rules/times.ts";

const words = operatorTexts.compliance.alerts;

/** An alert with the money that waits for it; undefined if it could not be read. */
export type AlertRow = Alert & { readonly held?: readonly HeldSum[] | undefined };

/** The list of alerts that a page's filters select. */
export const queueOf = (search: FilterValues) =>
  create(ListAlertsRequestSchema, {
    states: search.state ? [enumValue(AlertState, search.state)] : [],
    assignee: search.assignee ?? "",
    merchantId: search.merchant_id ?? "",
    recordId: search.record_id ?? "",
    list: search.list ?? "",
    scoreFrom: Number(search.score ?? 0),
  });

/** Reads the alerts that wait. */
export const readAlerts = pagesOf("alerts", rpcs.review.listAlerts);

/** Reads the money that waits for the alerts of a page, by one request. */
export async function withHeld(alerts: readonly Alert[]): Promise<readonly AlertRow[]> {
  const ofBeneficiaries = alerts.flatMap(({ subject }) =>
    subject?.recordId.startsWith("ben_")
      ? [{ merchantId: subject.merchantId, beneficiaryId: subject.recordId }]
      : [],
  );
  const payees = [...new Map(ofBeneficiaries.map((each) => [each.beneficiaryId, each])).values()];
  if (payees.length === 0) return alerts;
  // Without it the list still shows which alerts wait.
  const found = await rpcs.operations.listHeldPayouts({ payees }).catch(() => undefined);
  const sums = new Map(found?.payees.map(({ payee, sums: all }) => [payee?.beneficiaryId, all]));
  return alerts.map((alert) => ({ ...alert, held: sums.get(alert.subject?.recordId) }));
}

export const alertName = ({ id, partyName }: Alert) => partyName || id;

/** A hit without a listed name has the id of its entry or kind. */
export const listedName = ({ hit }: Alert) => hit?.matchedName || hit?.entryUid || "";

/** Links to an alert in the queue from which it is opened. */
export function AlertLink({ alert }: { alert: Alert }) {
  const search = useSearch({ strict: false });
  return (
    <Link to="/compliance/alerts/$alertId" params={{ alertId: alert.id }} search={search}>
      {alertName(alert)}
    </Link>
  );
}

/** The time until an alert must be decided. */
export function Due({ alert }: { alert: Alert }) {
  if (alert.dueAt === undefined) return null;
  const at = isoOf(alert.dueAt);
  const seconds = (Date.parse(at) - Date.now()) / 1_000;
  const age = spanText(Math.abs(seconds));
  return (
    <time dateTime={at}>
      {seconds < 0 ? <Badge tone="bad">{words.overdue({ age })}</Badge> : age}
    </time>
  );
}

export function Held({ sums = [] }: { sums?: readonly HeldSum[] | undefined }) {
  return sums.map(({ amount, currencyCode }) => (
    <div key={currencyCode}>
      <Money amount={amount} currency={currencyCode} />
    </div>
  ));
}
