import type { JsonObject } from "@bufbuild/protobuf";
import type { CallCommand, Shown } from "@disburse/commands/table/command.ts";
import { plainOf, valueAt } from "@disburse/commands/table/plain.ts";
import { messageOf, requestOf } from "@disburse/commands/table/request.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { CommandError, failureOf, usageError } from "../output/failure.ts";
import { recordText } from "../output/print.ts";
import { formats } from "../plan/controls.ts";
import { readBytes, readText } from "../plan/file.ts";
import { isChange, isPaged } from "./command.ts";
import type { Invocation } from "./invocation.ts";

/** Runs an RPC command. With `--all`, calls the RPC once per page. */
export async function runCall(command: CallCommand, invocation: Invocation): Promise<void> {
  const { method, file } = command;
  const json = requestOf(command, invocation);
  if (file !== undefined) {
    const path = invocation.required(`<${file.argument}>`);
    Object.assign(json, formats[file.format].read(await readText(invocation.world, path)));
  }
  for (const { name, field, isFile = false } of command.options ?? []) {
    const path = invocation.text(`--${name}`);
    if (!isFile || field === undefined || path === undefined) continue;
    json[field] = (await readBytes(invocation.world, path)).toString("base64");
  }
  if (isChange(command)) json.mutation = invocation.calls.mutation();
  if (isPaged(command)) Object.assign(json, pageOf(invocation));
  const request = messageOf(method, json);
  if (isChange(command) && invocation.isDryRun) {
    const rpc = `${method.parent.typeName}/${method.name}`;
    const planned = { rpc, request: plainOf(method.input, request) };
    invocation.record(planned);
    return;
  }
  await assertRegistered(command, json, invocation);
  let answer = plainOf(method.output, await invocation.calls.call(method, request));
  if (isPaged(command) && invocation.has("--all")) {
    answer = await followPages(command, json, answer, invocation);
  }
  showAnswer(command.show, answer, invocation);
}

function pageOf(invocation: Invocation): JsonObject {
  const limit = invocation.text("--limit");
  const isLimit = limit === undefined || /^[1-9]\d{0,5}$/.test(limit);
  if (!isLimit) throw usageError(`--limit: "${limit}" is not a positive number`);
  const cursor = invocation.text("--cursor");
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor }),
  };
}

/** Rejects a merchant id that isn't registered, so that a mistyped id gets no key or limits. */
async function assertRegistered(
  { registered }: CallCommand,
  json: JsonObject,
  { calls }: Invocation,
): Promise<void> {
  if (registered === undefined) return;
  const merchantId = String(valueAt(json, registered) ?? "");
  const method = BeneficiaryService.method.getMerchant;
  try {
    await calls.call(method, messageOf(method, { merchant_id: merchantId }));
  } catch (error) {
    const { code } = failureOf(error);
    if (code !== "RECORD_NOT_FOUND") throw error;
    const hint = `disburse merchants create NAME --id ${merchantId}`;
    const problem = `merchant ${merchantId} is not registered; \`${hint}\` registers it`;
    throw new CommandError(problem, { exit: "failed", code, cause: error });
  }
}

/** Fetches the remaining pages and returns all items as one page. */
async function followPages(
  { method, show }: CallCommand,
  json: JsonObject,
  first: JsonObject,
  { calls }: Invocation,
): Promise<JsonObject> {
  const name = "list" in show ? show.list : "";
  const all = [...itemsOf(first, name)];
  let cursor = String(first.next_cursor ?? "");
  while (cursor !== "") {
    const request = messageOf(method, { ...json, cursor });
    const page = plainOf(method.output, await calls.call(method, request));
    all.push(...itemsOf(page, name));
    cursor = String(page.next_cursor ?? "");
  }
  return { ...first, [name]: all, next_cursor: "" };
}

const itemsOf = (answer: JsonObject, name: string) => (answer[name] ?? []) as JsonObject[];

function showAnswer(show: Shown, answer: JsonObject, invocation: Invocation): void {
  invocation.show(answer, () => {
    if ("record" in show) {
      const record = show.record === "" ? answer : (valueAt(answer, show.record) ?? {});
      const isEmpty = typeof record === "object" && Object.keys(record ?? {}).length === 0;
      return isEmpty ? "done\n" : recordText(record);
    }
    const rows = itemsOf(answer, show.list);
    return rows.length === 0 ? "" : invocation.table(rows, show.columns);
  });
  if (invocation.isJson || "record" in show) return;
  if (itemsOf(answer, show.list).length === 0) {
    invocation.note(`no ${show.list.replaceAll("_", " ")}`);
  }
  const next = String(answer.next_cursor ?? "");
  if (next !== "") invocation.note(`more: --cursor ${next}, or --all`);
}
