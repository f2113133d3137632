import type { Outcome } from "@disburse/notifier/sender/rules/outcome.ts";
import type { Post, PostRequest } from "@disburse/notifier/sender/sender.ts";
import type { Life } from "./life.ts";
import type { World } from "./world.ts";

const hopMs = 20;

/** A webhook that a merchant acknowledged. */
export type HeardEvent = { readonly id: string; readonly status: string };

/** The merchants' endpoints: they answer, refuse, or answer and are not heard. */
export class Merchants {
  readonly #world: World;
  /** What was acknowledged with 200, by event. */
  readonly acknowledged = new Map<string, HeardEvent>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The way to the endpoints of one process. */
  connect(life: Life): Post {
    const { faults, random } = this.#world;
    return (request) =>
      new Promise((resolve) => {
        const answer = (outcome: Outcome) => {
          const run = () => resolve(outcome);
          this.#world.after(random.fraction() * hopMs, {
            label: "hook answered",
            owner: life,
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
        const label = `${life.name} → hook`;
        this.#world.after(random.fraction() * hopMs, { label, run: arrive });
      });
  }

  #hear({ headers, body }: PostRequest): void {
    const id = headers["webhook-id"] ?? "";
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { status: string } };
    this.acknowledged.set(id, { id, status: data.status });
  }
}
