import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { Visitor } from "./visitor.ts";

export type WalkDeps = {
  readonly sandbox: SandboxDocument;
  /** Opens a new browser and signs the person in. */
  readonly arrive: (name: string) => Promise<Visitor>;
  /** Opens a new browser on the merchants' port without signing in. */
  readonly stranger: () => Promise<Visitor>;
};

export type Walk = {
  readonly name: string;
  readonly about: string;
  readonly run: (deps: WalkDeps) => Promise<void>;
};
