import type { JsonObject } from "@bufbuild/protobuf";
import { type CallCommand, columnPath, columnTitle } from "@disburse/commands/table/command.ts";
import { valueAt } from "@disburse/commands/table/plain.ts";
import { Link } from "@tanstack/react-router";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import type { Column } from "../../ui/table.tsx";
import { Text } from "../changes.tsx";
import { actionsOf, rowsOf } from "./call.ts";
import { flatOf, textOf } from "./rules/flat.ts";
import { sentence, sharedValues, slugOf, textsIn, type Values } from "./rules/form.ts";

const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const shown = (text: string) => (isTime.test(text) ? <Moment at={text} /> : <Text text={text} />);

/** The answer of a change or a read of one record. */
export function Answer({ command, answer }: { command: CallCommand; answer: JsonObject }) {
  const of = "record" in command.show ? command.show.record : "";
  const rows = flatOf((of === "" ? answer : answer[of]) ?? {});
  if (rows.length === 0) return null;
  return (
    <div className="card">
      <Facts rows={rows.map(([name, text]) => [name, shown(text)] as const)} />
    </div>
  );
}

type ListCommand = CallCommand & { readonly show: { readonly list: string } };

export const isList = (command: CallCommand): command is ListCommand => "list" in command.show;

/** The rows of a read, each with the actions that take its id. */
export function Rows(props: {
  command: ListCommand;
  request: JsonObject;
  values: Values;
  at: number;
}) {
  const { command, request, values, at } = props;
  const { method, show, summary } = command;
  const session = useSession();
  const key = ["actions", "rows", command.name, request, at];
  const source = { key, read: rowsOf(method, show.list, request) };
  const next = actionsOf(session).flatMap((action) => {
    const given = [...(action.arguments ?? []), ...(action.options ?? [])];
    const own = given.find(({ source }) => source?.list === command.name);
    const isReady = (action.arguments ?? []).every(
      ({ name, source }) => name === own?.name || source === undefined || values[name],
    );
    if (own?.source === undefined || !isReady) return [];
    const shared = textsIn(sharedValues(command, action, values));
    return [{ action, shared, name: own.name, value: own.source.value }];
  });
  const columns: Column<JsonObject>[] = ("columns" in show ? show.columns : []).map((column) => ({
    id: columnPath(column),
    header: sentence(columnTitle(column)),
    cell: (row) => shown(textOf(valueAt(row, columnPath(column)))),
  }));
  const actions: Column<JsonObject> = {
    id: "actions",
    header: t.list.actions,
    cell: (row) => (
      <details>
        <summary>{t.list.actions}</summary>
        <ul className="stack">
          {next.map(({ action, shared, name, value }) => (
            <li key={action.name}>
              <Link
                to="/actions/$action"
                params={{ action: slugOf(action) }}
                search={{ ...shared, [name]: textOf(valueAt(row, value)) }}
              >
                {sentence(action.summary)}
              </Link>
            </li>
          ))}
        </ul>
      </details>
    ),
  };
  return (
    <List
      caption={sentence(summary)}
      columns={next.length === 0 ? columns : [...columns, actions]}
      keyOf={(row) => JSON.stringify(row)}
      source={source}
      isReadOnce
    />
  );
}
