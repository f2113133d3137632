import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { callCommands, uploadCommands } from "@disburse/commands/commands/all.ts";
import {
  type CallCommand,
  hasPages,
  rolesOf,
  type Source,
  type UploadCommand,
} from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { plainOf, valueAt } from "@disburse/commands/table/plain.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { readAllFrom } from "../../api/pages.ts";
import { Problem } from "../../api/problem.ts";
import { answerOf, transport } from "../../api/rpc.ts";
import { pagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { hasRole, type Session } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { useRested } from "../../ui/use-rested.ts";
import { textOf } from "./rules/flat.ts";
import { fieldsOf, requestIn, type Values } from "./rules/form.ts";

/** Calls an RPC with a request as JSON. Returns the response as JSON, as the command line shows it. */
export async function callMethod(method: DescMethodUnary, json: JsonObject): Promise<JsonObject> {
  const request = messageOf(method, json);
  const call = transport.unary(method, undefined, undefined, undefined, request);
  return plainOf(method.output, (await answerOf(call)).message);
}

/** Reads the rows of a list by an RPC that may have pages. */
export const rowsOf = (method: DescMethodUnary, name: string, request: JsonObject) =>
  pagesOf("rows", async (page) => {
    const has = (field: string) => method.input.fields.some((each) => each.name === field);
    const answer = await callMethod(method, { ...request, ...(has("cursor") && page) });
    const rows = (answer[name] ?? []) as JsonObject[];
    return { rows, nextCursor: textOf(answer["next_cursor"]) };
  });

const permitted =
  <T extends CallCommand | UploadCommand>(commands: readonly T[]) =>
  (session: Session): readonly T[] =>
    commands.filter((command) => hasRole(session, ...rolesOf(command)));

/** Return the actions that a person's roles permit. */
export const actionsOf = permitted(callCommands);
export const uploadsOf = permitted(uploadCommands);

const suggestedMax = 100;

/** Reads the possible values of a field, as far as the form's other values allow it. */
export function useSuggestions(source: Source | undefined, values: Values) {
  const list = actionsOf(useSession()).find(({ name }) => name === source?.list);
  const json = useRested(JSON.stringify(list && requestOrNone(list, values)) ?? "");
  const request = json === "" ? undefined : (JSON.parse(json) as JsonObject);
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

/** Returns the query of the record that an action changes, once the form names it. */
export function currentQuery(command: CallCommand, values: Values, session: Session) {
  const { current, method } = command;
  if (current === undefined || !hasRole(session, ...rolesOf(current))) return undefined;
  const { method: read, record, by } = current;
  const wanted = by ?? read.input.fields.map(({ name }) => name);
  const named = fieldsOf(command).map(({ key, path }) => [path.split(".").at(-1), values[key]]);
  const key = Object.fromEntries(
    named.filter(([name = "", text]) => text && wanted.includes(name)),
  ) as JsonObject;
  if (wanted.length > Object.keys(key).length) return undefined;
  return queryOptions({
    queryKey: ["actions", "current", method.name, key],
    queryFn: async () => {
      if (by === undefined) return ((await callMethod(read, key))[record] ?? {}) as JsonObject;
      const { items } = await readAllFrom({ read: rowsOf(read, record, {}) });
      return items.find((each) => by.every((name) => each[name] === key[name])) ?? null;
    },
    staleTime: 0,
  });
}

/** Throws an `InputError` if the merchant that a request names isn't registered. */
export async function assertRegistered(command: CallCommand, request: JsonObject): Promise<void> {
  const { registered } = command;
  if (registered === undefined) return;
  const field = fieldsOf(command).find(({ path }) => path === registered);
  try {
    const merchant_id = textOf(valueAt(request, registered));
    await callMethod(BeneficiaryService.method.getMerchant, { merchant_id });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "RECORD_NOT_FOUND") throw error;
    const label = field?.label ?? "";
    throw new InputError(operatorTexts.operators.notRegistered, { label, cause: error });
  }
}
