import type { Outcome } from "@disburse/notifier/sender/rules/outcome.ts";
import type { Post, PostRequest } from "@disburse/notifier/sender/sender.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const hopMs = 20;

export type AcknowledgedEvent = { readonly id: string; readonly status: string };

/** Merchants' endpoints. They accept a webhook, refuse it, or accept it but lose the answer. */
export type MerchantEndpoints = ReturnType<typeof createMerchantEndpoints>;

export function createMerchantEndpoints(scheduler: Scheduler) {
  const { faults, random } = scheduler;
  const acknowledged = new Map<string, AcknowledgedEvent>();
  const hear = ({ headers, body }: PostRequest): void => {
    const id = headers["webhook-id"] ?? "";
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { status: string } };
    acknowledged.set(id, { id, status: data.status });
  };
  const answerTo = (request: PostRequest): Outcome => {
    if (faults.happens("webhook: refused", 0.2)) {
      return { kind: "answered", statusCode: 500, body: "" };
    }
    hear(request);
    const isLost = faults.happens("webhook: answer lost", 0.05);
    return isLost
      ? { kind: "failed", error: "timeout" }
      : { kind: "answered", statusCode: 200, body: "" };
  };
  return {
    acknowledged,
    connect:
      (owner: ProcessInstance): Post =>
      (request) =>
        new Promise((resolve) => {
          const arrive = () => {
            const outcome = answerTo(request);
            const run = () => resolve(outcome);
            scheduler.after(random.fraction() * hopMs, { label: "hook answered", owner, run });
          };
          const label = `${owner.name} → hook`;
          scheduler.after(random.fraction() * hopMs, { label, run: arrive });
        }),
  };
}
