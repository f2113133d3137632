import type { Log } from "@disburse/chassis/log.ts";

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
        // Only the error's name is logged, because its message contains the node's URL, which may
        // include a key.
        log.warn({ node: at, reason: (error as Error).name }, "a call to a blockchain node failed");
        return undefined;
      }
    });
    return Promise.all(calls);
  };
}
