import type { TeamMember } from "@disburse/sdk/gen/types.ts";
import { members } from "../../api/lists.ts";
import { pathOf, sourceOf } from "../../api/pages.ts";
import { post, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { longColumn, momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { RevokeButton } from "./revoke.tsx";

const words = t.team.members;
const { path } = members;
const roleField = {
  name: "role",
  label: words.role,
  options: Object.entries(words.roles),
} as const;

const columns: readonly Column<TeamMember>[] = [
  textColumn("name", words.name, (row) => row.name),
  longColumn("email", words.email, (row) => row.email),
  textColumn("role", words.role, (row) => row.role, {
    cell: ({ role }) => words.roles[role] ?? role,
  }),
  stateColumn(words.state, (row) => row.state, words.states),
  momentColumn("signedIn", words.signedIn, (row) => row.signed_in_at, { width: "wide" }),
];

const changeColumn: Column<TeamMember> = {
  id: "change",
  header: t.list.actions,
  cell: ({ id, role, state }) => (
    <span className="row">
      <FormButton
        label={words.change}
        text={words.changeText}
        kind="plain"
        initial={{ role: String(role) }}
        fields={[roleField]}
        isReady={(chosen) => chosen.role !== role}
        isOffered={state !== "removed"}
        send={(body, idempotencyKey) =>
          send("PATCH", pathOf(members, id), { body, idempotencyKey })
        }
      />
      <RevokeButton
        {...{ path, id, label: words.remove, text: words.removeText }}
        isOffered={state !== "removed"}
      />
    </span>
  ),
};

export function Members() {
  const mayWrite = may(useSession(), "team:write");
  return (
    <ListPage
      caption={words.caption}
      source={() => sourceOf(members)}
      columns={mayWrite ? [...columns, changeColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "team" }}
      add={mayWrite ? <Add /> : null}
    />
  );
}

const Add = () => (
  <FormButton
    label={words.add}
    text={words.addText}
    kind="primary"
    initial={{ name: "", email: "", role: "viewer" }}
    fields={[
      { name: "name", label: words.name, required: true },
      { name: "email", label: words.email, type: "email", required: true },
      roleField,
    ]}
    send={(body, key) => post(path, body, key)}
  />
);
