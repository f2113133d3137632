import { Life } from "./life.ts";
import type { World } from "./world.ts";

/** What a process does when it is started; resolves when it serves. */
export type Boot = (life: Life) => Promise<void>;

/** A supervisor starts a process anew after this long at most. */
const restartMaxMs = 1_500;
/** Stalls, short ones and up to one that is longer than every lease of the services. */
const freezeMaxMs = [1_000, 4_000, 12_000, 40_000];
/** A clock that somebody sets: an hour before or back. */
const clockJumpMs = 3_600_000;

/** A place where one process runs, life after life. */
export class Machine {
  readonly name: string;
  readonly #world: World;
  readonly #boot: Boot;
  #life: Life | undefined;
  #skewMs = 0;

  constructor(world: World, name: string, boot: Boot) {
    this.#world = world;
    this.name = name;
    this.#boot = boot;
  }

  /** Starts a process; one that cannot start ends, and is started anew. */
  start(): void {
    const life = new Life(this.#world, this.name, () => this.#skewMs);
    this.#life = life;
    life.onEnd(() => this.#startLater());
    const ended = (error: unknown) => life.end(`did not start: ${String(error)}`);
    life.within(() => this.#boot(life)).catch(ended);
  }

  /** One of what happens to processes that has nothing to do with what they do. */
  disturb(): void {
    const { faults, random } = this.#world;
    const life = this.#life;
    if (life === undefined || life.isDead()) return;
    if (faults.happens("crash anywhere", 0.04)) life.end("crash");
    if (faults.happens("process frozen", 0.025))
      life.freeze(random.below(random.pick(freezeMaxMs)));
    if (faults.happens("clock jumped", 0.04)) {
      this.#skewMs = random.pick([-clockJumpMs, 0, clockJumpMs]);
      this.#world.note(`${this.name} clock off by ${this.#skewMs} ms`);
    }
  }

  /** As it should be: running, with the right time. */
  heal(): void {
    this.#skewMs = 0;
    this.#life?.thaw();
  }

  #startLater(): void {
    const delayMs = this.#world.random.below(restartMaxMs);
    this.#world.after(delayMs, { label: `${this.name} starts`, run: () => this.start() });
  }
}
