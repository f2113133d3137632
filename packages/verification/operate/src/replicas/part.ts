import type { ReplicatedPlatform } from "./platform.ts";

/** Something that operators do, and what has to hold while they do it. */
export type Part = {
  readonly name: string;
  /** Settings of every process. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Answers its figures in a line; throws where something does not hold. */
  readonly run: (platform: ReplicatedPlatform) => Promise<string>;
};

/** Throws, with what was seen, where something does not hold. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
