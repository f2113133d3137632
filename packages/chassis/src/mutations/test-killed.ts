import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { withCallContext } from "../call-context.ts";
import { connectDatabase } from "../mongo/database.ts";
import { bindOperations, openOperationBindings } from "./bindings.ts";

/**
 * Runs a process that is killed after a person's call has taken effect and before the response is
 * sent.
 */

const [uri = "", name = ""] = process.argv.slice(2);
const database = await connectDatabase(uri, name);
const openAccount = async () => {
  await database.db.collection("effects").insertOne({ made: true });
  process.kill(process.pid, "SIGKILL");
  return {};
};
const bindings = openOperationBindings(database);
const bound = bindOperations(PayoutService, { openAccount }, bindings);
const principal = { kind: "person", id: "ada", roles: new Set(["treasury"] as const) } as const;
const request = { mutation: { operationId: "op-killed" }, merchantId: "mer_1" };
await withCallContext({ requestId: "req-1", principal }, async () => {
  const message = create(PayoutService.method.openAccount.input, request);
  const handle = bound.openAccount as (asked: object, context: HandlerContext) => unknown;
  await handle(message, {} as HandlerContext);
});
