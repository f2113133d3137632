import type { WebhookReplay } from "@disburse/sdk/gen/types.ts";
import { replays } from "../../api/lists.ts";
import { pathOf, readAll, wholeSource } from "../../api/pages.ts";
import { post, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { ListSection } from "../../ui/list.tsx";
import type { Column } from "../../ui/table.tsx";
import { spanQuery } from "../rules/span.ts";

const words = t.webhooks.replay;

const columns: readonly Column<WebhookReplay>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  momentColumn("since", t.list.from, (row) => row.since, { width: "wide" }),
  momentColumn("until", t.list.to, (row) => row.until, { width: "wide" }),
  stateColumn(t.webhooks.state, (row) => row.state, words.replayStates),
  textColumn("progress", words.progress, (row) => `${row.queued_count} / ${row.total_count}`, {
    align: "end",
  }),
];

const cancelColumn: Column<WebhookReplay> = {
  id: "cancel",
  header: t.list.actions,
  cell: ({ id, state }) =>
    state === "running" ? (
      <ConfirmButton
        label={words.cancel}
        text={words.cancelText}
        confirm={() => send("DELETE", pathOf(replays, id))}
      />
    ) : null,
};

/** The API lists the replays of all endpoints. */
const replaysOf = (endpointId: string) =>
  wholeSource([replays.path, endpointId], async () => {
    const { items } = await readAll(replays);
    return items.filter((each) => each.endpoint_id === endpointId);
  });

export function Replays({ endpointId, mayWrite }: { endpointId: string; mayWrite: boolean }) {
  return (
    <ListSection
      title={t.webhooks.one.replays}
      add={mayWrite ? <NewReplay endpointId={endpointId} /> : null}
      source={replaysOf(endpointId)}
      columns={mayWrite ? [...columns, cancelColumn] : columns}
      keyOf={({ id }) => id}
      empty={words.empty}
    />
  );
}

const initial = { created_from: "", created_to: "", states: "exhausted", rate: "10" };

const NewReplay = ({ endpointId }: { endpointId: string }) => (
  <FormButton
    label={words.action}
    text={words.text}
    kind="plain"
    initial={initial}
    fields={[
      { name: "created_from", label: words.since, type: "date", required: true },
      { name: "created_to", label: words.until, type: "date" },
      { name: "states", label: words.states, options: Object.entries(words.statesChoices) },
      { name: "rate", label: words.rate, inputMode: "numeric" },
    ]}
    isReady={({ rate }) => /^\d+$/.test(rate)}
    send={({ states, rate, ...days }, key) => {
      const { created_from: since, created_to: until } = spanQuery(days);
      const period = { since, ...(until === "" ? {} : { until }) };
      const body = { states: states.split(","), rate: Number(rate), ...period };
      return post(replays.path, { endpoint_id: endpointId, ...body }, key);
    }}
  />
);
