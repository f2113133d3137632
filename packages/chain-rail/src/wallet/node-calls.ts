import type { Log } from "@disburse/chassis/log.ts";

/** A node's problem in our own words, which have no part of its URL or reply. They are logged. */
export class NodeProblem extends Error {
  override readonly name = "NodeProblem";
}

/** Calls every node. The result of a node that does not respond is `undefined`. */
export type CallAll<Node> = <T>(call: (node: Node) => Promise<T>) => Promise<(T | undefined)[]>;

/** `onNodeFailed` gets the node's index in the configuration. */
export function callAllOf<Node>(
  nodes: readonly Node[],
  { log, onNodeFailed }: { readonly log: Log; readonly onNodeFailed: (node: number) => void },
): CallAll<Node> {
  return (call) => {
    const calls = nodes.map(async (node, at) => {
      try {
        return await call(node);
      } catch (error) {
        onNodeFailed(at);
        log.warn({ node: at, reason: reasonOf(error) }, "a call to a blockchain node failed");
        return undefined;
      }
    });
    return Promise.all(calls);
  };
}

type Coded = Error & { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };

/**
 * Returns the error's name and code. Its message may contain the node's URL, which may include a
 * key.
 */
function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as Coded;
  if (error instanceof NodeProblem) return message;
  const known = [code, cause?.code].find((each) => /^(?:-?\d+|[A-Z][A-Z_]+)$/.test(String(each)));
  return known === undefined ? name : `${name} ${known}`;
}
