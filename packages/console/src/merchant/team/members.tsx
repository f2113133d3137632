import type { TeamMember, TeamMemberList } from "@disburse/sdk/gen/types.ts";
import { useState } from "react";
import { wholeSource } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { RevokeButton } from "./revoke.tsx";

const words = t.team.members;
const path = "/api/v1/team/members";
const roles = Object.entries(words.roles);

const columns: readonly Column<TeamMember>[] = [
  { id: "name", header: words.name, cell: (row) => row.name, csv: (row) => row.name },
  {
    id: "email",
    header: words.email,
    cell: (row) => <span className="break">{row.email}</span>,
    csv: (row) => row.email,
  },
  {
    id: "role",
    header: words.role,
    cell: ({ role }) => words.roles[role] ?? role,
    csv: (row) => row.role,
  },
  {
    id: "state",
    header: words.state,
    cell: ({ state }) => <StateBadge state={state} words={words.states} />,
    csv: (row) => row.state,
  },
  momentColumn("signedIn", words.signedIn, (row) => row.signed_in_at, { width: "wide" }),
];

const changeColumn: Column<TeamMember> = {
  id: "change",
  header: t.list.actions,
  cell: (row) => (row.state === "removed" ? null : <Change member={row} />),
};

const source = wholeSource([path], async () => (await get<TeamMemberList>(path)).members);

export function Members() {
  const mayWrite = may(useSession(), "team:write");
  return (
    <ListPage
      caption={words.caption}
      source={() => source}
      columns={mayWrite ? [...columns, changeColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "team" }}
      add={mayWrite ? <Add /> : null}
    />
  );
}

const newPerson = { name: "", email: "", role: "viewer" };

function Add() {
  const { values, field, clear } = useFields(newPerson);
  const add = async (idempotencyKey: string) => {
    await send("POST", path, { body: values, idempotencyKey });
    clear();
  };
  return (
    <ConfirmButton
      label={words.add}
      text={words.addText}
      kind="primary"
      isReady={values.name !== "" && values.email !== ""}
      confirm={add}
      stale={[path]}
    >
      <TextField label={words.name} {...field("name")} required />
      <TextField label={words.email} type="email" {...field("email")} required />
      <SelectField label={words.role} {...field("role")} options={roles} />
    </ConfirmButton>
  );
}

function Change({ member }: { member: TeamMember }) {
  const [role, setRole] = useState<string>(member.role);
  const own = `${path}/${encodeURIComponent(member.id)}`;
  return (
    <span className="row">
      <ConfirmButton
        label={words.change}
        text={words.changeText}
        kind="plain"
        isReady={role !== member.role}
        confirm={(idempotencyKey) => send("PATCH", own, { body: { role }, idempotencyKey })}
        stale={[path]}
      >
        <SelectField label={words.role} value={role} onChange={setRole} options={roles} />
      </ConfirmButton>
      <RevokeButton path={path} id={member.id} label={words.remove} text={words.removeText} />
    </span>
  );
}
