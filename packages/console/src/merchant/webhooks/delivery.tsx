import type {
  WebhookAttempt,
  WebhookDeliveryRequest,
  WebhookDeliveryWithAttempts,
} from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { deliveries } from "../../api/lists.ts";
import { pathOf, recordOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import {
  codeColumn,
  countColumn,
  longColumn,
  momentColumn,
  textColumn,
} from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Facts, FactsSection } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EndpointLink, PayoutLink } from "../../ui/record-link.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { curlOf } from "../rules/curl.ts";
import { attemptsMs, eventOf } from "./columns.tsx";

const words = t.webhooks.delivery;

const columns: readonly Column<WebhookAttempt>[] = [
  countColumn("number", words.number, (row) => row.number),
  momentColumn("started", words.started, (row) => row.started_at),
  textColumn("status", words.status, (row) => String(row.status_code || "–")),
  textColumn("duration", words.duration, (row) => `${row.duration_ms} ms`, { width: "wide" }),
  longColumn("error", words.error, (row) => row.error),
  codeColumn("response", words.response, (row) => row.response_body, { width: "wide" }),
];

export function DeliveryPage() {
  const { deliveryId: id } = useParams({ from: "/shell/deliveries/$deliveryId" });
  const { data: delivery } = useSuspenseQuery({
    ...recordOf<WebhookDeliveryWithAttempts>(deliveries, id),
    refetchInterval: attemptsMs,
  });
  const isPending = delivery.state === "pending";
  return (
    <Page
      title={words.titleOf({ event: eventOf(delivery) })}
      id={id}
      state={<StateBadge state={delivery.state} words={t.webhooks.deliveryStates} />}
      actions={
        <May scope="webhook:write">
          <ConfirmButton
            label={isPending ? words.sendNow : words.redeliver}
            text={isPending ? words.sendNowText : words.redeliverText}
            kind="primary"
            confirm={(key) => post(pathOf(deliveries, id, "/redeliver"), {}, key)}
          />
        </May>
      }
    >
      <DeliveryFacts delivery={delivery} />
      <Section title={words.attempts}>
        {delivery.attempts.length === 0 ? (
          <Notice tone="info">{words.noAttempts}</Notice>
        ) : (
          <DataTable
            caption={words.attempts}
            columns={columns}
            rows={delivery.attempts}
            keyOf={(row) => String(row.number)}
          />
        )}
      </Section>
      {delivery.request && <SentRequest request={delivery.request} />}
    </Page>
  );
}

function SentRequest({ request }: { request: WebhookDeliveryRequest }) {
  const { url, headers, body } = request;
  const sent = [[t.webhooks.endpoints.url, url] as const, ...Object.entries(headers)];
  return (
    <Section
      title={words.request}
      actions={<CopyButton text={curlOf(request)} label={words.curl} />}
    >
      <p className="soft small">{words.requestHint}</p>
      <div className="card">
        <Facts rows={sent.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      </div>
      <pre className="card mono break">{body}</pre>
    </Section>
  );
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryWithAttempts }) {
  const { transaction_type: type, transaction_id: transaction, state } = delivery;
  const link = <PayoutLink id={transaction} />;
  const next = <Moment at={delivery.next_attempt_at} />;
  return (
    <FactsSection
      title={words.facts}
      rows={[
        [t.webhooks.event, eventOf(delivery)],
        [t.webhooks.deliveries.transaction, type === "payout_session" ? link : transaction],
        [t.webhooks.deliveries.endpoint, <EndpointLink key="endpoint" id={delivery.endpoint_id} />],
        [words.sequence, String(delivery.sequence)],
        [t.list.created, <Moment key="created" at={delivery.created_at} />],
        [t.webhooks.nextAttempt, state === "pending" ? next : undefined],
      ]}
    />
  );
}
