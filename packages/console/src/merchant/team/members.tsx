import type { TeamMember, TeamMemberList } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { PlainList } from "../../ui/plain-list.tsx";
import type { Column } from "../../ui/table.tsx";
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

export function Members() {
  const mayWrite = may(useSession(), "team:write");
  const read = async () => {
    const { members } = await get<TeamMemberList>(path);
    return { items: members, isCut: false };
  };
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ExportButton name="team" read={read} columns={columns} />
          {mayWrite ? <Add /> : null}
        </>
      }
    >
      <PlainList
        caption={words.caption}
        path={path}
        items="members"
        columns={mayWrite ? [...columns, changeColumn] : columns}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

const newPerson = { name: "", email: "", role: "viewer" };

function Add() {
  const client = useQueryClient();
  const [form, setForm] = useState(newPerson);
  const set = (name: keyof typeof form) => (value: string) => setForm({ ...form, [name]: value });
  const add = async (idempotencyKey: string) => {
    await send("POST", path, { body: form, idempotencyKey });
    setForm(newPerson);
    await client.invalidateQueries({ queryKey: [path] });
  };
  return (
    <ConfirmButton
      label={words.add}
      text={words.addText}
      kind="primary"
      isReady={form.name !== "" && form.email !== ""}
      confirm={add}
    >
      <TextField label={words.name} value={form.name} onChange={set("name")} required />
      <TextField
        label={words.email}
        type="email"
        value={form.email}
        onChange={set("email")}
        required
      />
      <SelectField label={words.role} value={form.role} onChange={set("role")} options={roles} />
    </ConfirmButton>
  );
}

function Change({ member }: { member: TeamMember }) {
  const client = useQueryClient();
  const [role, setRole] = useState<string>(member.role);
  const own = `${path}/${encodeURIComponent(member.id)}`;
  const done = () => client.invalidateQueries({ queryKey: [path] });
  return (
    <span className="row">
      <ConfirmButton
        label={words.change}
        text={words.changeText}
        kind="plain"
        isReady={role !== member.role}
        confirm={async (idempotencyKey) => {
          await send("PATCH", own, { body: { role }, idempotencyKey });
          await done();
        }}
      >
        <SelectField label={words.role} value={role} onChange={setRole} options={roles} />
      </ConfirmButton>
      <RevokeButton path={path} id={member.id} label={words.remove} text={words.removeText} />
    </span>
  );
}
