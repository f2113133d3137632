import type { ApiKey, ApiKeyList, ApiKeyWithSecret } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { wholeSource } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { codeColumn, textColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { TextField } from "../../ui/field.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Moment } from "../../ui/moment.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import type { Column } from "../../ui/table.tsx";
import { RevokeButton } from "./revoke.tsx";

const words = t.team.keys;
const path = "/api/v1/keys";

const isEnded = ({ expires_at: at }: ApiKey) => at !== "" && Date.parse(at) <= Date.now();
const columns: readonly Column<ApiKey>[] = [
  codeColumn("id", t.list.id, (row) => row.id),
  textColumn("description", words.description, (row) => row.description),
  { id: "state", header: words.state, cell: (row) => <State apiKey={row} /> },
  {
    id: "scopes",
    header: words.scopes,
    width: "wide",
    cell: (row) => row.scopes.join(", "),
    csv: (row) => row.scopes.join(" "),
  },
  {
    id: "cidrs",
    header: words.cidrs,
    width: "wide",
    cell: (row) => row.source_cidrs.join(", ") || words.anywhere,
    csv: (row) => row.source_cidrs.join(" "),
  },
  {
    id: "expires",
    header: words.expires,
    cell: ({ expires_at: at }) => (at === "" ? words.never : <Moment at={at} />),
    csv: (row) => row.expires_at,
  },
];

const revokeColumn: Column<ApiKey> = {
  id: "revoke",
  header: t.list.actions,
  cell: (row) =>
    // An expired key can be revoked too, because its scheduled payouts and batches continue.
    row.revoked_at === "" ? (
      <RevokeButton path={path} id={row.id} label={words.revoke} text={words.revokeText} />
    ) : null,
};

const source = wholeSource([path], async () => (await get<ApiKeyList>(path)).keys);

export function Keys() {
  const session = useSession();
  const mayWrite = may(session, "key:write");
  return (
    <ListPage
      caption={words.caption}
      source={() => source}
      columns={mayWrite ? [...columns, revokeColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "api-keys" }}
      add={mayWrite ? <NewKey scopes={session.scopes} /> : null}
    />
  );
}

function State({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at !== "") return <Badge tone="bad">{words.revoked}</Badge>;
  return isEnded(apiKey) ? (
    <Badge tone="plain">{words.ended}</Badge>
  ) : (
    <Badge tone="good">{words.active}</Badge>
  );
}

const blank = { description: "", cidrs: "", day: "", chosen: [] as readonly string[] };

function NewKey({ scopes }: { scopes: readonly string[] }) {
  const client = useQueryClient();
  const [form, setForm] = useState(blank);
  const [created, setCreated] = useState<ApiKeyWithSecret>();
  const set = (name: "description" | "cidrs" | "day") => (value: string) =>
    setForm({ ...form, [name]: value });
  const create = async (idempotencyKey: string) => {
    const { description, cidrs, day, chosen } = form;
    const networks = cidrs.split(/[\s,]+/).filter((each) => each !== "");
    const body = {
      scopes: chosen,
      ...(description === "" ? {} : { description }),
      ...(networks.length === 0 ? {} : { source_cidrs: networks }),
      ...(day === "" ? {} : { expires_at: `${day}T00:00:00Z` }),
    };
    setCreated(await send<ApiKeyWithSecret>("POST", path, { body, idempotencyKey }));
    setForm(blank);
    await client.invalidateQueries({ queryKey: [path] });
  };
  return (
    <>
      <ConfirmButton
        label={words.add}
        text={words.addText}
        kind="primary"
        isReady={form.chosen.length > 0}
        confirm={create}
      >
        <TextField
          label={words.description}
          value={form.description}
          onChange={set("description")}
        />
        <Scopes
          scopes={scopes}
          chosen={form.chosen}
          onChange={(chosen) => setForm({ ...form, chosen })}
        />
        <TextField
          label={words.cidrs}
          hint={words.cidrsHint}
          value={form.cidrs}
          onChange={set("cidrs")}
        />
        <TextField
          label={words.expires}
          hint={words.expiresHint}
          type="date"
          value={form.day}
          onChange={set("day")}
        />
      </ConfirmButton>
      {created === undefined ? null : (
        <ShownOnce
          title={words.secretTitle}
          text={words.secretText}
          done={words.secretDone}
          secrets={[[created.description || created.id, created.secret]]}
          onDone={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

function Scopes(props: {
  scopes: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const { scopes, chosen, onChange } = props;
  const toggle = (scope: string) =>
    onChange(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  return (
    <fieldset>
      <legend>{words.scopes}</legend>
      <span className="field-hint">{words.scopesHint}</span>
      <div className="checks">
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={() => toggle(scope)}
            />{" "}
            {scope}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
