import type { DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { callCommands } from "@disburse/commands/commands/all.ts";
import {
  type CallCommand,
  hasPages,
  rolesOf,
  type Source,
} from "@disburse/commands/table/command.ts";
import { plainOf, valueAt } from "@disburse/commands/table/plain.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { useQuery } from "@tanstack/react-query";
import { answerOf, transport } from "../../api/rpc.ts";
import { hasRole, type Session } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { fieldsOf, requestIn, type Values } from "./rules/form.ts";

/** Calls an RPC with a request as JSON. Returns the response as JSON, as the command line shows it. */
export async function callMethod(method: DescMethodUnary, json: JsonObject): Promise<JsonObject> {
  const request = messageOf(method, json);
  const call = transport.unary(method, undefined, undefined, undefined, request);
  return plainOf(method.output, (await answerOf(call)).message);
}

/** Returns the actions that a person's roles permit. */
export const actionsOf = (session: Session): readonly CallCommand[] =>
  callCommands.filter((command) => hasRole(session, ...rolesOf(command)));

const suggestedMax = 100;

/** Reads the possible values of a field, as far as the form's other values allow it. */
export function useSuggestions(source: Source | undefined, values: Values) {
  const list = actionsOf(useSession()).find(({ name }) => name === source?.list);
  const request = list === undefined ? undefined : requestOrNone(list, values);
  const { data } = useQuery({
    queryKey: ["actions", "suggestions", list?.name, request],
    queryFn: () =>
      callMethod((list as CallCommand).method, {
        ...request,
        ...(hasPages(list as CallCommand) && { limit: suggestedMax }),
      }),
    enabled: request !== undefined,
    staleTime: 60_000,
  });
  const rows = data && list && "list" in list.show ? (data[list.show.list] as JsonObject[]) : [];
  return rows.map((row) => ({
    value: String(valueAt(row, source?.value ?? "") ?? ""),
    name: String(valueAt(row, source?.name ?? "") ?? ""),
  }));
}

/** Returns the request of a read, or `undefined` while one of its values is missing. */
function requestOrNone(command: CallCommand, values: Values): JsonObject | undefined {
  const own = new Set((command.arguments ?? []).map(({ name }) => name));
  const known = Object.entries(values).filter(([name]) => own.has(name));
  try {
    return requestIn(command, Object.fromEntries(known));
  } catch {
    return undefined;
  }
}

/** Reads the record that an action changes, once the form names it. */
export function useCurrent(command: CallCommand, values: Values) {
  const { current, method } = command;
  const session = useSession();
  const wanted = current?.by ?? current?.method.input.fields.map(({ name }) => name) ?? [];
  const named = fieldsOf(command).map(({ key, path }) => [path.split(".").at(-1), values[key]]);
  const key = Object.fromEntries(
    named.filter(([name = "", text]) => text && wanted.includes(name)),
  ) as JsonObject;
  const isNamed = wanted.length === Object.keys(key).length;
  const { data, isLoading } = useQuery({
    queryKey: ["actions", "current", method.name, key],
    queryFn: async () => {
      const { method: read, record, by } = current as NonNullable<typeof current>;
      const answer = await callMethod(read, by === undefined ? key : { limit: suggestedMax });
      return recordIn(answer[record], key) ?? null;
    },
    enabled: current !== undefined && isNamed && hasRole(session, ...rolesOf(current)),
    staleTime: 0,
  });
  return { current: data ?? undefined, isLoading };
}

function recordIn(found: JsonValue | undefined, key: JsonObject): JsonObject | undefined {
  if (!Array.isArray(found)) return (found ?? {}) as JsonObject;
  const isMeant = (each: JsonObject) =>
    Object.entries(key).every(([name, value]) => each[name] === value);
  return (found as JsonObject[]).find(isMeant);
}
