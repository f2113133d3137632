import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { Visitor } from "./visitor.ts";

/** What a walk is given. */
export type WalkDeps = {
  readonly sandbox: SandboxDocument;
  /** A new browser at the door of a person, who has signed in. */
  readonly arrive: (name: string) => Promise<Visitor>;
  /** A new browser at the door of merchants' people, where no one has signed in. */
  readonly stranger: () => Promise<Visitor>;
};

/** The main job of one role, as its person does it. */
export type Walk = {
  readonly name: string;
  readonly about: string;
  readonly run: (deps: WalkDeps) => Promise<void>;
};
