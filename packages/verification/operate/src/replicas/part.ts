import type { ReplicatedPlatform } from "./platform.ts";

/** An operator's action with the conditions that must hold meanwhile. */
export type Part = {
  readonly name: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns figures in one line. Throws if a condition fails. */
  readonly run: (platform: ReplicatedPlatform) => Promise<string>;
};

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
