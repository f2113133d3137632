import type { ApiKey, ApiKeyWithSecret } from "@disburse/sdk/gen/types.ts";
import { useState } from "react";
import { apiKeys } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Moment } from "../../ui/moment.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import type { Column } from "../../ui/table.tsx";
import { RevokeButton } from "./revoke.tsx";

const words = t.team.keys;
const { path } = apiKeys;

const columns: readonly Column<ApiKey>[] = [
  codeColumn("id", t.list.id, (row) => row.id),
  textColumn("description", words.description, (row) => row.description),
  { id: "state", header: words.state, cell: (row) => <State apiKey={row} /> },
  textColumn("scopes", words.scopes, (row) => row.scopes.join(" "), {
    width: "wide",
    cell: (row) => row.scopes.join(", "),
  }),
  textColumn("cidrs", words.cidrs, (row) => row.source_cidrs.join(" "), {
    width: "wide",
    cell: (row) => row.source_cidrs.join(", ") || words.anywhere,
  }),
  momentColumn("expires", words.expires, (row) => row.expires_at, {
    cell: ({ expires_at: at }) => (at === "" ? words.never : <Moment at={at} />),
  }),
];

const revokeColumn: Column<ApiKey> = {
  id: "revoke",
  header: t.list.actions,
  cell: ({ id, revoked_at: revokedAt }) => (
    // An expired key can be revoked too, because its scheduled payouts and batches continue.
    <RevokeButton
      {...{ path, id, label: words.revoke, text: words.revokeText }}
      isOffered={revokedAt === ""}
    />
  ),
};

export function Keys() {
  const session = useSession();
  const mayWrite = may(session, "key:write");
  return (
    <ListPage
      caption={words.caption}
      source={() => sourceOf(apiKeys)}
      columns={mayWrite ? [...columns, revokeColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "api-keys" }}
      add={mayWrite ? <NewKey scopes={session.scopes} /> : null}
    />
  );
}

function State({ apiKey: { revoked_at: revokedAt, expires_at: endsAt } }: { apiKey: ApiKey }) {
  if (revokedAt !== "") return <Badge tone="bad">{words.revoked}</Badge>;
  const isEnded = endsAt !== "" && Date.parse(endsAt) <= Date.now();
  return <Badge tone={isEnded ? "plain" : "good"}>{isEnded ? words.ended : words.active}</Badge>;
}

const initial = { description: "", cidrs: "", day: "" };

function NewKey({ scopes }: { scopes: readonly string[] }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const create = async ({ description, cidrs, day }: typeof initial, key: string) => {
    const networks = cidrs.split(/[\s,]+/).filter((each) => each !== "");
    const body = {
      scopes: chosen,
      ...(description === "" ? {} : { description }),
      ...(networks.length === 0 ? {} : { source_cidrs: networks }),
      ...(day === "" ? {} : { expires_at: `${day}T00:00:00Z` }),
    };
    const created = await post<ApiKeyWithSecret>(path, body, key);
    setChosen([]);
    return created;
  };
  const toggle = (scope: string) =>
    setChosen(
      chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope],
    );
  return (
    <FormButton
      label={words.add}
      text={words.addText}
      kind="primary"
      initial={initial}
      fields={[
        { name: "description", label: words.description },
        { name: "cidrs", label: words.cidrs, hint: words.cidrsHint },
        { name: "day", label: words.expires, hint: words.expiresHint, type: "date" },
      ]}
      isReady={() => chosen.length > 0}
      send={create}
      shown={({ id, description, secret }, onDone) => (
        <ShownOnce
          title={words.secretTitle}
          text={words.secretText}
          done={words.secretDone}
          secrets={[[description || id, secret]]}
          onDone={onDone}
        />
      )}
    >
      {() => (
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
      )}
    </FormButton>
  );
}
