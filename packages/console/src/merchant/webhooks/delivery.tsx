import type {
  WebhookAttempt,
  WebhookDeliveryRequest,
  WebhookDeliveryWithAttempts,
} from "@disburse/sdk/gen/types.ts";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { deliveries } from "../../api/lists.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Facts, FactsSection } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EndpointLink, PayoutLink } from "../../ui/record-link.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { curlOf } from "../rules/curl.ts";
import { attemptsMs } from "./columns.tsx";

const words = t.webhooks.delivery;
const route = getRouteApi("/shell/deliveries/$deliveryId");

const columns: readonly Column<WebhookAttempt>[] = [
  { id: "number", header: words.number, cell: (row) => row.number },
  { id: "started", header: words.started, cell: (row) => <Moment at={row.started_at} /> },
  { id: "status", header: words.status, cell: (row) => row.status_code || "–" },
  { id: "duration", header: words.duration, width: "wide", cell: (row) => `${row.duration_ms} ms` },
  { id: "error", header: words.error, cell: (row) => <span className="break">{row.error}</span> },
  {
    id: "response",
    header: words.response,
    width: "wide",
    cell: (row) => <code className="break">{row.response_body}</code>,
  },
];

export function DeliveryPage() {
  const { deliveryId: id } = route.useParams();
  const session = useSession();
  const client = useQueryClient();
  const path = `${deliveries.path}/${encodeURIComponent(id)}`;
  const found = useSuspenseQuery({
    queryKey: [deliveries.path, "one", id],
    queryFn: () => get<WebhookDeliveryWithAttempts>(path),
    refetchInterval: attemptsMs,
  });
  const delivery = found.data;
  const isPending = delivery.state === "pending";
  const redeliver = async (idempotencyKey: string) => {
    await send("POST", `${path}/redeliver`, { body: {}, idempotencyKey });
    await client.invalidateQueries({ queryKey: [deliveries.path] });
  };
  return (
    <Page
      title={words.titleOf({ event: `${delivery.transaction_type}.${delivery.status}` })}
      id={id}
      state={<StateBadge state={delivery.state} words={t.webhooks.deliveryStates} />}
      actions={
        may(session, "webhook:write") ? (
          <ConfirmButton
            label={isPending ? words.sendNow : words.redeliver}
            text={isPending ? words.sendNowText : words.redeliverText}
            kind="primary"
            confirm={redeliver}
          />
        ) : undefined
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
      {delivery.request === undefined ? null : <SentRequest request={delivery.request} />}
    </Page>
  );
}

function SentRequest({ request }: { request: WebhookDeliveryRequest }) {
  return (
    <Section
      title={words.request}
      actions={<CopyButton text={curlOf(request)} label={words.curl} />}
    >
      <p className="soft small">{words.requestHint}</p>
      <div className="card">
        <Facts
          rows={[
            [t.webhooks.endpoints.url, <code key="url">{request.url}</code>],
            ...Object.entries(request.headers).map(
              ([name, value]) => [name, <code key={name}>{value}</code>] as const,
            ),
          ]}
        />
      </div>
      <pre className="card mono break">{request.body}</pre>
    </Section>
  );
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryWithAttempts }) {
  const { transaction_type: type, transaction_id: transaction, status } = delivery;
  return (
    <FactsSection
      title={words.facts}
      rows={[
        [t.webhooks.event, `${type}.${status}`],
        [
          t.webhooks.deliveries.transaction,
          type === "payout_session" ? <PayoutLink key="payout" id={transaction} /> : transaction,
        ],
        [t.webhooks.deliveries.endpoint, <EndpointLink key="endpoint" id={delivery.endpoint_id} />],
        [words.sequence, String(delivery.sequence)],
        [t.list.created, <Moment key="created" at={delivery.created_at} />],
        [
          t.webhooks.nextAttempt,
          delivery.state === "pending" ? (
            <Moment key="next" at={delivery.next_attempt_at} />
          ) : undefined,
        ],
      ]}
    />
  );
}
