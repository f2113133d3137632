import type { WebhookEndpointWithHealth } from "@disburse/sdk/gen/types.ts";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { deliveries, endpoints } from "../../api/lists.ts";
import { readPage, recordOf, sourceOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { spanText } from "../../ui/rules/times.ts";
import { figuresOf } from "../rules/delivery-figures.ts";
import { attemptsMs, deliveryColumns } from "./columns.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { Replays } from "./replays.tsx";

const words = t.webhooks.one;

export function EndpointPage() {
  const { endpointId: id } = useParams({ from: "/shell/webhooks/$endpointId" });
  const { data: endpoint } = useSuspenseQuery({
    ...recordOf<WebhookEndpointWithHealth>(endpoints, id),
    refetchInterval: attemptsMs,
  });
  const mayWrite = may(useSession(), "webhook:write");
  return (
    <Page
      title={endpoint.url}
      id={id}
      state={<StateBadge state={endpoint.state} words={t.webhooks.endpoints.states} />}
      actions={mayWrite ? <EndpointActions endpoint={endpoint} /> : undefined}
    >
      {["gone", "unresponsive"].includes(endpoint.pause_reason) ? (
        <Notice tone="warn">{words.pausedByUs}</Notice>
      ) : null}
      <EndpointFacts endpoint={endpoint} />
      <Replays endpointId={id} mayWrite={mayWrite} />
      <ListSection
        title={words.deliveries}
        source={sourceOf(deliveries, { endpoint_id: id })}
        columns={deliveryColumns}
        keyOf={(row) => row.id}
        empty={words.noDeliveries}
        everyMs={attemptsMs}
      />
    </Page>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpointWithHealth }) {
  const { health } = endpoint;
  return (
    <div className="columns">
      <FactsSection
        title={words.facts}
        rows={[
          [t.webhooks.endpoints.description, endpoint.description],
          [words.eventTypes, endpoint.event_types.join(", ")],
          [words.order, words.orders[endpoint.order]],
          [words.headers, Object.keys(endpoint.headers ?? {}).join(", ")],
          [words.pendingUrl, endpoint.pending_url],
          [words.pausedAt, <Moment key="paused" at={endpoint.paused_at} />],
          [words.pauseReason, words.pauseReasons[endpoint.pause_reason]],
          [t.list.created, <Moment key="created" at={endpoint.created_at} />],
        ]}
      />
      <FactsSection
        title={words.health}
        rows={[
          [words.circuit, words.circuits[health.circuit]],
          [t.webhooks.endpoints.pending, String(health.pending_count)],
          [words.oldest, <Moment key="oldest" at={health.oldest_pending_at} />],
          [words.failures, String(health.consecutive_failures)],
          ...useFigures(endpoint.id),
          [words.lastDelivered, <Moment key="delivered" at={health.last_delivered_at} />],
          [words.lastFailed, <Moment key="failed" at={health.last_failed_at} />],
          [t.webhooks.endpoints.lastFailure, health.last_failure],
        ]}
      />
    </div>
  );
}

/** Sums up the endpoint's latest deliveries. */
function useFigures(endpointId: string): readonly (readonly [string, string])[] {
  const { data } = useQuery({
    queryKey: [deliveries.path, "latest", endpointId],
    queryFn: () => readPage(deliveries, { endpoint_id: endpointId, limit: 100 }),
    refetchInterval: attemptsMs,
  });
  const { ended, delivered, medianMs, slowMs } = figuresOf(data?.items ?? []);
  if (ended === 0) return [];
  const share = delivered / ended;
  const latency = { median: latencyText(medianMs), slow: latencyText(slowMs) };
  return [
    [words.success, words.successOf({ delivered, ended, share })],
    [words.latency, delivered === 0 ? "" : words.latencyOf(latency)],
  ];
}

const latencyText = (ms = 0) => (ms < 10_000 ? `${ms} ms` : spanText(ms / 1_000));
