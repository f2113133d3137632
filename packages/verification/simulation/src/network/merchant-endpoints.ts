import type { Outcome } from "@disburse/notifier/sender/rules/outcome.ts";
import type { Post, PostRequest } from "@disburse/notifier/sender/sender.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const hopMs = 20;

/** A webhook that a merchant acknowledged. */
export type AcknowledgedEvent = { readonly id: string; readonly status: string };

/** The merchants' endpoints: they answer, refuse, or answer and are not heard. */
export class MerchantEndpoints {
  readonly #scheduler: Scheduler;
  /** What was acknowledged with 200, by event. */
  readonly acknowledged = new Map<string, AcknowledgedEvent>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** The way to the endpoints of one process. */
  connect(instance: ProcessInstance): Post {
    const { faults, random } = this.#scheduler;
    return (request) =>
      new Promise((resolve) => {
        const answer = (outcome: Outcome) => {
          const run = () => resolve(outcome);
          this.#scheduler.after(random.fraction() * hopMs, {
            label: "hook answered",
            owner: instance,
            run,
          });
        };
        const arrive = () => {
          if (faults.happens("webhook: refused", 0.2)) {
            return answer({ kind: "answered", statusCode: 500, body: "" });
          }
          this.#hear(request);
          if (faults.happens("webhook: answer lost", 0.05)) {
            return answer({ kind: "failed", error: "timeout" });
          }
          answer({ kind: "answered", statusCode: 200, body: "" });
        };
        const label = `${instance.name} → hook`;
        this.#scheduler.after(random.fraction() * hopMs, { label, run: arrive });
      });
  }

  #hear({ headers, body }: PostRequest): void {
    const id = headers["webhook-id"] ?? "";
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { status: string } };
    this.acknowledged.set(id, { id, status: data.status });
  }
}
