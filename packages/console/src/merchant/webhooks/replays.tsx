import type { WebhookReplay } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deliveries, replays } from "../../api/lists.ts";
import { readAll, wholeSource } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Section } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { spanQuery } from "../rules/span.ts";

const words = t.webhooks.replay;

const columns: readonly Column<WebhookReplay>[] = [
  { id: "created", header: t.list.created, cell: ({ created_at: at }) => <Moment at={at} /> },
  { id: "since", header: t.list.from, width: "wide", cell: ({ since }) => <Moment at={since} /> },
  { id: "until", header: t.list.to, width: "wide", cell: ({ until }) => <Moment at={until} /> },
  {
    id: "state",
    header: t.webhooks.state,
    cell: ({ state }) => <StateBadge state={state} words={words.replayStates} />,
  },
  {
    id: "progress",
    header: words.progress,
    align: "end",
    cell: ({ queued_count: queued, total_count: total }) => `${queued} / ${total}`,
  },
  { id: "cancel", header: t.list.actions, cell: (row) => <Cancel replay={row} /> },
];

/** The API lists the replays of all endpoints. */
const replaysOf = (endpointId: string) =>
  wholeSource([replays.path, endpointId], async () => {
    const { items } = await readAll(replays);
    return items.filter((each) => each.endpoint_id === endpointId);
  });

export function Replays({ endpointId, mayWrite }: { endpointId: string; mayWrite: boolean }) {
  return (
    <Section
      title={t.webhooks.one.replays}
      actions={mayWrite ? <NewReplay endpointId={endpointId} /> : null}
    >
      <List
        caption={t.webhooks.one.replays}
        source={replaysOf(endpointId)}
        columns={mayWrite ? columns : columns.slice(0, -1)}
        keyOf={({ id }) => id}
        empty={words.empty}
      />
    </Section>
  );
}

function NewReplay({ endpointId }: { endpointId: string }) {
  const client = useQueryClient();
  const [days, setDays] = useState({ created_from: "", created_to: "" });
  const [states, setStates] = useState("exhausted");
  const [rate, setRate] = useState("10");
  const start = async (idempotencyKey: string) => {
    const { created_from: since, created_to: until } = spanQuery(days);
    const body = {
      endpoint_id: endpointId,
      since,
      ...(until === "" ? {} : { until }),
      states: states.split(","),
      rate: Number(rate),
    };
    await send("POST", replays.path, { body, idempotencyKey });
    await client.invalidateQueries({ queryKey: [replays.path] });
  };
  return (
    <ConfirmButton
      label={words.action}
      text={words.text}
      kind="plain"
      confirm={start}
      isReady={days.created_from !== "" && /^\d+$/.test(rate)}
    >
      <TextField
        label={words.since}
        type="date"
        value={days.created_from}
        onChange={(day) => setDays({ ...days, created_from: day })}
        required
      />
      <TextField
        label={words.until}
        type="date"
        value={days.created_to}
        onChange={(day) => setDays({ ...days, created_to: day })}
      />
      <SelectField
        label={words.states}
        value={states}
        onChange={setStates}
        options={Object.entries(words.statesChoices)}
      />
      <TextField label={words.rate} value={rate} onChange={setRate} inputMode="numeric" />
    </ConfirmButton>
  );
}

function Cancel({ replay: { id, state } }: { replay: WebhookReplay }) {
  const client = useQueryClient();
  if (state !== "running") return null;
  const cancel = async () => {
    await send("DELETE", `${replays.path}/${encodeURIComponent(id)}`);
    const stale = [replays.path, deliveries.path];
    await Promise.all(stale.map((path) => client.invalidateQueries({ queryKey: [path] })));
  };
  return <ConfirmButton label={words.cancel} text={words.cancelText} confirm={cancel} />;
}
